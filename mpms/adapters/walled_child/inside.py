"""What a child does about itself: limits, and frames on its own pipes."""

from __future__ import annotations

import math
import os
import resource
import signal
import time
from typing import BinaryIO

from mpms.adapters.walled_child import FRAME_HEAD_BYTES, frame_head


def pipes() -> tuple[BinaryIO, BinaryIO]:
    """Questions and answers; whatever prints from now on prints into nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to end
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    return questions, answers


def wall_in(memory_bytes: int) -> None:
    """No more memory than this, no file and no core of this process from now on."""
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)


def _limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))


def limit_cpu(cpu_s: float) -> None:
    """Give this question its own seconds, on top of what earlier ones used."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    allowed = math.ceil(time.process_time() + cpu_s)
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, hard))


def read_frame(questions: BinaryIO) -> bytes | None:
    head = questions.read(FRAME_HEAD_BYTES)
    if len(head) < FRAME_HEAD_BYTES:
        return None
    length = int.from_bytes(head, "big")
    content = questions.read(length)
    return content if len(content) == length else None


def answer(answers: BinaryIO, content: bytes) -> None:
    answers.write(frame_head(len(content)) + content)
    answers.flush()
