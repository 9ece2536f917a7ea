"""The robot side and the simulated plant: metres and matrices.

Nothing here knows orders, forms or processes; the orchestrator reaches this
side over a wire only, exactly as it reaches a real robot.
"""
