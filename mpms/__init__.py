"""The orchestrator: it decides what happens next in the factory."""
