"""The plans of robots as plain data and back."""

from __future__ import annotations

from typing import Any

from fleet.traffic.plans import Body, PlannedStep
from fleet.traffic.tracks import Tracks


def body_to_dict(body: Body) -> dict[str, Any]:
    return {
        "robot": body.robot,
        "type": body.tracks.robot.id,
        "pose": [body.x_m, body.y_m, body.yaw],
        "node": body.node,
        "came": None if body.came is None else body.came.number,
        "plan": [
            [s.id, s.move.number, s.takes_s, s.start_at, s.end_at, sorted(s.after)]
            for s in body.plan
        ],
        "counts": [body.done, body.granted, body.sent],
        "goal": body.goal,
        "frozen": body.frozen,
        "failed_since": body.failed_since,
        "retry_at": body.retry_at,
        "told_at": body.told_at,
    }


def body_from_dict(data: dict[str, Any], tracks: Tracks) -> Body:
    x_m, y_m, yaw = data["pose"]
    came = None if data["came"] is None else tracks.moves[data["came"]]
    done, granted, sent = data["counts"]
    return Body(
        robot=data["robot"],
        tracks=tracks,
        x_m=x_m,
        y_m=y_m,
        node=data["node"],
        yaw=yaw,
        came=came,
        plan=[
            PlannedStep(id_, tracks.moves[move], takes_s, start_at, end_at, set(after))
            for id_, move, takes_s, start_at, end_at, after in data["plan"]
        ],
        done=done,
        granted=granted,
        sent=sent,
        goal=data["goal"],
        frozen=data["frozen"],
        failed_since=data["failed_since"],
        retry_at=data["retry_at"],
        told_at=data["told_at"],
    )
