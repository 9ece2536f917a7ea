"""Colours that can be read, in both themes, and a page that shows them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from mpms.web.pages.design import PAIRS, THEMES, colours, contrast, contrasts
from mpms.web.rights import LEADERS, roles_of

TARGETS = {"--target": "64px", "--target-min": "44px"}


@pytest.fixture(scope="module")
def tokens(frontend: Path) -> str:
    return (frontend / "styles" / "tokens.css").read_text("utf-8")


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#0b5563", "#0b5563") == 1


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_can_be_read_on_its_ground(tokens: str, theme: str) -> None:
    weak = [pair for pair in contrasts(colours(tokens, theme)) if not pair.enough]
    assert weak == []
    assert len(PAIRS) > 25


@pytest.mark.parametrize("theme", THEMES)
def test_borders_of_fields_and_the_focus_can_be_seen(tokens: str, theme: str) -> None:
    known = colours(tokens, theme)
    for ground in ("bg", "surface", "surface-2"):
        assert contrast(known["line-strong"], known[ground]) >= 3
        assert contrast(known["focus"], known[ground]) >= 3


def test_the_chosen_and_the_systems_dark_are_the_same(tokens: str) -> None:
    systems = re.search(r":root:not\(\[data-theme\]\) \{([^}]*)\}", tokens)
    chosen = re.search(r'^\[data-theme="dark"\] \{([^}]*)\}', tokens, re.MULTILINE)
    assert systems is not None
    assert chosen is not None
    assert systems[1].split() == chosen[1].split()


def test_both_themes_define_the_same_colours(tokens: str) -> None:
    assert list(colours(tokens, "light")) == list(colours(tokens, "dark"))


@pytest.mark.parametrize(("token", "size"), TARGETS.items())
def test_targets_are_large_enough_for_gloves(
    tokens: str, token: str, size: str
) -> None:
    assert f"{token}: {size};" in tokens


def test_every_token_that_styles_use_is_defined(frontend: Path, tokens: str) -> None:
    defined, used = set(re.findall(r"(--[\w-]+)\s*:", tokens)), set()
    for path in sorted((frontend / "styles").glob("*.css")):
        css = path.read_text("utf-8")
        defined |= set(re.findall(r"(--[\w-]+)\s*:", css))
        used |= {(name, path.name) for name in re.findall(r"var\((--[\w-]+)\)", css)}
    assert sorted((n, file) for n, file in used if n not in defined) == []


def test_the_page_shows_both_themes_and_every_contrast(client: FlaskClient) -> None:
    page = client.get("/design?role=supervisor&language=de")
    assert page.status_code == 200
    assert page.text.count('class="chip chip-ok push"') == 2 * len(PAIRS)
    assert 'data-theme="dark"' in page.text
    assert "Gestaltung" in page.text


def test_the_page_is_for_leaders(client: FlaskClient) -> None:
    assert roles_of(client.application, "design.show") == LEADERS
