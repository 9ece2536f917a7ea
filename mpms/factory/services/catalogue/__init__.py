"""Materials and recipes."""
