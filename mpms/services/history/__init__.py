"""The past: kept, counted, audited, deleted."""
