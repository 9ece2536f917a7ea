"""The past of an instance as the script that plays it wants it: short and in order."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mpms.factory.services.robots.replay import Replay
from mpms.services.instances.page import name_in
from mpms.services.instances.tabs import HistoryPage
from mpms.web.labels.instances import line_words


def as_json(replay: Replay, model: str, now: datetime) -> dict[str, Any]:
    """Times are milliseconds since the instance began."""
    instance, began_at = replay.instance, replay.instance.started_at

    def ms(at: datetime) -> int:
        return max(0, round((at - began_at).total_seconds() * 1000))

    ended_at = instance.ended_at or now
    page = HistoryPage(tuple(replay.told), replay.elements, None)
    names = {line.element for line in replay.moves if line.element}
    return {
        "model": model,
        "instance": instance.id,
        "order": instance.business_key,
        "began_at": began_at.isoformat(),
        "length_ms": max(1, ms(ended_at)),
        "ended": instance.status.ended,
        "cut": replay.cut,
        "names": {each: name_in(replay.elements, each) for each in sorted(names)},
        "moves": [
            [ms(line.at), line.kind, line.element, line.task_id, line.data.get("via")]
            for line in replay.moves
        ],
        "told": [[ms(line.at), line_words(page, line).text] for line in replay.told],
        "troubles": [
            [ms(i.opened_at), i.resolved_at and ms(i.resolved_at), i.element]
            for i in replay.incidents
            if i.element is not None
        ],
        "drives": [
            {
                "robot": drive.robot,
                "place": drive.place,
                "task": drive.task_id,
                "from": ms(drive.began_at),
                "to": None if drive.ended_at is None else ms(drive.ended_at),
                "guessed": drive.guessed,
            }
            for drive in replay.drives
        ],
        "tracks": {
            robot: [[ms(p.at), round(p.x_m, 2), round(p.y_m, 2)] for p in track]
            for robot, track in replay.tracks.items()
        },
    }
