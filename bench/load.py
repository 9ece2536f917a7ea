"""What one machine holds: orders, users, memory, and people who send slowly.

    python bench/load.py [--minutes 1] [--confirm-minutes 3] [--users 40] [--speed 7]
        [--rates 600 1200 2400] [--user-steps 80 160] [--slow 1000] [--streams 1000]

Needs no set-up: it starts PostgreSQL (fsync on), ``mpms work``, ``mpms serve`` and the
simulator, whose three robots drive ``--speed`` times as fast as in a plant. Orders of
one material are placed at a rate; users hold a live stream, look at ``/tasks`` every
3 s, open a task and answer it. A step is held when the 95th percentile of ``/tasks``
stays below 200 ms, nothing fails, and orders end as quickly as they come (those of
the last 20 s and one a robot may be on their way).

``orders_per_h_held``: the largest of the rates that 40 users held; the largest is then
held for ``--confirm-minutes`` (10 for the figure of a release), which gives ``p95_ms``
and ``rss_growth_mb_per_h``, the largest slope of worker, web and simulator.
``users_held``: the most users at 600 orders per hour. ``slow_senders_p95_ratio``: the
95th percentile of ``/tasks`` for one user beside ``--slow`` requests that never end and
``--streams`` idle streams, divided by the one without;
it counts as asked for only if ``slow_connections_held`` is the sum of both.
The last line is one JSON object; the figures want a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from load_parts.people import (  # noqa: E402
    COOKIE,
    Person,
    Sockets,
    connection,
    idle_stream,
    p95,
    slow_sender,
)
from load_parts.plant import LoadedPlant, running  # noqa: E402

BAR_MS = 200.0
USERS_RATE = 600
ROBOTS = 3
BACKLOG_S = 20.0  # of orders that may be on their way, beside one a robot
REQUESTS = 200
WARM_UP_S = 20.0


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@dataclass
class Step:
    """What came of one rate with so many users."""

    rate: int
    p95_ms: float
    placed: int
    done: int
    faults: list[str]
    rss: list[tuple[float, dict[str, float]]]  # when, and what each process weighs

    @property
    def held(self) -> bool:
        kept_up = self.placed - self.done <= self.rate * BACKLOG_S / 3600 + ROBOTS
        return self.p95_ms < BAR_MS and kept_up and not self.faults

    def growth_mb_per_h(self) -> float:
        """The steepest line through what the processes weighed, after warming up."""
        begun = self.rss[0][0]
        late = [(at, mb) for at, mb in self.rss if at - begun >= WARM_UP_S]
        late = late if len(late) > 2 else self.rss
        return max(
            slope([(at / 3600, mb[name]) for at, mb in late]) for name in late[0][1]
        )


def slope(points: list[tuple[float, float]]) -> float:
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread


def run_step(plant: LoadedPlant, *, rate: int, users: int, minutes: float) -> Step:
    """Place orders at a rate while so many people work."""
    say(f"{rate} orders per hour, {users} users, {minutes:g} min")
    tokens = plant.people(users)
    ends_at = time.monotonic() + minutes * 60
    streams = Sockets(plant.address, [idle_stream(t, 0) for t in tokens])
    streams.begin()
    people = [
        Person(plant.address, token, number, ends_at)
        for number, token in enumerate(tokens)
    ]
    done_before = plant.orders().get("done", 0)
    for person in people:
        person.start()
    begun, placed, told_at = time.monotonic(), 0, 0.0
    rss = []
    while (now := time.monotonic()) < ends_at:
        while placed < (now - begun) * rate / 3600:
            plant.place_order()
            placed += 1
        rss.append((now, plant.rss_mb()))
        if now - told_at >= 15:
            told_at = now
            looks = [ms for person in people for ms in person.looks_ms]
            weigh = ", ".join(f"{n} {mb:.0f} MB" for n, mb in rss[-1][1].items())
            done = plant.orders().get("done", 0) - done_before
            say(
                f"  {now - begun:4.0f} s: {placed} placed, {done} done,"
                f" p95 {p95(looks):.0f} ms, {weigh}"
            )
        time.sleep(0.5)
    for person in people:
        person.join()
    streams.stop.set()
    streams.join()
    step = Step(
        rate,
        round(p95([ms for person in people for ms in person.looks_ms]), 1),
        placed,
        plant.orders().get("done", 0) - done_before,
        [fault for person in people for fault in person.faults],
        rss,
    )
    if streams.refused:
        step.faults.append(f"{streams.refused} streams were refused")
    for fault in step.faults[:3]:
        say(f"  fault: {fault}")
    say(
        f"  {'held' if step.held else 'not held'}: p95 {step.p95_ms} ms,"
        f" {step.done} of {step.placed} done, {len(step.faults)} faults"
    )
    drain(plant)
    return step


def drain(plant: LoadedPlant) -> None:
    """Let people finish what is open, so that a step begins with nothing."""
    give_up_at = time.monotonic() + 60
    while plant.orders().get("in process", 0) + plant.orders().get("new", 0):
        if time.monotonic() > give_up_at:
            say(f"  left over: {plant.orders()}")
            return
        ends_at = time.monotonic() + 5
        people = [
            Person(plant.address, token, n, ends_at)
            for n, token in enumerate(plant.people(10))
        ]
        for person in people:
            person.start()
        for person in people:
            person.join()


def held_rate(
    plant: LoadedPlant, rates: list[int], users: int, minutes: float
) -> tuple[int, Step | None]:
    best: tuple[int, Step | None] = (0, None)
    for rate in sorted(rates):
        step = run_step(plant, rate=rate, users=users, minutes=minutes)
        if not step.held:
            return best if best[1] is not None else (0, step)
        best = (rate, step)
    return best


def held_users(plant: LoadedPlant, steps: list[int], held: int, minutes: float) -> int:
    for users in sorted(steps):
        step = run_step(plant, rate=USERS_RATE, users=users, minutes=minutes)
        if not step.held:
            return held
        held = users
    return held


def look(address: str, token: str) -> float:
    """The 95th percentile of a bounded number of looks at the list."""
    link = connection(urlsplit(address))
    took_ms = []
    for turn in range(REQUESTS + 20):
        begun = time.perf_counter()
        link.request("GET", "/tasks", headers={"Cookie": f"{COOKIE}={token}"})
        answer = link.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        if turn >= 20:
            took_ms.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.01)
    link.close()
    return p95(took_ms)


def slow_senders_ratio(
    plant: LoadedPlant, slow: int, streams: int
) -> tuple[float, int]:
    """How much slower the list is beside those who send nothing more; and how many of
    their connections were not refused."""
    (token,) = plant.people(1)
    owners = plant.people(max(1, streams // 5))
    alone = look(plant.address, token)
    openings = [slow_sender()] * slow
    openings += [idle_stream(owners[n % len(owners)], n) for n in range(streams)]
    sockets = Sockets(plant.address, openings)
    sockets.begin()
    try:
        beside = look(plant.address, token)
    finally:
        sockets.stop.set()
        sockets.join()
    say(
        f"/tasks: {alone:.1f} ms alone, {beside:.1f} ms beside {slow} slow senders and"
        f" {streams} streams; connections refused or answered 503 or 429:"
        f" {sockets.refused}, opened again: {sockets.reopened}"
    )
    return round(beside / alone, 2), slow + streams - sockets.refused


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="of each step")
    parser.add_argument("--confirm-minutes", type=float, default=3.0)
    parser.add_argument("--users", type=int, default=40)
    parser.add_argument("--speed", type=float, default=7.0)
    parser.add_argument("--rates", type=int, nargs="+", default=[600, 1200, 2400])
    parser.add_argument("--user-steps", type=int, nargs="*", default=[80, 160])
    parser.add_argument("--slow", type=int, default=1000)
    parser.add_argument("--streams", type=int, default=1000)
    given = parser.parse_args()
    files = given.slow + given.streams + 1024
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(files, most), most))
    directory = Path(tempfile.mkdtemp(prefix="mpms-bench-"))
    directory.chmod(0o711)
    try:
        with running(directory, given.speed) as plant:
            ratio, slow_held = slow_senders_ratio(plant, given.slow, given.streams)
            rate, step = held_rate(plant, given.rates, given.users, given.minutes)
            if rate and given.confirm_minutes > 0:
                say("the largest rate again, longer")
                step = run_step(
                    plant, rate=rate, users=given.users, minutes=given.confirm_minutes
                )
                rate = rate if step.held else 0
            users = held_users(
                plant, given.user_steps, given.users if rate else 0, given.minutes
            )
            assert step is not None
            figures = {
                "orders_per_h_held": rate,
                "users_held": users,
                "p95_ms": step.p95_ms,
                "rss_growth_mb_per_h": round(step.growth_mb_per_h(), 1),
                "slow_senders_p95_ratio": ratio,
                "slow_connections_held": slow_held,
            }
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
