"""Experiments with simulated warehouses."""
