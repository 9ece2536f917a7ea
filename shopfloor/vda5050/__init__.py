"""Simulated vehicles that speak VDA 5050 over MQTT."""
