"""Versions of the floor: drawn, checked, saved, previewed, used."""
