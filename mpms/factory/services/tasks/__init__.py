"""Tasks as workers of the factory see them."""
