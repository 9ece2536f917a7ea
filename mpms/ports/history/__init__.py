"""What happened, and what is counted and kept of it."""
