"""Places of the floor."""
