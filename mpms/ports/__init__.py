"""What the services need from the world, as protocols. No implementation here."""
