"""Mail that brings orders, and replies to it."""
