"""The factory in plain words."""
