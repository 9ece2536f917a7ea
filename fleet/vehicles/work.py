"""How a robot does its tasks, leg by leg.

Claim the place, drive there, load or unload, and wait for the detector to say that it
worked. Who has to wait for a place makes room for others meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleet.commands import Act, Charge
from fleet.events import Acted
from fleet.model.world import Level
from fleet.roads.make import WAITING
from fleet.tasks.task import Action, Kind, State, Task
from fleet.vehicles.vehicle import Doing, Vehicle

if TYPE_CHECKING:
    from fleet.fleet import Fleet

ACT_S = 120.0
"""How long above the usual a robot may load or unload before it is told again."""
CONFIRM_S = 15.0
"""How long a detector may take to see what a robot has done."""


class Work:
    """The present task of each robot."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def present(self, vehicle: Vehicle) -> Task | None:
        return self._fleet.pool[vehicle.queue[0]] if vehicle.queue else None

    # Time passes

    def go_on(self, vehicle: Vehicle, now: float) -> None:
        """The next thing to do for the present task, if it can be done now."""
        task = self.present(vehicle)
        if task is None or not vehicle.fit or vehicle.level is not Level.USED:
            return
        if vehicle.doing in (Doing.NOTHING, Doing.WAITING):
            if task.withdrawing and not vehicle.load:
                self._fleet.course.drop(task, vehicle, now)
                return
            self._begin(vehicle, task, now)
        elif vehicle.doing is Doing.CONFIRMING:
            self._confirm(vehicle, task, now)
        elif vehicle.doing is Doing.ACTING:
            if now - vehicle.since > ACT_S + vehicle.type.load_s:
                self._fleet.alert("no answer", vehicle.id, f"since {vehicle.place}")
                self.act_again(vehicle)
        elif vehicle.doing is Doing.CHARGING:
            self._charge(vehicle, task, now)

    def _begin(self, vehicle: Vehicle, task: Task, now: float) -> None:
        """Claim the place of the leg and drive there."""
        if task.state is State.ASSIGNED:
            task.state = State.RUNNING
            self._fleet.task_changed(task)
        place = self._place_of(vehicle, task)
        if place is None:
            self._wait(vehicle, "a charger")
            return
        holder = self._fleet.claims.in_the_way(vehicle.id, place)
        if holder is not None:
            self._wait(vehicle, place)
            return
        self._fleet.claims.take(vehicle.id, place)
        if vehicle.aside and vehicle.target != place:
            self._fleet.claims.release(vehicle.id, vehicle.target)
        vehicle.aside = False
        vehicle.waits_for = ""
        vehicle.target = place
        vehicle.doing, vehicle.since = Doing.DRIVING, now
        self._fleet.traffic.set_goal(vehicle.id, place)

    def _place_of(self, vehicle: Vehicle, task: Task) -> str | None:
        if task.kind is not Kind.CHARGE:
            return task.legs[task.leg].place
        stations = self._fleet.stations
        stations.reserve(vehicle.id, task.zone)
        return stations.place_of(vehicle.id, task.zone)

    @staticmethod
    def _wait(vehicle: Vehicle, for_: str) -> None:
        vehicle.doing = Doing.WAITING
        vehicle.waits_for = for_

    def make_room(self, now: float) -> None:
        """Who waits leaves the road, blocks of zones, and places others wait for."""
        claims = self._fleet.claims
        for vehicle in self._fleet.vehicles.values():
            waits = vehicle.doing is Doing.WAITING and not vehicle.target
            in_the_way = not vehicle.place or claims.in_block(vehicle.place)
            if waits and in_the_way and vehicle.fit and vehicle.level is Level.USED:
                self._step_aside(vehicle)
        wanted = {v.waits_for for v in self._fleet.vehicles.values() if v.waits_for}
        wanted &= set(self._fleet.world.places)
        for place in sorted(wanted):
            for name in claims.near(place):
                holder = self._fleet.vehicles.get(claims.holders.get(name, ""))
                if holder is None or not holder.fit or holder.place != name:
                    continue
                if holder.level is not Level.USED or holder.target:
                    continue
                if holder.doing is Doing.WAITING and holder.waits_for != place:
                    self._step_aside(holder)

    def _step_aside(self, vehicle: Vehicle) -> None:
        """To the spot beside the place it waits for, else to its rest place."""
        claims = self._fleet.claims
        beside = vehicle.waits_for + WAITING
        known = self._fleet.roadmaps[vehicle.type.id].place_nodes
        for place in (beside, vehicle.home):
            if place not in known or vehicle.place == place:
                continue
            if claims.take(vehicle.id, place):
                vehicle.target, vehicle.aside = place, True
                self._fleet.traffic.set_goal(vehicle.id, place)
                return

    # Robots arrive and act

    def arrived(self, vehicle: Vehicle, place: str, now: float) -> None:
        vehicle.stuck_since = None
        vehicle.place = place
        if vehicle.target != place:
            return
        vehicle.target = ""
        self._fleet.claims.release_all(vehicle.id, but=place)
        if vehicle.aside:
            vehicle.aside = False
            return
        task = self.present(vehicle)
        if task is None or vehicle.doing is not Doing.DRIVING:
            vehicle.doing = Doing.NOTHING
            return
        if task.withdrawing and not vehicle.load:
            self._fleet.course.drop(task, vehicle, now)
            return
        action = task.legs[task.leg].action
        if action is Action.NONE:
            self._leg_done(vehicle, task, now)
        elif action is Action.CHARGE:
            vehicle.doing, vehicle.since = Doing.CHARGING, now
            task.leg = 0
            self._charge(vehicle, task, now)
        else:
            self._act(vehicle, task, action, now)

    def _act(self, vehicle: Vehicle, task: Task, action: Action, now: float) -> None:
        storage, place = self._fleet.storage, vehicle.place
        if action is Action.LOAD:
            if storage.is_present(place) is False:
                self._give_up(vehicle, task, f"nothing lies at {place}", now)
                return
            if storage.is_present(place):
                task.package = storage.package_at(place)[0]
            storage.expect_out(place)
        elif action is Action.UNLOAD:
            if storage.is_present(place):
                # Somebody has put something there: another place, or wait.
                vehicle.doing, vehicle.since = Doing.WAITING, now
                vehicle.waits_for = place
                return
            storage.expect_in(place, vehicle.load, vehicle.load_type)
        vehicle.doing, vehicle.since = Doing.ACTING, now
        package = task.package or task.id
        self._fleet.answer.commands.append(Act(vehicle.id, action, package))

    def acted(self, vehicle: Vehicle, event: Acted, now: float) -> None:
        task = self.present(vehicle)
        if task is None or vehicle.doing is not Doing.ACTING:
            return
        if task.legs[task.leg].action is not event.action:
            return
        if not event.done:
            self._give_up(vehicle, task, event.why or f"could not {event.action}", now)
            return
        vehicle.doing, vehicle.since = Doing.CONFIRMING, now
        self._confirm(vehicle, task, now)

    def detected(self, place: str, now: float) -> None:
        """Whoever waits for that detector has its answer, even if it stands still."""
        for vehicle in self._fleet.vehicles.values():
            task = self.present(vehicle)
            waits = vehicle.doing is Doing.CONFIRMING and vehicle.place == place
            if waits and task is not None:
                self._confirm(vehicle, task, now)

    def act_again(self, vehicle: Vehicle) -> None:
        """It was stopped while it loaded or unloaded: it begins anew."""
        if vehicle.doing is Doing.ACTING:
            vehicle.doing = Doing.NOTHING

    def _confirm(self, vehicle: Vehicle, task: Task, now: float) -> None:
        """Loading and unloading count when the detector says so."""
        action = task.legs[task.leg].action
        loads = action in (Action.LOAD, Action.LIFT)
        if not self._fleet.storage.has_seen(vehicle.place, loads):
            if now - vehicle.since > CONFIRM_S:
                if loads:
                    self._give_up(vehicle, task, "the package still lies there", now)
                else:
                    self.load_lost(vehicle, now)
            return
        if loads:
            vehicle.load, vehicle.load_type = task.package or task.id, task.package_type
        else:
            vehicle.load = vehicle.load_type = ""
        self._leg_done(vehicle, task, now)

    def _leg_done(self, vehicle: Vehicle, task: Task, now: float) -> None:
        task.leg += 1
        vehicle.doing, vehicle.since = Doing.NOTHING, now
        if task.leg < len(task.legs):
            self._fleet.task_changed(task)
            return
        vehicle.queue.remove(task.id)
        self._fleet.course.end(task, State.DONE)

    # Charging

    def _charge(self, vehicle: Vehicle, task: Task, now: float) -> None:
        fleet = self._fleet
        zone = task.zone
        if not task.leg:
            # Who rests in a zone at its own place may be there without charging.
            spots = {
                v.id: (v.x_m, v.y_m)
                for v in fleet.vehicles.values()
                if v.x_m is not None and v.y_m is not None and v.place != v.home
            }
            inside = fleet.stations.inside(zone, spots)
            if not fleet.stations.charge_request(vehicle.id, zone, inside):
                return
            task.leg = 1
            fleet.answer.commands.append(Charge(vehicle.id, True))
        waits = len(vehicle.queue) > 1 or fleet.stations.waiting(zone)
        enough = vehicle.type.enough_percent if waits else vehicle.type.full_percent
        if vehicle.percent >= enough:
            vehicle.queue.remove(task.id)
            self.stop_own(task, vehicle, now)
            fleet.course.end(task, State.DONE)
            vehicle.doing, vehicle.since = Doing.NOTHING, now
        elif vehicle.percent >= vehicle.type.good_percent and not vehicle.load:
            task.dispensable = len(vehicle.queue) == 1

    def stop_own(self, task: Task, vehicle: Vehicle, now: float) -> None:
        """Charging ends: switch off and give the reservation back."""
        if task.kind is Kind.CHARGE:
            if task.leg:
                self._fleet.answer.commands.append(Charge(vehicle.id, False))
            self._fleet.stations.end_reservation(vehicle.id, task.zone)

    # Changes of plan

    def make_way(self, vehicle: Vehicle, now: float) -> None:
        """A real task comes: what the robot did only for itself ends."""
        for task_id in list(vehicle.queue):
            task = self._fleet.pool[task_id]
            if task.dispensable:
                task.why = "gives way to a task"
                if vehicle.queue[0] == task_id:
                    self._fleet.course.drop(task, vehicle, now)
                else:
                    vehicle.queue.remove(task_id)
                    self.stop_own(task, vehicle, now)
                    self._fleet.course.end(task, State.WITHDRAWN)

    def halt(self, vehicle: Vehicle, now: float) -> None:
        """It does nothing for now; a drive ends at the next point."""
        if vehicle.target and vehicle.known:
            if vehicle.level in (Level.USED, Level.RESPECTED):
                self._fleet.traffic.drop_goal(vehicle.id)
            self._fleet.claims.release_all(vehicle.id, but=vehicle.place)
        vehicle.target, vehicle.aside, vehicle.waits_for = "", False, ""
        vehicle.doing, vehicle.since = Doing.NOTHING, now

    def break_off(self, vehicle: Vehicle, now: float) -> None:
        """It does not work any more; what a detector still has to say counts."""
        if vehicle.doing is not Doing.CONFIRMING or not vehicle.queue:
            self.halt(vehicle, now)

    def pull_over(self, vehicle: Vehicle, now: float) -> None:
        """Off the road to the nearest free place; the task stays."""
        if vehicle.doing in (Doing.ACTING, Doing.CONFIRMING, Doing.CHARGING):
            return
        self.halt(vehicle, now)
        if vehicle.place:
            return
        fleet = self._fleet
        roadmap = fleet.roadmaps[vehicle.type.id]
        row = roadmap.times_from(fleet.whereabouts.nearest_place(vehicle))
        for _, place in sorted((row[roadmap.index[n]], n) for n in roadmap.names):
            if place not in roadmap.unreached and fleet.claims.take(vehicle.id, place):
                vehicle.target, vehicle.aside = place, True
                fleet.traffic.set_goal(vehicle.id, place)
                return

    def resume(self, vehicle: Vehicle) -> None:
        if vehicle.aside and vehicle.target:
            vehicle.doing = Doing.NOTHING

    def load_lost(self, vehicle: Vehicle, now: float) -> None:
        """The package lies somewhere on the floor; a person has to bring it back."""
        fleet = self._fleet
        package, kind = vehicle.load, vehicle.load_type
        if not package:
            return
        x_m, y_m = vehicle.x_m or 0.0, vehicle.y_m or 0.0
        fleet.dropped[package] = (kind, x_m, y_m)
        fleet.alert("package lost", package, f"{vehicle.id} at {x_m:.1f}, {y_m:.1f}")
        vehicle.load = vehicle.load_type = ""
        task = self.present(vehicle)
        if task is not None and task.leg > 0 and task.kind is not Kind.CHARGE:
            self._fail_task(vehicle, task, f"{package} was lost", now)
            return
        for task_id in list(vehicle.queue):
            other = fleet.pool[task_id]
            if other.leg > 0 and other.kind is not Kind.CHARGE:
                vehicle.queue.remove(task_id)
                self._close(other, f"{package} was lost")

    def _fail_task(self, vehicle: Vehicle, task: Task, why: str, now: float) -> None:
        vehicle.queue.remove(task.id)
        self._close(task, why)
        self.halt(vehicle, now)

    def _close(self, task: Task, why: str) -> None:
        """A retrieval is wanted still: it waits for stock again."""
        if task.kind is Kind.RETRIEVE:
            self._fleet.storage.hold_back(task.goal, task.package_type)
        self._fleet.course.end(task, State.FAILED, why)

    def _give_up(self, vehicle: Vehicle, task: Task, why: str, now: float) -> None:
        """It could not load or unload; somebody else may, once."""
        fleet = self._fleet
        fleet.alert("task failed", task.id, f"{vehicle.id}: {why}")
        if vehicle.load:
            vehicle.doing, vehicle.since = Doing.NOTHING, now
            return
        if task.tried and vehicle.id not in task.tried:
            self._fail_task(vehicle, task, why, now)
            return
        vehicle.queue.remove(task.id)
        fleet.course.give_back(task, why)
        self.halt(vehicle, now)
