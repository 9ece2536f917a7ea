"""Decisions, one module for each problem; a new strategy is one class."""
