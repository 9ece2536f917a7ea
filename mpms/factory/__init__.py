"""The paint factory: orders by mail, materials, robots and loads, on the engine.

The first plug-in of MPMS, registered like those of others; the core never imports it.
"""
