"""Requests and the tasks of the fleet: begin one, follow it, end it.

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
from mpms.factory.domain.fleet_requests import FleetRequest, RequestKind, RequestState

TRANSPORT_REFUSED = "TransportRefused"
TRANSPORT_FAILED = "TransportFailed"
ROBOT_FAILED = "RobotFailed"
"""What `robot.move` throws, whoever drives."""


class Book:
    """The requests that have not ended, as one round of the fleet sees them."""

    def __init__(self, fleet: Fleet, requests: Iterable[FleetRequest]) -> None:
        self._fleet = fleet
        self.open = {request.id: request for request in requests}
        self.ended: list[FleetRequest] = []
        self.begun: list[FleetRequest] = []
        self._by_task = {e.fleet_task: e.id for e in self.open.values() if e.fleet_task}

    # Begin

    def begin_new(self, now: float) -> list[Answer]:
        answers = []
        for request in list(self.open.values()):
            if request.gone:
                answers += self._withdraw(request, now)
            elif request.state is RequestState.NEW:
                answers += self._begin(request, now)
        return answers

    def _begin(self, request: FleetRequest, now: float) -> list[Answer]:
        if request.kind in (RequestKind.STORE, RequestKind.RETRIEVE):
            return self._demand(request, now)
        task = _task_of(request, now)
        answer = self._fleet.handle(now, ev.Submitted(task))
        why = _refusal(answer)
        if why:
            self._fail(request, TRANSPORT_REFUSED, why)
        else:
            self._link(request, task.id)
        return [answer]

    def _demand(self, request: FleetRequest, now: float) -> list[Answer]:
        place, kind = str(request.data["place"]), str(request.data["package_type"])
        why = self._never(request.kind, place, kind)
        if why:
            self._fail(request, TRANSPORT_REFUSED, why)
            return []
        slot = self._fleet.storage.slots[place]
        if slot.present or slot.reserved or self._fleet.stopped:
            return []  # another one is there still; it is asked again in the next round
        if request.kind is RequestKind.RETRIEVE:
            self._link(request, "")
            return [self._fleet.handle(now, ev.OutputWanted(place, kind))]
        package = str(request.data["package"])
        answer = self._fleet.handle(now, ev.InputComing(place, package, kind))
        why = _refusal(answer)
        if why:
            self._fail(request, TRANSPORT_REFUSED, f"{why}: {package} is known already")
            return [answer]
        self._link(request, "")
        answers = [answer]
        if request.data.get("placed", True):
            answers.append(self._fleet.handle(now, ev.Detected(place, True)))
        return answers

    def _never(self, kind: RequestKind, place: str, package_type: str) -> str:
        world = self._fleet.world
        places, what = (world.inputs, "input")
        if kind is RequestKind.RETRIEVE:
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

    def asked_anew(self) -> set[str]:
        """Robots of drives that have not begun yet."""
        return {
            str(request.data["robot"])
            for request in self.open.values()
            if request.kind is RequestKind.MOVE and request.state is RequestState.NEW
        }

    # Follow

    def gave_up(self, robot: str, why: str, now: float) -> list[Answer]:
        """Drives that only this robot may make have failed with it."""
        answers = []
        for request in self.at_work():
            if request.data["robot"] != robot:
                continue
            self._fail(request, ROBOT_FAILED, f"did not reach {request.called}: {why}")
            task = self._fleet.pool.get(request.fleet_task)
            if task is not None and not task.state.ended:
                answers.append(self._fleet.handle(now, ev.Withdrawn(task.id, True)))
        return answers

    def heard(self, task: Task) -> None:
        """A task of the fleet has changed."""
        if task.kind is Kind.RETRIEVE and task.state is State.WITHDRAWN:
            self._fleet.storage.call_off_output(task.goal)
        request = self._of(task)
        if request is None:
            return
        if request.fleet_task != task.id:
            self._link(request, task.id)
            request = self.open[request.id]
        if task.state is State.DONE:
            result = _result(task)
            if request.kind is RequestKind.MOVE:
                result["position"] = request.called
            self._end(replace(request, state=RequestState.DONE, result=result))
        elif task.state is State.FAILED:
            if request.kind is RequestKind.RETRIEVE:
                self._link(request, "")  # it waits for stock again
                return
            self._fail(request, TRANSPORT_FAILED, task.why or "the robot gave up")
        elif task.state is State.WITHDRAWN:
            self._fail(request, TRANSPORT_FAILED, task.why or "withdrawn by a person")

    def of_task(self, task_id: str) -> FleetRequest | None:
        return self.open.get(self._by_task.get(task_id, ""))

    def at_work(self) -> list[FleetRequest]:
        """Drives that have begun and not ended."""
        return [
            request
            for request in self.open.values()
            if request.kind is RequestKind.MOVE and request.state is RequestState.OPEN
        ]

    def note(self, request: FleetRequest, why: str | None) -> None:
        self.open[request.id] = replace(request, why=why)

    def _of(self, task: Task) -> FleetRequest | None:
        known = self._by_task.get(task.id)
        if known is not None:
            return self.open.get(known)
        for request in self.open.values():
            if request.state is not RequestState.OPEN or request.fleet_task:
                continue
            about = {
                (RequestKind.STORE, Kind.STORE): ("package", task.package),
                (RequestKind.RETRIEVE, Kind.RETRIEVE): ("place", task.goal),
            }.get((request.kind, task.kind))
            if about is not None and request.data[about[0]] == about[1]:
                return request
        return None

    # End

    def _withdraw(self, request: FleetRequest, now: float) -> list[Answer]:
        """Nobody waits for it any more. What a robot carries is still set down."""
        answers = []
        task = self._fleet.pool.get(request.fleet_task) if request.fleet_task else None
        if task is not None and not task.state.ended:
            at_once = request.kind is RequestKind.MOVE
            answers.append(self._fleet.handle(now, ev.Withdrawn(task.id, at_once)))
        held = request.kind is RequestKind.RETRIEVE and task is None
        if held and request.state is RequestState.OPEN:
            self._fleet.storage.call_off_output(str(request.data["place"]))
        why = "its process no longer waits for it"
        self._end(replace(request, state=RequestState.WITHDRAWN, why=why))
        return answers

    def lose(self, why: str) -> None:
        """The fleet begins anew: drives are asked for again, demands have failed."""
        for request in list(self.open.values()):
            if request.state is not RequestState.OPEN:
                continue
            if request.kind in (RequestKind.STORE, RequestKind.RETRIEVE):
                self._fail(request, TRANSPORT_FAILED, why)
            else:
                again = replace(request, state=RequestState.NEW, fleet_task="")
                self.open[request.id] = again

    def _link(self, request: FleetRequest, task_id: str) -> None:
        linked = replace(request, state=RequestState.OPEN, fleet_task=task_id)
        self.open[request.id] = linked
        if task_id:
            self._by_task[task_id] = request.id
        self.begun.append(linked)

    def _fail(self, request: FleetRequest, code: str, why: str) -> None:
        if request.kind is RequestKind.MOVE:
            code = ROBOT_FAILED
        self._end(replace(request, state=RequestState.FAILED, code=code, why=why))

    def _end(self, request: FleetRequest) -> None:
        self.open.pop(request.id, None)
        self.ended.append(request)


def _task_of(request: FleetRequest, now: float) -> Task:
    data = request.data
    deadline_s = data.get("deadline_s")
    more: dict[str, Any] = {
        "priority": int(data.get("priority") or 0),
        "deadline_at": None if deadline_s is None else now + float(deadline_s),
        "intended": str(data.get("robot") or ""),
    }
    match request.kind:
        case RequestKind.MOVE:
            return Task(request.id, Kind.MOVE, [Leg(str(data["place"]))], **more)
        case RequestKind.TRANSPORT:
            more["package"] = str(data.get("package") or "")
            more["package_type"] = str(data.get("package_type") or "")
            start, end = str(data["from_place"]), str(data["to_place"])
            return transport_task(request.id, start, end, **more)
        case _:
            start, end = str(data["from_place"]), str(data["to_place"])
            legs = [Leg(start, Action.LIFT), Leg(end, Action.DROP)]
            package = str(data["shelf"])
            return Task(request.id, Kind.FETCH_SHELF, legs, package=package, **more)


def _result(task: Task) -> dict[str, Any]:
    result: dict[str, Any] = {"robot": task.robot}
    if task.kind is Kind.STORE:
        result["storage_place"] = task.goal
    elif task.kind is Kind.RETRIEVE:
        result["package"] = task.package
        result["storage_place"] = task.legs[0].place
    return result


def _refusal(answer: Answer) -> str:
    return "; ".join(r.why for r in answer.records if isinstance(r, Refused))
