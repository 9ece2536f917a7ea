"""Processes as wholes."""
