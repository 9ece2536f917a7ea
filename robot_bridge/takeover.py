"""When a goal whose fate is unknown may be sent again without being driven twice.

A goal may have been sent by a process that was killed, or by ourselves just before
the link broke. Nobody can ask what became of that copy: publishing has no answer.
What is known about an action server of ROS 1:

1. A goal id is ignored while a goal of that id is listed in ``/status``. It is
   listed from its arrival until ``memory_s`` (5 s) after its end. Later the same
   id *runs again*.
2. A cancel with a stamp recalls every goal with an earlier or equal stamp, also
   those that arrive later: such a goal is listed as recalled and never starts.
3. A cancel with an unknown id is itself listed under that id (as "recalling")
   for ``memory_s``.

So a status message without the id proves little. It may have been produced before
the goal reached the robot: the copy of a dead process can sit in socket buffers
for minutes and arrive after everything else. And it may have been produced after
the goal was driven and forgotten. Re-sending blindly is harmless only if our copy
arrives inside the memory of the first, which nobody can promise, since our own
copy may be delayed too.

Therefore a *fence* comes first: one cancel that carries a fresh sentinel as its id
and the present time as its stamp. Let ``T`` be the instant before which no live
copy was sent. Take the first status message that lists the sentinel, and let it be
received before ``T + memory_s``:

- the sentinel is listed, so the fence stood when the message was produced; any
  copy that arrives from then on is recalled and never starts (2, 3);
- any copy that arrived before the message arrived after ``T``, so it would still be
  listed, however short its drive was (1).

If the id is absent from that message, no copy has ever started and none ever will.
This proof does not age. Only then is the goal sent again, with a stamp after the
fence, and that copy is the only live one: at most one start, whatever is delayed.
The proof needs no knowledge of how long frames travel, and it holds even between
two processes that both believe they own the robot: the fence of the later one
recalls the older copies of the other.

If the message comes too late, or the sentinel never shows up, nothing is proved:
the pose may still show that the robot stands at the goal (arrived, inferred);
otherwise the command is UNKNOWN and held for the operator. The fence stays useful
even then, because a late copy cannot take the robot away from its next goal.

``memory_margin_s`` covers the difference between the clocks of the machines that
may take over from each other and the robot's own granularity. An instant ``T`` in
our future means that the clocks disagree: nothing is provable. A restarted action
server forgets goals and fences; a goal that it had started is then over as well.

A robot without a list of goals (a goal topic, or ROS 2 through rosbridge) has no
such proof. What may have been sent to it is never sent again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from robot_bridge.profiles import Limits

REPEAT_S = 0.5
CLOCK_SLACK_S = 1.0
"""A fence reaches this far into the future, over other machines' clocks."""


@dataclass(slots=True)
class Fence:
    sentinel: str
    stamp_s: float
    raised_at: float
    published_at: float | None = None

    def due(self, now_s: float) -> bool:
        return self.published_at is None or now_s - self.published_at >= REPEAT_S


class FenceLine:
    """Makes fences and the stamps of goals, so that goals stay above fences."""

    def __init__(self, robot_id: str) -> None:
        self._robot_id = robot_id
        self._floor_s = -math.inf
        self._count = 0
        self.offset_s = 0.0
        """Of the robot's clock from ours. Others who give it goals or call them back
        stamp by its clock, so a stamp of ours would reach theirs by the difference."""

    def raise_fence(self, now_s: float) -> Fence:
        self._count += 1
        stamp_s = max(now_s + self.offset_s + CLOCK_SLACK_S, self._floor_s + 0.001)
        self._floor_s = stamp_s
        sentinel = f"fence/{self._robot_id}/{now_s:.6f}/{self._count}"
        return Fence(sentinel, stamp_s, now_s)

    def goal_stamp(self, now_s: float) -> float:
        return max(now_s + self.offset_s, self._floor_s + 0.001)


def provable_until(earliest_send_at: float, now_s: float, limits: Limits) -> float:
    """The last instant at which absence from the status list proves anything."""
    if earliest_send_at > now_s:
        return -math.inf
    return earliest_send_at + limits.memory_s - limits.memory_margin_s
