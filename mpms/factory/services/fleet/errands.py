"""Errands and the tasks of the fleet: begin one, follow it, end it.

Storing and retrieving are demands to the storage, which makes the task itself as soon
as there is stock; so those are recognised by what they are about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fleet import events as ev
from fleet.commands import Answer, Refused
from fleet.fleet import Fleet
from fleet.tasks import Action, Kind, Leg, State, Task, transport_task
from mpms.factory.domain.errands import Errand, ErrandKind, ErrandState

TRANSPORT_REFUSED = "TransportRefused"
TRANSPORT_FAILED = "TransportFailed"


class Book:
    """The errands that have not ended, as one round of the fleet sees them."""

    def __init__(self, fleet: Fleet, errands: Iterable[Errand]) -> None:
        self._fleet = fleet
        self.open = {errand.id: errand for errand in errands}
        self.ended: list[Errand] = []
        self.begun: list[Errand] = []
        self._by_task = {e.fleet_task: e.id for e in self.open.values() if e.fleet_task}

    # Begin

    def begin_new(self, now: float) -> list[Answer]:
        answers = []
        for errand in list(self.open.values()):
            if errand.gone:
                answers += self._withdraw(errand, now)
            elif errand.state is ErrandState.NEW:
                answers += self._begin(errand, now)
        return answers

    def _begin(self, errand: Errand, now: float) -> list[Answer]:
        if errand.kind in (ErrandKind.STORE, ErrandKind.RETRIEVE):
            return self._demand(errand, now)
        task = _task_of(errand, now)
        answer = self._fleet.handle(now, ev.Submitted(task))
        why = _refusal(answer)
        if why:
            self._fail(errand, TRANSPORT_REFUSED, why)
        else:
            self._link(errand, task.id)
        return [answer]

    def _demand(self, errand: Errand, now: float) -> list[Answer]:
        place, kind = str(errand.data["place"]), str(errand.data["package_type"])
        why = self._never(errand.kind, place, kind)
        if why:
            self._fail(errand, TRANSPORT_REFUSED, why)
            return []
        slot = self._fleet.storage.slots[place]
        if slot.present or slot.reserved or self._fleet.stopped:
            return []  # another one is there still; it is asked again in the next round
        if errand.kind is ErrandKind.RETRIEVE:
            self._link(errand, "")
            return [self._fleet.handle(now, ev.OutputWanted(place, kind))]
        package = str(errand.data["package"])
        answer = self._fleet.handle(now, ev.InputComing(place, package, kind))
        why = _refusal(answer)
        if why:
            self._fail(errand, TRANSPORT_REFUSED, f"{why}: {package} is known already")
            return [answer]
        self._link(errand, "")
        answers = [answer]
        if errand.data.get("placed", True):
            answers.append(self._fleet.handle(now, ev.Detected(place, True)))
        return answers

    def _never(self, kind: ErrandKind, place: str, package_type: str) -> str:
        world = self._fleet.world
        places, what = (world.inputs, "input")
        if kind is ErrandKind.RETRIEVE:
            places, what = (world.outputs, "output")
        if place not in places:
            return f"there is no {what} {place!r}; there are {', '.join(places)}"
        package = world.packages.get(package_type)
        if package is None:
            known = ", ".join(world.packages)
            return f"there is no package type {package_type!r}; there are {known}"
        whys = {r: world.type_of(r).carries(package) for r in world.robots}
        if all(whys.values()):
            told = "; ".join(f"{robot} {why}" for robot, why in whys.items())
            return f"no robot can carry {package_type}: {told}"
        return ""

    # Follow

    def heard(self, task: Task) -> None:
        """A task of the fleet has changed."""
        if task.kind is Kind.RETRIEVE and task.state is State.WITHDRAWN:
            self._fleet.storage.call_off_output(task.goal)
        errand = self._of(task)
        if errand is None:
            return
        if errand.fleet_task != task.id:
            self._link(errand, task.id)
            errand = self.open[errand.id]
        if task.state is State.DONE:
            self._end(replace(errand, state=ErrandState.DONE, result=_result(task)))
        elif task.state is State.FAILED:
            if errand.kind is ErrandKind.RETRIEVE:
                self._link(errand, "")  # it waits for stock again
                return
            self._fail(errand, TRANSPORT_FAILED, task.why or "the robot gave up")
        elif task.state is State.WITHDRAWN:
            self._fail(errand, TRANSPORT_FAILED, task.why or "withdrawn by a person")

    def _of(self, task: Task) -> Errand | None:
        known = self._by_task.get(task.id)
        if known is not None:
            return self.open.get(known)
        for errand in self.open.values():
            if errand.state is not ErrandState.OPEN or errand.fleet_task:
                continue
            about = {
                (ErrandKind.STORE, Kind.STORE): ("package", task.package),
                (ErrandKind.RETRIEVE, Kind.RETRIEVE): ("place", task.goal),
            }.get((errand.kind, task.kind))
            if about is not None and errand.data[about[0]] == about[1]:
                return errand
        return None

    # End

    def _withdraw(self, errand: Errand, now: float) -> list[Answer]:
        """Nobody waits for it any more. What a robot carries is still set down."""
        answers = []
        task = self._fleet.pool.get(errand.fleet_task) if errand.fleet_task else None
        if task is not None and not task.state.ended:
            at_once = errand.kind is ErrandKind.MOVE
            answers.append(self._fleet.handle(now, ev.Withdrawn(task.id, at_once)))
        held = errand.kind is ErrandKind.RETRIEVE and task is None
        if held and errand.state is ErrandState.OPEN:
            self._fleet.storage.call_off_output(str(errand.data["place"]))
        why = "its process no longer waits for it"
        self._end(replace(errand, state=ErrandState.WITHDRAWN, why=why))
        return answers

    def lose(self, why: str) -> None:
        """The fleet begins anew: drives are asked for again, demands have failed."""
        for errand in list(self.open.values()):
            if errand.state is not ErrandState.OPEN:
                continue
            if errand.kind in (ErrandKind.STORE, ErrandKind.RETRIEVE):
                self._fail(errand, TRANSPORT_FAILED, why)
            else:
                again = replace(errand, state=ErrandState.NEW, fleet_task="")
                self.open[errand.id] = again

    def _link(self, errand: Errand, task_id: str) -> None:
        linked = replace(errand, state=ErrandState.OPEN, fleet_task=task_id)
        self.open[errand.id] = linked
        if task_id:
            self._by_task[task_id] = errand.id
        self.begun.append(linked)

    def _fail(self, errand: Errand, code: str, why: str) -> None:
        self._end(replace(errand, state=ErrandState.FAILED, code=code, why=why))

    def _end(self, errand: Errand) -> None:
        self.open.pop(errand.id, None)
        self.ended.append(errand)


def _task_of(errand: Errand, now: float) -> Task:
    data = errand.data
    deadline_s = data.get("deadline_s")
    more: dict[str, Any] = {
        "priority": int(data.get("priority") or 0),
        "deadline_at": None if deadline_s is None else now + float(deadline_s),
        "intended": str(data.get("robot") or ""),
    }
    match errand.kind:
        case ErrandKind.MOVE:
            return Task(errand.id, Kind.MOVE, [Leg(str(data["place"]))], **more)
        case ErrandKind.TRANSPORT:
            more["package"] = str(data.get("package") or "")
            more["package_type"] = str(data.get("package_type") or "")
            start, end = str(data["from_place"]), str(data["to_place"])
            return transport_task(errand.id, start, end, **more)
        case _:
            start, end = str(data["from_place"]), str(data["to_place"])
            legs = [Leg(start, Action.LIFT), Leg(end, Action.DROP)]
            package = str(data["shelf"])
            return Task(errand.id, Kind.FETCH_SHELF, legs, package=package, **more)


def _result(task: Task) -> dict[str, Any]:
    result: dict[str, Any] = {"robot": task.robot}
    if task.kind is Kind.MOVE:
        result["position"] = task.goal
    elif task.kind is Kind.STORE:
        result["storage_place"] = task.goal
    elif task.kind is Kind.RETRIEVE:
        result["package"] = task.package
        result["storage_place"] = task.legs[0].place
    return result


def _refusal(answer: Answer) -> str:
    return "; ".join(r.why for r in answer.records if isinstance(r, Refused))
