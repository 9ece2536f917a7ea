"""What the factory means, in plain data and rules. Standard library only; no I/O."""
