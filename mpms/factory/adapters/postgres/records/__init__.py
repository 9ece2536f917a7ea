"""Batch records."""
