"""What the services of the factory need from the world."""
