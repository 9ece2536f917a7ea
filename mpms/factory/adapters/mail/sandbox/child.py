"""The process that reads strangers' bytes: it may use little and can harm nothing.

Started by ``sandbox``; speaks frames on its standard input and output.
"""

from __future__ import annotations

import json
import sys

from mpms.adapters.walled_child.inside import (
    answer,
    limit_cpu,
    pipes,
    read_frame,
    wall_in,
)
from mpms.factory.adapters.mail.sandbox.wire import encode_outcome, encode_text
from mpms.factory.adapters.mail.sandbox.workbook import read_workbook
from mpms.factory.domain.order_mail import Catalogue, Senders
from mpms.factory.domain.order_mail.reading import read_undecided
from mpms.factory.domain.order_mail.showing import read_text


def main() -> None:
    questions, answers = pipes()
    settings = json.loads(read_frame(questions) or b"{}")
    catalogue = Catalogue.from_json(settings["catalogue"])
    senders = Senders.from_json(settings["senders"])
    wall_in(settings["memory_bytes"])
    answer(answers, b"ready")
    while (question := read_frame(questions)) is not None:
        raw = read_frame(questions)
        if raw is None:
            return
        limit_cpu(settings["cpu_s"])
        asked = json.loads(question)
        if asked.get("show"):
            answer(answers, encode_text(read_text(raw)))
            continue
        outcome = read_undecided(
            raw,
            catalogue,
            senders,
            proven_domains=asked["proven_domains"],
            size=asked["size"],
            read_workbook=read_workbook,
        )
        answer(answers, encode_outcome(outcome))


if __name__ == "__main__":
    main()
    sys.exit(0)
