"""The pages of the factory."""
