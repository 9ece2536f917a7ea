"""The tables of the factory."""
