"""Warehouses with mobile pods, in virtual time.

Robots really drive: cell by cell, with acceleration and turns, giving way to each
other. Decisions are the strategies of ``fleet.rmfs``.
"""
