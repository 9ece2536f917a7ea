"""One module a noun; each has its blueprint, called ``pages``."""
