"""Robots of a plant: tasks, roads, storage, charging, traffic. No I/O and no clock."""
