"""A page of its own, for administrators only: how much work waits for the shift."""

from mpms.plugins import Page, Plugin, Role

plugin = Plugin(
    "shift",
    pages=(Page("shift_page.pages:pages", "/shift", "Shift", frozenset({Role.ADMIN})),),
)
