"""Numbers, weights and instants as each language writes them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from flask.testing import FlaskClient

from mpms.web.labels import formats

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def plant_in_madrid(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Madrid")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("value", "en", "es", "de"),
    [
        (0, "0", "0", "0"),
        (12.5, "12.5", "12,5", "12,5"),
        (1234.5, "1,234.5", "1234,5", "1.234,5"),
        (12345, "12,345", "12.345", "12.345"),
        (1234567.891, "1,234,567.891", "1.234.567,891", "1.234.567,891"),
        (-0.0001, "0", "0", "0"),
        (-2.25, "-2.25", "-2,25", "-2,25"),
        (Decimal("0.100"), "0.1", "0,1", "0,1"),
        (1e3, "1,000", "1000", "1.000"),
        (None, "–", "–", "–"),
    ],
)
def test_a_number_is_written_as_its_readers_do(
    value: float | Decimal | None, en: str, es: str, de: str
) -> None:
    assert formats.number(value, "en") == en
    assert formats.number(value, "es") == es
    assert formats.number(value, "de") == de


def test_a_weight_keeps_its_unit_on_the_line() -> None:
    assert formats.kg(12.5, "de") == "12,5\N{NO-BREAK SPACE}kg"
    assert formats.kg(None, "de") == "–"


@pytest.mark.parametrize(
    ("at", "en", "es", "de"),
    [
        (NOW, "13:00", "13:00", "13:00"),
        (
            NOW - timedelta(days=13),
            *("3 Nov, 13:00", "3 nov, 13:00", "3. Nov., 13:00"),
        ),
        (
            datetime(2025, 9, 1, 6, 5, tzinfo=UTC),
            *("1 Sept 2025, 08:05", "1 sept 2025, 08:05", "1. Sept. 2025, 08:05"),
        ),
        # Past midnight in Madrid, though not in UTC.
        (
            datetime(2026, 11, 15, 23, 30, tzinfo=UTC),
            *("00:30", "00:30", "00:30"),
        ),
    ],
)
def test_an_instant_is_shown_in_the_time_of_the_plant(
    at: datetime, en: str, es: str, de: str
) -> None:
    assert formats.time(at, "en", NOW) == en
    assert formats.time(at, "es", NOW) == es
    assert formats.time(at, "de", NOW) == de


@pytest.mark.parametrize(
    ("seconds", "en", "es", "de"),
    [
        (0, "just now", "ahora mismo", "gerade eben"),
        (-59, "just now", "ahora mismo", "gerade eben"),
        (20, "in a moment", "en un momento", "gleich"),
        (-61, "1 min. ago", "hace 1 min", "vor 1 Min."),
        (720, "in 12 min.", "dentro de 12 min", "in 12 Min."),
        (-7300, "2 hr. ago", "hace 2 h", "vor 2 Std."),
        (-86_400, "1 day ago", "hace 1 día", "vor 1 Tag"),
        (-3 * 86_400, "3 days ago", "hace 3 días", "vor 3 Tagen"),
    ],
)
def test_an_age_is_told_in_its_largest_unit(
    seconds: int, en: str, es: str, de: str
) -> None:
    at = NOW + timedelta(seconds=seconds)
    assert formats.ago(at, "en", NOW) == en
    assert formats.ago(at, "es", NOW) == es
    assert formats.ago(at, "de", NOW) == de


def test_an_age_carries_its_instant_for_the_browser() -> None:
    tag = formats.ago_tag(NOW - timedelta(minutes=3), "en", NOW)
    assert tag == (
        '<time datetime="2026-11-16T11:57:00Z" title="12:57" data-ago>3 min. ago</time>'
    )
    assert formats.time_tag(NOW, "de", NOW) == (
        '<time datetime="2026-11-16T12:00:00Z">13:00</time>'
    )
    assert formats.ago_tag(None, "en", NOW) == "–"


def test_pages_have_the_formats_as_filters(client: FlaskClient) -> None:
    template = "{{ 12.5|kg }} {{ 2.25|number(1) }} {{ none|time }} {{ none|ago }}"
    page = client.get(
        "/say",
        query_string={"template": template, "role": "worker", "language": "de"},
    )
    assert page.text == "12,5\N{NO-BREAK SPACE}kg 2,2 – –"


def test_a_constant_is_written_anew_for_each_reader(client: FlaskClient) -> None:
    """The template is compiled once, and its constants with it."""
    weights = {
        language: client.get(f"/design?role=admin&language={language}").text
        for language in ("de", "en")
    }
    assert "12,5\N{NO-BREAK SPACE}kg" in weights["de"]
    assert "12.5\N{NO-BREAK SPACE}kg" in weights["en"]
    assert "12,5" not in weights["en"]
