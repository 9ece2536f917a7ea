"""Clients of the API."""
