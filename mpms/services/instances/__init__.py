"""Running processes: started, moved, looked at, repaired."""
