"""One use case a file, a verb each; every one is one database transaction."""
