"""What needs a person's look."""
