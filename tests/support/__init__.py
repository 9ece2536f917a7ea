"""What tests share: servers and databases, factories of several sizes, fakes, checkers.

A fixture that several folders use is built from a class that lives here, so that a
test can name its type.
"""
