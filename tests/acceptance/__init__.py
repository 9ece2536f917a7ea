"""The whole system as people meet it: its pages, its commands, its robots."""
