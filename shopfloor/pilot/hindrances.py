"""When it does not go on: wait, plan anew, make way, back off, and at last give up."""

from __future__ import annotations

import math

from shopfloor.control.commands import Cause, PilotStatus
from shopfloor.geometry import Pose
from shopfloor.local.paths import LocalPath, LocalStatus
from shopfloor.local.people import nearest_person
from shopfloor.pilot.getting_out import GettingOut
from shopfloor.pilot.guide import Guide
from shopfloor.pilot.making_way import MakingWay
from shopfloor.pilot.patience import Patience
from shopfloor.pilot.scene import Answer, Scene
from shopfloor.pilot.settings import PilotSettings


class Hindrances:
    def __init__(
        self,
        settings: PilotSettings,
        radius_m: float,
        guide: Guide,
        patience: Patience,
        way: MakingWay,
        out: GettingOut,
    ) -> None:
        self._settings = settings
        self._radius_m = radius_m
        self._guide = guide
        self._patience = patience
        self._way = way
        self._out = out

    def no_way(self, scene: Scene, goal: Pose, local: LocalPath) -> Answer:
        """There is no local path."""
        self._patience.excuse(scene.now_s)
        if local.status is LocalStatus.BLOCKED_BY_PERSON:
            return self.wait(scene, goal)
        blocked_s = self._patience.trouble_s(scene.now_s)
        if self._guide.failures >= self._settings.failures_to_replan:
            self._replan(scene, goal, with_people=False)
        if blocked_s > self._settings.patience_s:
            return _failed(f"no way around for {blocked_s:.0f} s")
        return self._yield_or(scene, blocked_s, Cause.NO_WAY_AROUND)

    def wait(self, scene: Scene, goal: Pose) -> Answer:
        """For people as long as it takes; for robots until one of the two yields."""
        self._patience.excuse(scene.now_s)
        if self._patience.wait_for_somebody(scene.now_s, scene.dt_s):
            longer_m = self._patience.detour_m(scene.now_s)
            self._replan(scene, goal, longer_m=longer_m)
        _, person_m = nearest_person(scene.pose, scene.people, self._radius_m)
        robots_m = (peer.gap_m(scene.pose, self._radius_m) for peer in scene.peers)
        if person_m <= min(robots_m, default=math.inf) + 1.0:
            return PilotStatus.WAITING_FOR_PERSON, Cause.PERSON, ""
        blocked_s = self._patience.trouble_s(scene.now_s)
        if blocked_s > self._settings.patience_s:
            return _failed(f"a robot was in the way for {blocked_s:.0f} s")
        return self._yield_or(scene, blocked_s, Cause.ROBOT)

    def stuck(self, scene: Scene, goal: Pose) -> Answer:
        """There is a way, but nothing went forward on it."""
        blocked_s = self._patience.trouble_s(scene.now_s)
        if blocked_s > self._settings.patience_s:
            return _failed("no way forward was found")
        self._patience.excuse(scene.now_s)
        self._replan(scene, goal)
        self._out.back_off(scene.now_s)
        return self._yield_or(scene, blocked_s, Cause.NO_WAY_AROUND)

    def _yield_or(self, scene: Scene, blocked_s: float, cause: Cause) -> Answer:
        """Make way for a robot that goes first, if one is there; else stand."""
        due = blocked_s > self._settings.yield_after_s and self._way.place is None
        if due and self._way.begin(scene.now_s, scene.pose, scene.peers):
            cause = Cause.ROBOT
        return PilotStatus.BLOCKED, cause, ""

    def _replan(
        self,
        scene: Scene,
        goal: Pose,
        *,
        with_people: bool = True,
        longer_m: float = math.inf,
    ) -> None:
        people = scene.people if with_people else ()
        now_s, pose = scene.now_s, scene.pose
        if self._guide.replan(now_s, pose, goal, people, scene.peers, longer_m):
            self._patience.new_route(now_s)


def _failed(detail: str) -> Answer:
    return PilotStatus.FAILED, Cause.BLOCKED_TOO_LONG, detail
