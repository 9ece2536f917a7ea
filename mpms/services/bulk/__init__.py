"""One action on many instances."""
