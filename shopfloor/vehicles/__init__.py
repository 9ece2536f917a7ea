"""Car-like vehicles: what one is by its file, how it moves and what it senses."""
