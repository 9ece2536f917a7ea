"""What is done with lots and stock."""
