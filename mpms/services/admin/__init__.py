"""How the plant is."""
