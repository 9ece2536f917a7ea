"""Streets and alleys for car-like vehicles: worlds, people on foot, the closed loop."""
