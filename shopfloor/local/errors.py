"""Why the local planner refuses what it is given, one class per cause."""


class LocalRefused(ValueError):
    """Something the local planner cannot work with; the message says what."""


class WindowRefused(LocalRefused):
    """A size, a margin or a memory that no local map has."""


class PersonRefused(LocalRefused):
    """A tag that is nowhere, or distances to people that make no sense."""
