"""Robots: choose one for an order."""

from __future__ import annotations

import math

from fleet.choice import Candidate, choose
from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Done, Job, NotYet
from mpms.factory.domain.goals import Pose
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.ports.store import Transaction

LOOK_AGAIN_S = 2.0
UNHEARD = RobotState("", ready=False, why_not="no worker speaks with it")


class AssignRobot:
    """``robot.assign``: wait until a robot is free and ready, then hold it."""

    def __init__(self, world: World, *, fleet: bool = False) -> None:
        """``fleet``: robots that only park or charge by themselves are free."""
        self._world = world
        self._fleet = fleet

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        mine = tx.robot_holds.of_instance(job.instance_id)
        if mine is not None:
            return Done({"robot": mine, "robot_reasons": ["already held"]})
        held = tx.robot_holds.held()
        first = self._first_place(job)
        states = {state.robot: state for state in tx.robots.states()}
        wanted = job.inputs.get("robot")
        avoid = job.inputs.get("avoid")  # somebody wants another one
        carrying = tx.picks.carriers()
        at_work = tx.fleet.robots_at_work() if self._fleet else set()
        unfit = tx.fleet.unfit() if self._fleet else {}
        candidates = []
        for info in self._world.robots:
            state = states.get(info.id, UNHEARD)
            busy = f"works for {held[info.id]}" if info.id in held else None
            if wanted and info.id != wanted:
                continue
            if info.id == avoid and len(self._world.robots) > 1:
                continue
            if info.id in carrying and not wanted:
                busy = busy or f"carries material of {carrying[info.id]}"
            if info.id in at_work:
                busy = busy or "has a task of the fleet"
            busy = busy or unfit.get(info.id)
            candidates.append(
                Candidate(
                    id=info.id,
                    distance_m=_distance_m(state.x_m, state.y_m, first),
                    speed_mps=info.max_speed_mps,
                    payload_kg=info.max_payload_kg,
                    battery=state.battery,
                    why_not=busy
                    or (None if state.ready else state.why_not or "not ready"),
                )
            )
        choice = choose(candidates, load_kg=self._heaviest_kg(job))
        if choice.chosen is None and not choice.may_change:
            raise BusinessError("RobotUnavailable", "; ".join(choice.reasons))
        if choice.chosen is None:
            return NotYet(LOOK_AGAIN_S, "; ".join(choice.reasons) or "no robot")
        if not tx.robot_holds.hold(choice.chosen, job.instance_id):
            return NotYet(0.1, "another order was faster")
        tx.events.append(
            "robot chosen",
            actor="fleet",
            instance_id=job.instance_id,
            element=job.element,
            task_id=job.task_id,
            data={"robot": choice.chosen, "reasons": list(choice.reasons)},
        )
        return Done({"robot": choice.chosen, "robot_reasons": list(choice.reasons)})

    def _first_place(self, job: Job) -> Pose | None:
        materials = job.inputs.get("materials") or []
        return self._world.places.get(materials[0]["place"]) if materials else None

    @staticmethod
    def _heaviest_kg(job: Job) -> float:
        materials = job.inputs.get("materials") or []
        return max((float(m["required_kg"]) for m in materials), default=0.0)


def _distance_m(x_m: float | None, y_m: float | None, to: Pose | None) -> float | None:
    if x_m is None or y_m is None or to is None:
        return None
    return math.hypot(to.x_m - x_m, to.y_m - y_m)
