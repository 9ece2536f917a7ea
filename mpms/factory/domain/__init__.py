"""What the factory means: orders, their mail, goals, the floor. No I/O."""
