"""A model driven in virtual time before it goes live: what goes in, what comes out."""
