"""Vehicles that speak VDA 5050 over MQTT, behind the same port as all robots."""
