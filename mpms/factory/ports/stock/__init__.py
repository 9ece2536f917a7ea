"""Lots, stock and picks as rows."""
