"""Few messages that say everything, in the reader's language."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mpms.domain.alerts.rules import AlertRules, AlertWish, Digest, ToldCause, is_time
from mpms.domain.alerts.texts import MOST_LISTED, write_alert

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
RULES = AlertRules(gather_s=5, apart_s=300)


def told(number: int = 1, *, ago_s: float = 60.0, incidents: int = 3) -> ToldCause:
    first_at = NOW - timedelta(seconds=ago_s)
    return ToldCause(f"c{number}", f"trouble {number}", incidents, ("p",), first_at)


def test_what_has_just_opened_waits_for_what_it_brings() -> None:
    assert not is_time([told(ago_s=1)], [], last_at=None, now=NOW, rules=RULES)
    assert is_time([told(ago_s=6)], [], last_at=None, now=NOW, rules=RULES)
    both = [told(ago_s=1), told(2, ago_s=6)]
    assert is_time(both, [], last_at=None, now=NOW, rules=RULES)


def test_nobody_gets_messages_at_short_intervals() -> None:
    lately, long_ago = NOW - timedelta(seconds=299), NOW - timedelta(seconds=300)
    assert not is_time([told()], [], last_at=lately, now=NOW, rules=RULES)
    assert not is_time([], [told()], last_at=lately, now=NOW, rules=RULES)
    assert is_time([told()], [], last_at=long_ago, now=NOW, rules=RULES)


def test_nothing_to_tell_is_not_told() -> None:
    assert not is_time([], [], last_at=None, now=NOW, rules=RULES)
    assert not Digest()


def test_a_wish_for_some_processes_covers_what_touches_one_of_them() -> None:
    wish = AlertWish(processes=("a", ""))
    assert wish.covers(["a", "b"])
    assert wish.covers([""])
    assert not wish.covers(["b"])
    assert not AlertWish(processes=()).covers(["a"])
    assert AlertWish().covers(["anything"])


def test_one_cause_is_named_and_linked() -> None:
    alert = write_alert(
        Digest((told(),)), "en", site_url="https://x.example", names={"p": "Paint"}
    )
    assert alert.subject == "Incident: trouble 1"
    assert "3 incidents, in Paint" in alert.body
    assert "https://x.example/incidents/c1" in alert.body
    assert alert.path == "/incidents/c1"


@pytest.mark.parametrize(
    ("language", "subject"),
    [
        ("en", "50 causes of incidents (150 incidents)"),
        ("de", "50 Ursachen von Störungen (150 Störungen)"),
        ("es", "50 causas de incidencias (150 incidencias)"),
        ("xx", "50 causes of incidents (150 incidents)"),
    ],
)
def test_many_causes_are_one_message(language: str, subject: str) -> None:
    many = tuple(told(number) for number in range(50))
    alert = write_alert(Digest(many), language, site_url="https://x", names={})
    assert alert.subject == subject
    assert alert.body.count("https://x/incidents/c") == MOST_LISTED
    assert "30" in alert.body
    assert alert.path == "/incidents"
    assert len(alert.notice) <= 300


def test_good_news_and_bad_news_share_a_message() -> None:
    alert = write_alert(
        Digest((told(1),), (told(2),)), "en", site_url="https://x", names={}
    )
    assert alert.subject == "Incident: trouble 1"
    assert "Nothing is open any more of:" in alert.body
    assert "trouble 2" in alert.body


def test_a_message_of_many_lines_stays_one_line_of_a_mail() -> None:
    wild = ToldCause("c1", "a\r\nBcc: all\x00 b", 1, ("",), NOW)
    alert = write_alert(Digest((wild,)), "en", site_url="https://x", names={})
    assert alert.subject == "Incident: a Bcc: all b"
    assert "1 incident, outside the processes" in alert.body
