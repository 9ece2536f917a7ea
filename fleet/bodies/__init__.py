"""Bodies of car-like vehicles as their files describe them: read, drawn, as URDF."""
