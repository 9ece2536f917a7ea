"""Scales and tanks of a plant: which stand where, and how each is spoken to."""
