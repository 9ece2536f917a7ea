"""What pages say: numbers, instants and states in plain words."""
