"""Compiled kernels: one way to make them, and a place where they are kept.

The fleet and the shop floor both have kernels and do not know each other's.
"""
