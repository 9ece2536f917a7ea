"""Standing because something is too near, and leaving a place where nothing goes on."""

from __future__ import annotations

import math
from typing import Literal

from shopfloor.control.commands import Cause, PilotStatus
from shopfloor.control.emergency import EmergencyStop
from shopfloor.control.escape import Escape, EscapeRule
from shopfloor.control.limits import RobotLimits
from shopfloor.control.tracker import Movement, Wish
from shopfloor.local.motion import ESCAPE_KEEP_M, Motion
from shopfloor.pilot.scene import Answer, Scene

STILL = (0.0, 0.0, 0.0)


class GettingOut:
    def __init__(
        self,
        limits: RobotLimits,
        stop: EmergencyStop,
        motion: Motion,
        rule: EscapeRule | Literal[False] | None,
    ) -> None:
        self._stop = stop
        self._motion = motion
        self._escape = None if rule is False else Escape(limits, rule)
        self._was_stopped = False
        self.moving = False
        """The robot is on its way out."""
        self.creeping = False
        """A thing that stands still is passed nearer than a robot would set off."""
        self._back_off_until_s = -math.inf

    def forget(self) -> None:
        self.creeping = False
        self.restart()

    def restart(self) -> None:
        """The clock was set, or there is a new goal."""
        self.moving = False
        self._back_off_until_s = -math.inf
        if self._escape is not None:
            self._escape.reset()

    def back_off(self, now_s: float) -> None:
        """Leave a place where nothing went forward, away from what is nearest."""
        if self._escape is not None:
            self._back_off_until_s = now_s + self._escape.rule.after_s + 2.0

    def step(self, scene: Scene) -> Answer | None:
        """What to say as long as the robot stands or gets out; None: drive."""
        stop, thing = self._stop, scene.thing
        was_stopped, self._was_stopped = self._was_stopped, stop.stopped
        if thing.clearance_m < stop.stop_m or stop.for_person:
            self.creeping = False
        if stop.stopped and not self.creeping:
            if not was_stopped:
                self._motion.halt()
            return self._stopped_by(scene)
        self.moving = False
        backing = scene.now_s < self._back_off_until_s
        if self._escape is not None and not backing:
            self._escape.reset()
        if thing.clearance_m > stop.resume_m:
            self.creeping = False
        return self._backing_off(scene) if backing else None

    def _stopped_by(self, scene: Scene) -> Answer:
        thing = scene.thing
        self.moving = False
        if self._stop.for_person:
            if self._escape is not None:
                self._escape.reset()
            self._motion.halt()
            return PilotStatus.WAITING_FOR_PERSON, Cause.PERSON, ""
        detail = f"something is {max(thing.clearance_m, 0.0):.2f} m from the hull"
        answer = PilotStatus.BLOCKED, Cause.OBSTACLE, detail
        way: tuple[float, float, float] | None = STILL
        if self._escape is not None:
            way = self._escape.step(scene.now_s, scene.pose, thing, scene.around)
        if way is None and thing.clearance_m > self._stop.stop_m + 0.02:
            # It stands still, it is no nearer than allowed, and there is no better
            # place: creep on; the first threshold still guards.
            self.creeping = True
        if way is None or way == STILL:
            self._motion.halt()
        else:
            self._leave(scene, way)
        return answer

    def _backing_off(self, scene: Scene) -> Answer:
        way = None
        if self._escape is not None:
            nearest = scene.around.nearest(unexplained=False)
            way = self._escape.step(scene.now_s, scene.pose, nearest, scene.around)
        if way is None:
            self._back_off_until_s = -math.inf
        self._leave(scene, way or STILL)
        return PilotStatus.BLOCKED, Cause.NO_WAY_AROUND, ""

    def _leave(self, scene: Scene, way: tuple[float, float, float]) -> None:
        self.moving = way != STILL
        self._motion.keep_m = ESCAPE_KEEP_M
        wish = Wish(Movement.HOLONOMIC, *way)
        self._motion.move(scene.dt_s, scene.pose, wish, scene.people)
