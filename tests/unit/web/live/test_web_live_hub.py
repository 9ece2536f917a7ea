"""The hub between the history and the browsers, with a history in memory."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

from mpms.web.changes import hints
from mpms.web.changes.live import Live, TooManyStreams
from tests.support.live_history import Bell, Heard, History

SEED = 20260302
WAIT_S = 60.0


def test_a_new_stream_hears_its_position_and_then_what_happens(
    live: Live, history: History
) -> None:
    old = history.write("before")
    live.follow()
    stream = live.stream()
    page = Heard().take(stream.read(0))
    assert page.events == [("hello", {})]
    assert page.position == f"{old.transaction}-{old.line}"
    history.write("one", instance_id="7")
    history.write("two", instance_id="7")
    live.follow()
    page.take(stream.read(0))
    assert page.of("hint") == [{"tasks": ["one", "two"], "instances": ["MO-7"]}]
    assert page.position == live.position()


def test_reconnecting_gives_exactly_what_was_missed(
    live: Live, history: History
) -> None:
    live.follow()
    page = Heard().take(live.stream().read(0))
    for task in "abcdef":
        history.write(task)
        live.follow()
        if task == "c":
            page = Heard().take(live.stream().read(0))
    again = Heard().take(live.stream(page.position).read(0))
    assert again.tasks() == ["d", "e", "f"]
    assert Heard().take(live.stream(again.position).read(0)).events == [("hello", {})]


def test_a_restarted_server_knows_what_browsers_missed(
    live: Live, history: History, bell: Bell
) -> None:
    history.write("a")
    live.follow()
    position = live.position()
    history.write("b")
    history.write("c")
    restarted = Live(history, bell, keep=100)
    restarted.follow()
    assert Heard().take(restarted.stream(position).read(0)).tasks() == ["b", "c"]


@pytest.mark.parametrize("position", ["nonsense", "9999-1", "-1-1", "1-", "1" * 40])
def test_a_position_that_cannot_be_resumed_means_reset(
    live: Live, history: History, position: str
) -> None:
    history.write("a")
    live.follow()
    page = Heard().take(live.stream(position).read(0))
    assert page.of("reset") == [{}]
    assert page.position == live.position()


def test_what_is_no_longer_kept_means_reset(history: History, bell: Bell) -> None:
    live = Live(history, bell, keep=10)
    live.follow()
    first = history.write("first")
    live.follow()
    position = f"{first.transaction}-{first.line}"
    for number in range(10):
        history.write(str(number))
    live.follow()
    assert len(Heard().take(live.stream(position).read(0)).tasks()) == 10
    history.write("one more")
    live.follow()
    assert Heard().take(live.stream(position).read(0)).of("reset") == [{}]
    assert Heard().take(Live(history, bell, keep=10).stream("1-1").read(0)).events == []


def test_a_browser_that_falls_behind_is_told_to_begin_anew(
    history: History, bell: Bell
) -> None:
    live = Live(history, bell, keep=10)
    live.follow()
    slow, quick = live.stream(), live.stream()
    pages = {slow: Heard(), quick: Heard()}
    pages[slow].take(slow.read(0))
    for number in range(30):
        history.write(str(number))
        live.follow()
        pages[quick].take(quick.read(0))
    pages[slow].take(slow.read(0))
    assert pages[slow].of("reset") == [{}]
    assert pages[quick].of("reset") == []
    assert len(pages[quick].tasks()) == 30
    history.write("after")
    live.follow()
    assert pages[slow].take(slow.read(0)).tasks() == ["after"]


def test_a_long_transaction_delays_no_hint_and_loses_none(
    live: Live, history: History
) -> None:
    live.follow()
    page = Heard()
    stream = live.stream()
    page.take(stream.read(0))
    before = page.position
    long = history.begin()
    late = history.append(long, task_id="late")
    history.write("early")
    live.follow()
    page.take(stream.read(0))
    assert page.tasks() == ["early"]
    assert page.position == before  # not past what is still to come
    assert live.follow() is False
    history.commit(long)
    live.follow()
    page.take(stream.read(0))
    assert page.tasks() == ["early", "late"]
    assert page.position == live.position() != before
    assert late.transaction < int(live.position().split("-")[0])


def test_what_was_told_early_is_told_to_those_who_come_later(
    live: Live, history: History
) -> None:
    live.follow()
    position = live.position()
    long = history.begin()
    history.append(long, task_id="late")
    history.write("early")
    live.follow()
    while_it_runs = Heard().take(live.stream(position).read(0))
    assert while_it_runs.tasks() == ["early"]
    history.commit(long)
    live.follow()
    afterwards = Heard().take(live.stream(position).read(0))
    assert sorted(afterwards.tasks()) == ["early", "late"]


def test_a_transaction_that_commits_late_is_not_skipped(
    live: Live, history: History
) -> None:
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    live.follow()
    stream, page = live.stream(), Heard()
    page.take(stream.read(0))
    running: list[int] = []
    written = 0
    for _ in range(400):
        if running and rng.random() < 0.5:
            history.commit(running.pop(rng.randrange(len(running))))
        else:
            running.append(history.begin())
            history.append(running[-1], task_id=f"t{written}")
            written += 1
        if rng.random() < 0.3:
            live.follow()
            page.take(stream.read(0))
    for transaction in running:
        history.commit(transaction)
    live.follow()
    page.take(stream.read(0))
    assert page.of("reset") == []
    assert sorted(page.tasks()) == sorted(f"t{n}" for n in range(written))


def test_ten_thousand_hints_reach_fifty_browsers_of_any_speed(
    history: History, bell: Bell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each hint arrives, or a reset whose position lies behind it."""
    print(f"seed {SEED}")
    monkeypatch.setattr(hints, "MOST_IDS", 1_000_000)
    live = Live(history, bell, keep=2000, gap_s=0.0, poll_s=60.0)
    live.start()
    total, browsers = 10_000, 50
    faults: list[str] = []
    resets = [0] * browsers

    def browse(number: int) -> None:
        rng = random.Random(SEED + number)
        pause, page = threading.Event(), Heard()
        stream = live.stream("0-0")
        seen: set[str] = set()
        covered = 0  # lines up to here need not be seen
        while "end" not in seen and covered <= total:
            if rng.random() < 0.02:  # bad Wi-Fi
                stream.close()
                stream = live.stream(page.position)
            page.events.clear()
            page.take(stream.read(1.0))
            seen.update(page.tasks())
            if page.of("reset"):
                resets[number] += 1
                assert page.position is not None
                covered = int(page.position.split("-")[1])
            if rng.random() < 0.2:
                pause.wait(rng.random() * 0.02 * (number % 5))
        missing = [n for n in range(covered, total) if str(n) not in seen]
        if missing:
            faults.append(f"browser {number} misses {missing[:5]}")
        stream.close()

    threads = [threading.Thread(target=browse, args=(n,)) for n in range(browsers)]
    for thread in threads:
        thread.start()
    rng = random.Random(SEED)
    for number in range(total):
        history.write(str(number))
        if rng.random() < 0.05:
            bell.wake()
    history.write("end")
    bell.wake()
    for thread in threads:
        thread.join(WAIT_S)
    assert not any(thread.is_alive() for thread in threads)
    live.close()
    print(f"resets {sum(resets)}")
    assert faults == []
    assert live.open_streams == 0


def test_streams_stay_open_while_the_database_is_away(
    history: History, bell: Bell
) -> None:
    live = Live(history, bell, poll_s=0.01)
    live.start()
    try:
        stream, page = live.stream(), Heard()
        while not page.of("hello"):
            page.take(stream.read(WAIT_S))
        history.away = True
        bell.wake()
        while page.of("link") != ["database away"]:
            page.take(stream.read(WAIT_S))
        late = Heard().take(live.stream().read(0))
        assert ("link", "database away") in late.events
        history.write("meanwhile")
        history.away = False
        while not page.tasks():
            page.take(stream.read(WAIT_S))
        assert page.of("link") == ["database away", "database back"]
    finally:
        live.close()


def test_a_server_that_starts_without_its_database_resumes_all_the_same(
    history: History, bell: Bell
) -> None:
    first = history.write("a")
    history.write("b")
    live = Live(history, bell, keep=100)
    resumed, fresh = live.stream(f"{first.transaction}-{first.line}"), live.stream()
    assert resumed.read(0) == b""
    live.follow()
    assert Heard().take(resumed.read(0)).tasks() == ["b"]
    assert Heard().take(fresh.read(0)).tasks() == ["a", "b"]


def test_one_look_serves_any_number_of_browsers(live: Live, history: History) -> None:
    live.follow()
    streams = [live.stream() for _ in range(50)]
    asked = history.asked
    history.write("a", instance_id="1")
    history.write("b", instance_id="2")
    live.follow()
    history.write("c", instance_id="1")
    live.follow()
    for stream in streams:
        assert b'"tasks": ["a", "b", "c"]' in (stream.read(0) or b"")
    assert history.asked == asked + 2
    assert history.looked_up == [{"1", "2"}]


def test_a_page_has_one_stream(live: Live) -> None:
    live.follow()
    first = live.stream(key="7/tab")
    second = live.stream(key="7/tab")
    other = live.stream(key="8/tab")
    assert first.read(0) is None
    assert second.read(0) is not None
    assert other.read(0) is not None
    assert live.open_streams == 2


def test_streams_never_take_the_last_threads(history: History, bell: Bell) -> None:
    live = Live(history, bell, most_streams=3)
    streams = [live.stream() for _ in range(3)]
    with pytest.raises(TooManyStreams):
        live.stream()
    streams[0].close()
    live.stream()


def test_closing_ends_streams_that_wait(live: Live) -> None:
    live.follow()
    stream = live.stream()
    stream.read(0)
    ended: list[bytes | None] = []
    thread = threading.Thread(target=lambda: ended.append(stream.read(WAIT_S)))
    thread.start()
    live.close()
    thread.join(WAIT_S)
    assert ended == [None]
    assert live.stream().read(0) is None


def test_the_floor_is_made_once_for_all_who_watch(history: History, bell: Bell) -> None:
    made = [0]

    def frame() -> dict[str, Any]:
        made[0] += 1
        return {"number": made[0]}

    live = Live(history, bell, frame=frame, frame_s=0.001)
    live.follow()
    assert made == [0]
    watching = [live.stream(floor=True) for _ in range(5)]
    other, pages = live.stream(), [Heard() for _ in watching]
    while made[0] < 20:
        pages[0].take(watching[0].read(WAIT_S))
    for stream, page in zip(watching[1:], pages[1:], strict=True):
        page.take(stream.read(WAIT_S))
        assert len(page.of("floor")) == 1  # the newest only
    assert Heard().take(other.read(0)).of("floor") == []
    for stream in watching:
        stream.close()
    for _ in range(2000):
        if not any(t.name == "live floor" for t in threading.enumerate()):
            break
        threading.Event().wait(0.01)
    shown = made[0]
    assert live.open_streams == 1
    threading.Event().wait(0.02)
    assert made[0] == shown
    again = live.stream(floor=True)
    while made[0] == shown:
        again.read(WAIT_S)
    live.close()


def test_a_floor_that_fails_ends_no_stream(history: History, bell: Bell) -> None:
    tries = [0]

    def frame() -> dict[str, Any] | None:
        tries[0] += 1
        if tries[0] == 1:
            raise RuntimeError("no robots")
        return None if tries[0] == 2 else {"robots": []}

    live = Live(history, bell, frame=frame, frame_s=0.001)
    live.follow()
    stream, page = live.stream(floor=True), Heard()
    while not page.of("floor"):
        page.take(stream.read(WAIT_S))
    live.close()
