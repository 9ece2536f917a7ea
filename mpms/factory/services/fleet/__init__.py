"""The fleet in a worker: rounds of the clock-free core between rows and robots."""
