"""The history: written, counted, read, deleted."""
