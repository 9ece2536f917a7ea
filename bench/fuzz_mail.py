"""Damage the sample messages at random and read them: no fault, no slow message.

    python bench/fuzz_mail.py --seconds 600

Prints the seed, so that a finding can be repeated, and saves the message of a finding
beside the run. The last line is one JSON object; the exit code is 1 after a finding.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from mpms.factory.adapters.mail.sandbox.workbook import read_workbook
from mpms.factory.domain.order_mail import (
    CODES,
    Catalogue,
    Outcome,
    Senders,
    write_reply,
)
from mpms.factory.domain.order_mail.reading import read_unguarded

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
SLOW_S = 2.0
PIECES = [
    *(b"\0", b"\r", b"\n", b"\r\n\r\n", b"\xff\xfe", b"\xef\xbb\xbf", b"=00", b"=?"),
    *(b"=?utf-8?q?", b"?=", b'"', b"(", b"((((", b")", b"<", b">", b"<!--", b"<table>"),
    *(b"<td rowspan=9>", b"</table>", b"<blockquote>", b"<pre>", b"&#0;", b"&nbsp;"),
    *(b"From: a@b\r\n", b"Content-Type: text/html\r\n", b"--", b"--b--", b";", b":"),
    *(b"Materials:\r\n", b"-- \r\n", b"> ", b"wrote:\r\n", b"MO-2026-0999", b"RM-001"),
    *(b"1.250", b"-", b"\xe2\x88\x92", b" kg", b"1e999999", b"NaN", b"[[[[", b"{}"),
    *(b"---------- Forwarded message ---------\r\n", b"Recipe: Matt White\r\n"),
    *(b"Batch: 1 l\r\n", b"charset=utf-16", b"charset=idna", b"format=flowed"),
    *(b"\xc4\xb0", b"\xef\xb7\xba", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80"),
]


def damaged(samples: list[bytes], source: random.Random) -> bytes:
    """A sample with some of its bytes removed, repeated, replaced or mixed."""
    raw = source.choice(samples)
    for _ in range(source.randint(1, 8)):
        at, to = sorted(source.randrange(len(raw) + 1) for _ in range(2))
        short = min(to, at + source.randint(0, 60))
        match source.randrange(7):
            case 0:
                raw = raw[:at] + raw[short:]
            case 1:
                raw = raw[:at] + source.choice(PIECES) + raw[short:]
            case 2:
                raw = raw[:at] + source.choice(PIECES) + raw[at:]
            case 3:
                raw = raw[:at] + raw[at:short] * source.randint(2, 50) + raw[short:]
            case 4:
                raw = raw[:at] + source.randbytes(short - at) + raw[short:]
            case 5:
                other = source.choice(samples)
                raw = raw[:at] + other[source.randrange(len(other)) :]
            case 6:
                raw = raw[:at] + source.choice(PIECES) * source.randint(1, 3000)
        raw = raw[:200_000] or b"x"
    return raw


def check(outcome: Outcome) -> None:
    """What must hold for whatever was read."""
    assert set(outcome.codes) <= set(CODES), outcome.codes
    assert (outcome.outcome == "accepted") == (outcome.order is not None)
    if outcome.order is not None:
        assert outcome.trusted
        assert outcome.order.lines
        assert all(line.kg > 0 for line in outcome.order.lines)
    reply = write_reply(outcome)
    if reply is not None:
        (reply.subject + reply.body).encode()
        assert all(value.isprintable() for _, value in reply.headers)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--save", type=Path, default=Path("fuzz_findings"))
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    print(f"seed {arguments.seed}", flush=True)
    catalogue = Catalogue.from_json((DATA / "orders_more/catalogue.json").read_bytes())
    senders = Senders.from_json((DATA / "orders/senders.json").read_bytes())
    paths = [*DATA.glob("orders/*.eml"), *DATA.glob("orders_more/*.eml")]
    samples = [path.read_bytes() for path in sorted(paths)]
    outcomes: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    findings, slowest_s = 0, 0.0
    started = time.monotonic()
    while time.monotonic() - started < arguments.seconds:
        raw = damaged(samples, source)
        before = time.process_time()
        try:
            outcome = read_unguarded(
                raw, catalogue, senders, (), len(raw), read_workbook
            )
            check(outcome)
            outcomes[outcome.outcome] += 1
            codes.update(outcome.codes)
        except Exception:
            traceback.print_exc()
            findings += 1
            save(arguments.save, raw)
        took_s = time.process_time() - before
        if took_s > SLOW_S:
            print(f"slow: {took_s:.1f} s", flush=True)
            findings += 1
            save(arguments.save, raw)
        slowest_s = max(slowest_s, took_s)
    elapsed_s = time.monotonic() - started
    assert outcomes.total() > 0
    print(
        json.dumps(
            {
                "seed": arguments.seed,
                "seconds": round(elapsed_s, 1),
                "messages": outcomes.total(),
                "messages_per_s": round(outcomes.total() / elapsed_s, 1),
                **{
                    name: outcomes[name] for name in ("accepted", "rejected", "ignored")
                },
                "reasons_seen": len(codes),
                "slowest_s": round(slowest_s, 3),
                "findings": findings,
            }
        )
    )
    return 1 if findings else 0


def save(directory: Path, raw: bytes) -> None:
    directory.mkdir(exist_ok=True)
    (directory / f"{hashlib.sha256(raw).hexdigest()[:16]}.eml").write_bytes(raw)


if __name__ == "__main__":
    sys.exit(main())
