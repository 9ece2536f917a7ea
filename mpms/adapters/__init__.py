"""Ports made real, one library each; adapters never know one another."""
