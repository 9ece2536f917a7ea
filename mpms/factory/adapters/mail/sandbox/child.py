"""The process that reads strangers' bytes: it may use little and can harm nothing.

Started by ``sandbox``; speaks frames on its standard input and output.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import time
from typing import BinaryIO

from mpms.factory.adapters.mail.sandbox.wire import (
    FRAME_HEAD_BYTES,
    encode_outcome,
    encode_text,
    frame_head,
)
from mpms.factory.adapters.mail.sandbox.workbook import read_workbook
from mpms.factory.domain.order_mail import Catalogue, Senders
from mpms.factory.domain.order_mail.reading import read_undecided
from mpms.factory.domain.order_mail.showing import read_text


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to end
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    settings = json.loads(_read_frame(questions) or b"{}")
    catalogue = Catalogue.from_json(settings["catalogue"])
    senders = Senders.from_json(settings["senders"])
    _limit(resource.RLIMIT_AS, settings["memory_bytes"])
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _answer(answers, b"ready")
    while (question := _read_frame(questions)) is not None:
        raw = _read_frame(questions)
        if raw is None:
            return
        _limit_cpu(settings["cpu_s"])
        asked = json.loads(question)
        if asked.get("show"):
            _answer(answers, encode_text(read_text(raw)))
            continue
        outcome = read_undecided(
            raw,
            catalogue,
            senders,
            proven_domains=asked["proven_domains"],
            size=asked["size"],
            read_workbook=read_workbook,
        )
        _answer(answers, encode_outcome(outcome))


def _limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))


def _limit_cpu(cpu_s: float) -> None:
    """Give this message its own seconds, on top of what earlier ones used."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    allowed = math.ceil(time.process_time() + cpu_s)
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))


def _read_frame(questions: BinaryIO) -> bytes | None:
    head = questions.read(FRAME_HEAD_BYTES)
    if len(head) < FRAME_HEAD_BYTES:
        return None
    length = int.from_bytes(head, "big")
    content = questions.read(length)
    return content if len(content) == length else None


def _answer(answers: BinaryIO, content: bytes) -> None:
    answers.write(frame_head(len(content)) + content)
    answers.flush()


if __name__ == "__main__":
    main()
    sys.exit(0)
