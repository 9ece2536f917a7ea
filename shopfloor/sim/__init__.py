"""The simulated plant behind a rosbridge server of our own.

Stock clients must not be able to tell it from a real robot's rosbridge, with
its silence on errors and its forgetful actions included.
"""
