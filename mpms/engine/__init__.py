"""The only home of SpiffWorkflow: models in, steps out, no I/O."""
