"""Weighs on a scale at a serial line, which answers ``S`` with a stable weight."""

import os
import re
import select
import termios
import time
import tty

from mpms.plugins import Job, NotYet, Plugin, Topic

ANSWER_WITHIN_S = 2.0
WEIGHT = re.compile(rb"S (?P<state>[SD]) +(?P<kg>-?[\d.]+) kg\r\n")


def weigh(job: Job) -> dict[str, float] | NotYet:
    """Look again later while the load still swings."""
    line = _ask(os.environ["SCALE_DEVICE"])
    found = WEIGHT.fullmatch(line)
    if found is None:
        raise ValueError(f"the scale said {line!r}")
    if found["state"] == b"D":
        return NotYet(1.0, "the load swings")
    return {"weight_kg": float(found["kg"])}


def _ask(device: str) -> bytes:
    port = os.open(device, os.O_RDWR | os.O_NOCTTY)
    try:
        tty.setraw(port)
        settings = termios.tcgetattr(port)
        settings[4] = settings[5] = termios.B9600
        termios.tcsetattr(port, termios.TCSANOW, settings)
        os.write(port, b"S\r\n")
        return _line(port)
    finally:
        os.close(port)


def _line(port: int) -> bytes:
    line, give_up_at = b"", time.monotonic() + ANSWER_WITHIN_S
    while not line.endswith(b"\n"):
        left_s = give_up_at - time.monotonic()
        if left_s <= 0 or not select.select([port], [], [], left_s)[0]:
            raise TimeoutError(
                f"the scale does not answer within {ANSWER_WITHIN_S:g} s"
            )
        line += os.read(port, 100)
    return line


plugin = Plugin("serial_scale", topics={"serial.weigh": Topic(weigh, limit_s=10.0)})
