"""One use case of the factory a file, by noun."""
