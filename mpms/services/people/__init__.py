"""People, their secrets, sessions and tablets."""
