"""What browsers are told as it happens."""
