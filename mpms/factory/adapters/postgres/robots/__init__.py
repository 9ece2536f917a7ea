"""The tables of robots."""
