"""Texts in the reader's language. The key is the English sentence itself.

Catalogues are ``texts/<part>.<language>.json``, here and in plug-ins; all parts are
loaded together. Where a
count changes the sentence, pages choose between two keys ("1 task", "{n} tasks").
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from flask import Flask, g, has_request_context, request
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from mpms.plugins import loading
from mpms.web.labels import formats
from mpms.web.site.assets import current_assets

LANGUAGES: Mapping[str, str] = {"en": "English", "es": "Español", "de": "Deutsch"}
COOKIE = "language"
DIRECTORY = Path(__file__).resolve().parent / "texts"
Figure: TypeAlias = float | Decimal | None
_HOLE = re.compile(r"\{(\w+)\}")


@lru_cache
def catalogue(language: str) -> Mapping[str, str]:
    texts: dict[str, str] = {}
    for directory in directories():
        for path in sorted(directory.glob(f"*.{language}.json")):
            texts.update(json.loads(path.read_text(encoding="utf-8")))
    return texts


def directories() -> list[Path]:
    """Those of plug-ins, then ours: what a sentence of ours means stays."""
    found = [p.texts for p in reversed(loading.loaded()) if p.texts is not None]
    return [*found, DIRECTORY]


def current_language() -> str:
    """Of the person, else of the browser's cookie, else what the browser prefers."""
    if not has_request_context():
        return "en"
    for wish in (
        getattr(g.get("person"), "language", None),
        request.cookies.get(COOKIE),
    ):
        if wish in LANGUAGES:
            return str(wish)
    for wish, _ in request.accept_languages:  # best first; "de-AT" is German as well
        language = wish.partition("-")[0].lower()
        if language in LANGUAGES:
            return language
    return "en"


def t(key: str, /, **values: object) -> str:
    return translate(key, current_language(), **values)


def translate(key: str, language: str, /, **values: object) -> str:
    """For readers who are not the one of this request, as in mails."""
    text = catalogue(language).get(key, key)
    if not values:
        return text

    def fill(hole: re.Match[str]) -> str:
        value = values.get(hole[1], hole[0])
        if isinstance(value, int | float) and not isinstance(value, bool):
            return formats.number(value, language)
        return str(value)

    return _HOLE.sub(fill, text)


def browser_texts() -> dict[str, str]:
    """What the scripts of this page may show. English needs no catalogue."""
    known = catalogue(current_language())
    keys = current_assets().text_keys(g.get("scripts", set()))
    return {key: known[key] for key in keys if key in known}


# Filters take the context because Jinja computes those without one only once, when it
# compiles a constant: {{ 12.5|kg }} would stay in the language of its first reader.
@pass_context
def number(_: Context, value: Figure, digits: int = 3) -> str:
    return formats.number(value, current_language(), digits=digits)


@pass_context
def kg(_: Context, value: Figure) -> str:
    return formats.kg(value, current_language())


@pass_context
def time(_: Context, at: datetime | None) -> Markup:
    return formats.time_tag(at, current_language(), formats.now())


@pass_context
def ago(_: Context, at: datetime | None) -> Markup:
    return formats.ago_tag(at, current_language(), formats.now())


def install(app: Flask) -> None:
    app.jinja_env.globals.update(
        t=t,
        has_page=app.blueprints.__contains__,
        language=current_language,
        languages=LANGUAGES,
        browser_texts=browser_texts,
    )
    app.jinja_env.filters.update(number=number, kg=kg, time=time, ago=ago)
