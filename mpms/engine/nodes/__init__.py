"""How each BPMN element behaves: one SpiffWorkflow spec class a kind of element.

SpiffWorkflow's own specs are not used for execution, because several are wrong in
silence (joins in loops, link events, event gateways with two timers, uncaught
errors). These do exactly what BPMN 2.0 says; the lint refuses the rest.
"""
