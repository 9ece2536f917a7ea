"""Forms that wait for people, and their answers."""
