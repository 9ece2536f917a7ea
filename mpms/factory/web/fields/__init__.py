"""What was typed on pages of the factory."""
