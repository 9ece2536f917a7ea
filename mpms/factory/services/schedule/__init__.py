"""When which order is made."""
