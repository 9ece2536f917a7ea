"""Which robot does which transport. No I/O and no clock."""
