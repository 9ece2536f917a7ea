"""What a browser calls itself, in two words: its owner shall know it again."""

from __future__ import annotations

BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPad", "iPad"),
    ("iPhone", "iPhone"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Nothing where it says nothing that we know."""
    found = (
        next((name for sign, name in table if sign in user_agent), "")
        for table in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, found))
