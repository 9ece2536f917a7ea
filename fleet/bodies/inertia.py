"""Moments of inertia of boxes and cylinders about their own middle.

Computed from the shape and not taken from a drawing program: with those a model drifts
and rolls in a physics simulator before anybody commands it.
"""

from __future__ import annotations


def of_box(
    mass_kg: float, length_m: float, width_m: float, height_m: float
) -> tuple[float, float, float]:
    """About the directions of length, width and height, in kg m²."""
    part = mass_kg / 12.0
    return (
        part * (width_m**2 + height_m**2),
        part * (length_m**2 + height_m**2),
        part * (length_m**2 + width_m**2),
    )


def of_cylinder(
    mass_kg: float, radius_m: float, height_m: float
) -> tuple[float, float, float]:
    """Two directions across the axis, then the axis itself, in kg m²."""
    across = mass_kg / 12.0 * (3.0 * radius_m**2 + height_m**2)
    return across, across, mass_kg * radius_m**2 / 2.0
