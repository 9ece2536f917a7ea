"""Batch records: filled, sealed, verified, shown."""
