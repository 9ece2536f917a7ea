"""People and their secrets."""
