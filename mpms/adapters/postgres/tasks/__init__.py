"""Tasks of people."""
