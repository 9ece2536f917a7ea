"""Shows every part of the design system, so that a page is built from what is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from flask import Blueprint, render_template

from mpms.web.labels import formats
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.assets import current_assets

pages = Blueprint("design", __name__)

THEMES = ("light", "dark")
NEEDED_CONTRAST = 4.5

# Text on its background: all pairs that pages may use.
PAIRS = (
    *(
        (text, ground)
        for text in ("text", "text-2", "brand")
        for ground in (
            "bg",
            "surface",
            "surface-2",
        )
    ),
    ("brand-text", "brand"),
    ("brand-text", "brand-strong"),
    ("brand", "brand-bg"),
    ("text", "brand-bg"),
    *(
        (state, ground)
        for state in ("ok", "warn", "bad", "info")
        for ground in (
            f"{state}-bg",
            "surface",
            "bg",
        )
    ),
    ("bad-strong", "bad-bg"),
    ("surface", "bad"),
    ("bg", "text"),
)

_BLOCK = re.compile(r"""\[data-theme=["']?(\w+)["']?\]\s*\{([^}]*)\}""")
_TOKEN = re.compile(r"--([\w-]+)\s*:\s*(#[0-9a-fA-F]{3,6})\b")


@dataclass(frozen=True)
class Contrast:
    """How well one colour reads on another."""

    text: str
    ground: str
    ratio: float

    @property
    def enough(self) -> bool:
        return self.ratio >= NEEDED_CONTRAST


def colours(css: str, theme: str) -> dict[str, str]:
    """The tokens that are colours, from the style sheet that browsers get."""
    found = next(body for name, body in _BLOCK.findall(css) if name == theme)
    return {name: _six_digits(value) for name, value in _TOKEN.findall(found)}


def contrasts(tokens: Mapping[str, str]) -> list[Contrast]:
    return [
        Contrast(text, ground, contrast(tokens[text], tokens[ground]))
        for text, ground in PAIRS
    ]


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it: 1 (the same) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[i : i + 2], 16)) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _six_digits(colour: str) -> str:
    return colour if len(colour) == 7 else "#" + "".join(c * 2 for c in colour[1:])


@pages.get("/design")
@allowed(LEADERS)
def show() -> str:
    css = current_assets().path("main.css").read_text(encoding="utf-8")
    tokens = {theme: colours(css, theme) for theme in THEMES}
    now = formats.now()
    return render_template(
        "design.html",
        tokens=tokens,
        contrasts={theme: contrasts(tokens[theme]) for theme in THEMES},
        samples={
            "now": now,
            "minutes": now - timedelta(minutes=3),
            "hours": now - timedelta(hours=5),
            "days": now - timedelta(days=2),
            "soon": now + timedelta(minutes=12),
        },
    )
