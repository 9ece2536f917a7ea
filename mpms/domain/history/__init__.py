"""The history: its lines, and every kind of line that can be written."""
