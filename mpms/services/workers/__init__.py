"""Worker processes and the topics they serve."""
