"""Instances and their steps."""
