"""Mail servers, and mail that nobody trusts yet."""
