"""Lots, stock and picks in PostgreSQL."""
