"""Instances, what they wait for and what they get."""
