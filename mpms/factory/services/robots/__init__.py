"""Robots, their goals and who speaks with them."""
