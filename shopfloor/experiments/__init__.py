"""Trials that answer a question about a plant, faster than it could be lived."""
