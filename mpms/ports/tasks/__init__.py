"""Work that waits for people."""
