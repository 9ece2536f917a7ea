"""Addresses that are told of events."""
