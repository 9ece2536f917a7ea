"""Mail with orders: read, kept, answered."""
