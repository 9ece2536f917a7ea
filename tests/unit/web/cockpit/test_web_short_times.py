"""Times that are short still differ from each other in words."""

from __future__ import annotations

import pytest

from mpms.web.labels.durations import duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "–"),
        (0, "0 s"),
        (0.00001, "0 s"),
        (0.0004, "0.4 ms"),
        (0.0042, "4.2 ms"),
        (0.25, "250 ms"),
        (1.0, "1 s"),
        (2.44, "2.4 s"),
        (12.4, "12 s"),
        (59.4, "59 s"),
        (61, "1 min"),
        (3_700, "1 h 1 min"),
        (100_000, "1 d 3 h"),
    ],
)
def test_a_duration_in_words(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize("most_s", [0.005, 0.4, 1.9, 8.0, 55.0])
def test_the_levels_of_a_heat_map_are_told_apart(most_s: float) -> None:
    levels = [most_s * (n / 5) ** 2 for n in range(5)]
    told = [duration(level) for level in levels]
    assert len(set(told)) == len(told)
