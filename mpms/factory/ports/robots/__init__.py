"""Robots, their goals and their tracks."""
