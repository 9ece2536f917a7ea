"""One way to compare words, so that İ, ß, accents and punctuation never decide."""

from __future__ import annotations

import unicodedata

LONGEST_TEXT = 500


def fold(text: str) -> str:
    """Reduce a text to what counts when names, keys and words are compared."""
    decomposed = unicodedata.normalize("NFKD", text[:LONGEST_TEXT])
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    folded = bare.casefold().replace("ı", "i")
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


# What nobody sees: zero-width and soft hyphens that programs leave in cells.
_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"))


def visible(text: str) -> str:
    """A text without the characters that nobody sees."""
    return text.translate(_UNSEEN)


def clean_text(text: str, longest: int = 200) -> str:
    """Free text as it may be stored: no control characters, bounded, trimmed."""
    kept = (
        c for c in text[: longest * 20] if unicodedata.category(c) not in {"Cc", "Cs"}
    )
    return "".join(kept).strip()[:longest].strip()
