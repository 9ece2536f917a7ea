"""All robots on one floor, in compiled kernels: who drives when, and who gives way."""
