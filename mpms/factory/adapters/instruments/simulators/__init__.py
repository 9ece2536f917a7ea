"""Scales and tanks to try things with: the other end of each wire."""
