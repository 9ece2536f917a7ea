"""Messages and signals from outside."""
