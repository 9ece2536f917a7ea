"""What the factory's models call by topic: one handler a file, a verb each."""
