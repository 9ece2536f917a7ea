"""How a car-like vehicle gets from one pose to another: ways and commands.

Ways for the whole drive: ``hybrid.find_way``. Commands on the way, ten times a second:
``local.local_planner``, with DWA, MPPI and TEB behind one interface.
"""
