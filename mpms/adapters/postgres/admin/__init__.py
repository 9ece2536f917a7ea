"""What administrators and monitoring read."""
