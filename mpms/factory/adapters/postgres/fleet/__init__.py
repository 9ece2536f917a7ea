"""The rows of the fleet."""
