"""The process that serves the pages: sockets, requests, TLS."""
