"""The tables of orders."""
