"""Drive a model in virtual time, with the hub that moves the real ones."""
