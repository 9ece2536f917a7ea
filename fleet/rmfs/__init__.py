"""Robotic mobile fulfilment: pods that robots bring to stations, and who decides what.

After Merschformann, Xie and Li, *RAWSim-O: A Simulation Framework for Robotic Mobile
Fulfillment Systems*. Layouts, stock and strategies are here, without input, output or
clock; ``shopfloor.experiments.rmfs`` runs them in virtual time.
"""
