"""A warehouse whose shelves are carried by robots, as a model without I/O.

``step(warehouse, dt_s, commands)`` is all of its physics: grid robots, storage units,
belts, obstacles and people. It reads no clock and draws no random number, so the same
commands always give the same warehouse. ``served`` shows it on a rosbridge server.

Coordinates are the same everywhere: metres in the frame ``map``, x to the right, y up,
yaw from +x anticlockwise; the origin is the middle of the lower left cell.
"""
