"""What is typed on pages: forms drawn and read."""
