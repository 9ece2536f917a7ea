"""Manufacturing orders."""
