"""One vehicle, without I/O: events and the time go in, messages and reports come out.

VDA 5050 makes the promise of one drive easier than rosbridge. A vehicle keeps the id
of its last order, shows it in every state and takes no notice of an order that it has
already. So an order's id follows from the command's, in every process; what may have
been sent is looked for in the state; and an order that is not there is sent, under the
same id, until it is. Two things must be known before: that nothing of an earlier owner
is still on its way, and that the state is not from before it arrived. The first is the
broker's work: it ends the connection of an earlier client of our name before it lets
us in. For the second the vehicle is asked for its state, and only what it says after
it has taken the question counts: what was sent before came before.

An open connection says nothing about a vehicle. Its last will does, and how old its
last word is; when it has been quiet it is asked.
"""

from __future__ import annotations

import itertools
import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from robot_bridge.command import refusal
from robot_bridge.messages import BadMessage
from robot_bridge.progress import ProgressWatch
from robot_bridge.reports import (
    Action,
    Battery,
    Cancel,
    CommandState,
    Diagnosis,
    Ended,
    Foreign,
    Link,
    LinkClosed,
    LinkOpened,
    LinkState,
    Navigate,
    Pause,
    Permit,
    Pose,
    Problem,
    Progress,
    Report,
    Resume,
    Safety,
    Snapshot,
    Tick,
)
from robot_bridge.vda5050 import orders, reading
from robot_bridge.vda5050.orders import Body, Header, Node, Route
from robot_bridge.vda5050.profile import VehicleProfile
from robot_bridge.vda5050.reading import Factsheet, State

AGAIN_S = 2.0
SYNC_S = 5.0
STALE_AFTER = 2.5
"""Times ``quiet_s``."""
REMEMBERED_ENDS = 200


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the vehicle. ``kept``: the broker's copy of an earlier one."""

    topic: str
    body: Mapping[str, Any]
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Tell:
    """A message to the vehicle."""

    topic: str
    body: Body


VehicleEvent = (
    LinkOpened
    | LinkClosed
    | Said
    | Tick
    | Navigate
    | Cancel
    | Pause
    | Resume
    | Action
    | Permit
)
VehicleOutput = Tell | Report


@dataclass(slots=True)
class _Open:
    """The command under way."""

    id: str
    expires_at: float
    progress: ProgressWatch
    target: tuple[float, float, float] | None = None
    via: tuple[tuple[float, float], ...] = ()
    action: Body | None = None
    state: CommandState = CommandState.NEW
    maybe_sent: bool = False
    order: str = ""
    update: int = 0
    way: Route | None = None
    released: int = 0
    body: Body | None = None
    sent_at: float | None = None
    cancel_wanted: bool = False
    cancel_at: float | None = None
    cancels: list[str] = field(default_factory=list)
    told_waiting: str = ""


class VehicleSession:
    def __init__(
        self, profile: VehicleProfile, robot_id: str, maker: str, serial: str
    ) -> None:
        self.profile = profile
        self.robot_id = robot_id
        self._dialect = profile.dialect
        self._header = Header(profile.version, maker, serial)
        self._numbers = itertools.count(1)
        self._out: list[VehicleOutput] = []
        self._ended: OrderedDict[str, Ended] = OrderedDict()
        self._command: _Open | None = None
        self._state: State | None = None
        self._factsheet: Factsheet | None = None
        self._pose: Pose | None = None
        self._battery: Battery | None = None
        self._permitted_until = math.inf
        self._told_link: tuple[LinkState, bool, str] | None = None
        self._told_problems: set[tuple[str, str]] = set()
        self._told_foreign: tuple[str, ...] = ()
        self._told_broken: tuple[tuple[str, str], ...] = ()
        self._stopped: bool | None = None
        self._opened_at: float | None = None
        self._closed_reason = "not connected yet"
        self._connection = ""
        self._heard_at: float | None = None
        self._asked_at = -math.inf
        self._question = ""
        self._synced = False
        self._offset_s: float | None = None

    # --- the one entrance -----------------------------------------------------

    def handle(self, now_s: float, event: VehicleEvent) -> list[VehicleOutput]:
        match event:
            case LinkOpened():
                self._forget()
                self._opened_at = now_s
                self._instant(now_s, "factsheetRequest")
            case LinkClosed(reason):
                self._forget()
                self._opened_at, self._closed_reason = None, reason
            case Said():
                self._hear(now_s, event)
            case Navigate():
                self._accept(now_s, event)
            case Action():
                self._accept_action(now_s, event)
            case Cancel(command_id):
                self._cancel(now_s, command_id)
            case Pause() | Resume():
                on = isinstance(event, Pause)
                self._instant(now_s, "startPause" if on else "stopPause")
            case Permit(until):
                self._permitted_until = until
            case Tick():
                pass
        self._settle(now_s)
        outputs = self._out.copy()
        self._out.clear()
        return outputs

    def snapshot(self, now_s: float) -> Snapshot:
        link, _ = self._link(now_s)
        c, pose = self._command, self._pose
        return Snapshot(
            robot_id=self.robot_id,
            at=now_s,
            link=link,
            reconciled=self._reconciled(),
            pose=pose,
            pose_age_s=None if pose is None else now_s - pose.at,
            standing=self._state is not None and not self._state.driving,
            battery=self._battery,
            stopped=bool(self._stopped),
            command_id=None if c is None else c.id,
            command_state=None if c is None else c.state,
            distance_left_m=self._left_m(),
            blocked=c is not None and c.progress.blocked,
            foreign_goals=self._foreign(),
            round_trip_s=None,
            clock_offset_s=self._offset_s,
        )

    # --- the link -------------------------------------------------------------

    def _forget(self) -> None:
        self._synced = False
        self._question = ""
        self._heard_at = None
        self._asked_at = -math.inf
        self._state = None
        self._told_problems.clear()

    def _link(self, now_s: float) -> tuple[LinkState, str]:
        if self._opened_at is None:
            return LinkState.DOWN, self._closed_reason
        if self._connection in ("OFFLINE", "CONNECTIONBROKEN", "HIBERNATING"):
            words = {
                "OFFLINE": "the vehicle has signed off",
                "CONNECTIONBROKEN": "the vehicle has lost its connection",
                "HIBERNATING": "the vehicle sleeps",
            }
            return LinkState.DOWN, words[self._connection]
        quiet_s = self.profile.quiet_s
        since = self._heard_at if self._heard_at is not None else self._opened_at
        silent_s = now_s - since
        if silent_s > STALE_AFTER * quiet_s:
            return LinkState.STALE, f"nothing is heard of it for {silent_s:.0f} s"
        if self._heard_at is None:
            return LinkState.DEGRADED, "no word of it yet"
        if silent_s > 1.5 * quiet_s:
            return LinkState.DEGRADED, f"no answer for {silent_s:.0f} s"
        return LinkState.UP, ""

    def _reconciled(self) -> bool:
        state = self._state
        return (
            self._opened_at is not None
            and self._synced
            and state is not None
            and state.position is not None
            and state.position.localised
        )

    def _settle(self, now_s: float) -> None:
        link, reason = self._link(now_s)
        if self._opened_at is not None and now_s < self._permitted_until:
            self._ask(now_s)
        if link is LinkState.STALE:
            self._synced = False
        reconciled = self._reconciled()
        why_down = reason if link is LinkState.DOWN else ""
        if (link, reconciled, why_down) != self._told_link:
            self._told_link = (link, reconciled, why_down)
            self._out.append(Link(now_s, link, reconciled, reason))
        foreign = self._foreign()
        if foreign != self._told_foreign:
            self._told_foreign = foreign
            self._out.append(Foreign(now_s, foreign))
        self._drive(now_s, link is LinkState.UP and reconciled)

    def _ask(self, now_s: float) -> None:
        quiet_s = self.profile.quiet_s
        heard_at = self._heard_at if self._heard_at is not None else -math.inf
        wanted = not self._synced or now_s - heard_at >= quiet_s
        if wanted and now_s - self._asked_at >= quiet_s / 2:
            self._asked_at = now_s
            self._question = self._instant(now_s, "stateRequest")

    def _instant(
        self, now_s: float, kind: str, parameters: Mapping[str, Any] | None = None
    ) -> str:
        ident = f"{self.robot_id}-{now_s:.3f}-{next(self._numbers)}"
        header = self._header.of("instantActions", now_s)
        body = orders.instant_body(
            header,
            [orders.action(kind, ident, parameters)],
            self.profile.instant_actions_field,
        )
        if self._opened_at is not None and now_s < self._permitted_until:
            self._out.append(Tell("instantActions", body))
        return ident

    # --- what it says ---------------------------------------------------------

    def _hear(self, now_s: float, said: Said) -> None:
        try:
            if said.topic == "connection":
                self._hear_connection(reading.read_connection(said.body))
            elif said.topic == "factsheet":
                self._factsheet = reading.read_factsheet(said.body)
            elif said.topic == "visualization":
                self._heard_at = now_s
                self._take_position(now_s, reading.read_position(said.body))
            elif said.topic == "state" and not said.kept:
                self._heard_at = now_s
                self._hear_state(now_s, reading.read_state(said.body))
        except BadMessage as cause:
            self._problem(now_s, "bad_message", said.topic, f"{said.topic}: {cause}")

    def _hear_connection(self, state: str) -> None:
        if self._connection not in ("", "ONLINE") and state == "ONLINE":
            # It may have been restarted; what it knew may be gone.
            self._synced, self._state, self._heard_at = False, None, None
            self._asked_at = -math.inf
        self._connection = state

    def _hear_state(self, now_s: float, state: State) -> None:
        if self._connection in ("OFFLINE", "CONNECTIONBROKEN"):
            return  # the broker sent it after the last will of a newer connection
        self._state = state
        opened_at = self._opened_at if self._opened_at is not None else now_s
        answered = self._question in state.actions
        if answered or (now_s - opened_at >= SYNC_S and self._asked_at < now_s):
            self._synced = True
        self._take_position(now_s, state.position)
        if state.charge is not None:
            battery = Battery(now_s, state.charge, state.voltage_v, state.charging)
            self._battery = battery
            self._out.append(battery)
        stopped = state.stop not in ("NONE", "")
        if stopped != self._stopped:
            self._stopped = stopped
            self._out.append(Safety(now_s, stopped))
        broken = tuple(sorted((f.kind, f.text) for f in state.faults if not f.order))
        if broken != self._told_broken:
            self._told_broken = broken
            self._out.append(Diagnosis(now_s, broken))
        self._watch_clock(now_s, state)
        if state.version.partition(".")[0] != self.profile.version.partition(".")[0]:
            text = f"it speaks version {state.version}, not {self.profile.version}"
            self._problem(now_s, "wrong_version", self.robot_id, text)
        c = self._command
        if c is not None:
            self._follow(now_s, c, state)

    def _take_position(self, now_s: float, at: reading.Position | None) -> None:
        if at is not None and at.localised:
            pose = Pose(now_s, at.x, at.y, at.yaw, self.profile.frame)
            self._pose = pose
            self._out.append(pose)

    def _watch_clock(self, now_s: float, state: State) -> None:
        if state.at_s is None:
            return
        self._offset_s = state.at_s - now_s
        if abs(self._offset_s) > self.profile.limits.clock_skew_s:
            text = f"its clock is {self._offset_s:+.1f} s from ours; nothing goes by it"
            self._problem(now_s, "clock_skew", self.robot_id, text)

    # --- commands -------------------------------------------------------------

    def _accept(self, now_s: float, order: Navigate) -> None:
        why_not = refusal(order)
        self._take(
            now_s,
            order.command_id,
            why_not,
            _Open(
                order.command_id,
                order.expires_at,
                ProgressWatch(self.profile.limits, now_s),
                target=(order.x, order.y, order.yaw),
                via=order.via,
                maybe_sent=order.maybe_sent_at is not None,
            ),
        )

    def _accept_action(self, now_s: float, order: Action) -> None:
        kind = self.profile.actions.get(order.name)
        why_not = ""
        if kind is None:
            known = ", ".join(sorted(self.profile.actions)) or "none"
            why_not = f"there is no action {order.name!r}; the profile has {known}"
        key = str(order.args.get("id") or order.command_id)
        given = {
            k: v for k, v in order.args.items() if k != "id" and v not in ("", None)
        }
        names = {"package": "loadId"}
        parameters = {names.get(k, k): v for k, v in given.items()}
        doing = orders.action(kind or "", orders.order_id(f"{key}/action"), parameters)
        self._take(
            now_s,
            order.command_id,
            why_not,
            _Open(
                order.command_id,
                order.expires_at,
                ProgressWatch(self.profile.limits, now_s),
                action=doing,
                maybe_sent=True,
                order=key,
            ),
        )

    def _take(self, now_s: float, command_id: str, why_not: str, new: _Open) -> None:
        if command_id in self._ended:
            self._out.append(self._ended[command_id])
            return
        c = self._command
        if c is not None and c.id == command_id:
            self._tell_progress(now_s, c)
            return
        if c is not None:
            why_not = f"the robot still has command {c.id}"
        if why_not:
            state = CommandState.REJECTED
            self._out.append(Ended(now_s, command_id, state, False, why_not, None))
            return
        sheet = self._factsheet
        new.order = orders.order_id(
            new.order or command_id,
            digits=sheet is not None and sheet.ids_are_digits,
            longest=0 if sheet is None else sheet.longest_id,
        )
        self._command = new
        self._tell_progress(now_s, new)

    def _cancel(self, now_s: float, command_id: str) -> None:
        c = self._command
        if c is not None and c.id == command_id:
            c.cancel_wanted = True
        elif command_id in self._ended:
            self._out.append(self._ended[command_id])
        else:
            text = f"there is no command {command_id} to cancel"
            self._problem(now_s, "unknown_command", command_id, text)

    def _foreign(self) -> tuple[str, ...]:
        state, c = self._state, self._command
        if state is None or not state.busy or not self._synced:
            return ()
        if c is not None and state.order == c.order:
            return ()
        return (state.order or "an order without a name",)

    # --- what we do about it --------------------------------------------------

    def _drive(self, now_s: float, ready: bool) -> None:
        c, state = self._command, self._state
        if c is None:
            return
        if state is None or not ready:
            c.progress.restart(now_s)
            if c.state is CommandState.NEW and now_s >= c.expires_at:
                reason = "expired before it could be sent"
                if not c.maybe_sent:
                    self._end(now_s, c, CommandState.EXPIRED, False, reason)
            return
        if c.state is CommandState.NEW:
            self._start(now_s, c, state)
        elif c.state is CommandState.SENT:
            self._send_again(now_s, c, state)
        else:
            self._extend(now_s, c, state)
        if self._command is c:
            self._press_cancel(now_s, c)
            self._watch(now_s, c)

    def _start(self, now_s: float, c: _Open, state: State) -> None:
        if state.order == c.order:
            self._follow(now_s, c, state)  # an earlier owner's word arrived
        elif c.cancel_wanted:
            reason = "cancelled before start"
            self._end(now_s, c, CommandState.CANCELLED, False, reason)
        elif now_s >= c.expires_at:
            why = f" ({self._why_not(state)})" if self._why_not(state) else ""
            reason = f"expired before it could be sent{why}"
            self._end(now_s, c, CommandState.EXPIRED, False, reason)
        elif self._why_not(state) or state.position is None:
            if self._foreign() and c.told_waiting != state.order:
                c.told_waiting = state.order
                text = f"the vehicle drives an order that is not ours: {state.order}"
                self._out.append(Problem(now_s, "foreign_goal", state.order, text))
        else:
            self._send(now_s, c, state, state.position)

    def _why_not(self, state: State) -> str:
        if state.busy:
            return "another fleet control's order is driven"
        if not state.automatic:
            return f"its operating mode is {state.mode or 'unknown'}"
        fatal = [f for f in state.faults if f.level == "FATAL" and not f.order]
        return fatal[0].text if fatal else ""

    def _send(self, now_s: float, c: _Open, state: State, at: reading.Position) -> None:
        if c.way is None:
            c.way = self._way(c, state, at)
        c.released = self._base_from(c.way, 0)
        header = self._header.of("order", now_s)
        c.body = orders.order_body(
            self._dialect, header, c.order, 0, c.way, released=c.released
        )
        self._out.append(Tell("order", c.body))
        c.sent_at = now_s
        c.progress.restart(now_s)
        self._advance(now_s, c, CommandState.SENT)

    def _way(self, c: _Open, state: State, at: reading.Position) -> Route:
        if c.target is None:
            name = state.last_node or orders.node_name(at.x, at.y)
            node = Node(name, 0, at.x, at.y, None, (c.action,) if c.action else ())
            return Route((node,), self._map(at), self.profile.limits.arrival_m)
        x, y, yaw = c.target
        points = [(at.x, at.y), *c.via, (x, y)]
        way = orders.route(
            points,
            yaw,
            self._map(at),
            start_name=state.last_node,
            deviation_m=self.profile.limits.arrival_m,
        )
        return way

    def _map(self, at: reading.Position) -> str:
        return at.map_id or self.profile.map_id

    def _base_from(self, way: Route, sequence: int) -> int:
        """Up to which node the vehicle may drive that is at this one."""
        ahead = self.profile.base_nodes
        sheet = self._factsheet
        if sheet is not None and sheet.most_nodes:
            most = max(2, sheet.most_nodes)
            ahead = most if not ahead else min(ahead, most)
        if not ahead:
            return way.last.sequence
        return min(way.last.sequence, sequence + 2 * (ahead - 1))

    def _send_again(self, now_s: float, c: _Open, state: State) -> None:
        """The same order under the same id: whoever has it takes no notice."""
        if c.sent_at is None or now_s - c.sent_at < AGAIN_S:
            return
        if state.busy or not state.automatic:
            return
        if now_s >= c.expires_at:
            reason = "the vehicle never took the order"
            self._end(now_s, c, CommandState.EXPIRED, False, reason)
        elif not c.cancel_wanted:
            self._repeat(now_s, c)

    def _repeat(self, now_s: float, c: _Open) -> None:
        if c.body is not None:
            c.sent_at = now_s
            header = self._header.of("order", now_s)
            self._out.append(Tell("order", {**c.body, **header}))

    def _extend(self, now_s: float, c: _Open, state: State) -> None:
        """Release more of the way, stitched to the last node of the base."""
        if c.cancel_wanted or state.order != c.order:
            return
        if c.way is None:
            c.way = self._way_of(c, state)
            released = [n.sequence for n in state.ahead if n.released]
            c.released = max(released, default=state.last_sequence)
            c.update = state.update
        way = c.way
        if way is None or c.released >= way.last.sequence:
            return
        if state.update < c.update:
            if c.sent_at is not None and now_s - c.sent_at >= AGAIN_S:
                self._repeat(now_s, c)
            return
        target = self._base_from(way, state.last_sequence)
        if target <= c.released and not state.wants_base:
            return
        target = max(target, min(way.last.sequence, c.released + 2))
        c.update += 1
        header = self._header.of("order", now_s)
        c.body = orders.order_body(
            self._dialect,
            header,
            c.order,
            c.update,
            way,
            first=c.released,
            released=target,
        )
        c.released, c.sent_at = target, now_s
        self._out.append(Tell("order", c.body))

    def _way_of(self, c: _Open, state: State) -> Route | None:
        """The rest of a way that an earlier process sent, from the vehicle's word."""
        nodes = []
        for each in state.ahead:
            place = each.place or orders.place_of(each.name)
            if place is None:
                return None
            nodes.append(Node(each.name, each.sequence, *place))
        if not nodes:
            return None
        if c.target is not None:
            nodes[-1] = replace(nodes[-1], yaw=c.target[2])
        at = state.position
        map_id = self.profile.map_id if at is None else self._map(at)
        return Route(tuple(nodes), map_id, self.profile.limits.arrival_m)

    def _press_cancel(self, now_s: float, c: _Open) -> None:
        if not c.cancel_wanted or c.state is CommandState.NEW:
            return
        if c.cancel_at is not None and now_s - c.cancel_at < AGAIN_S:
            return
        c.cancel_at = now_s
        named = None if self._dialect.edges_name_nodes else {"orderId": c.order}
        c.cancels.append(self._instant(now_s, "cancelOrder", named))

    # --- what it says about them ----------------------------------------------

    def _follow(self, now_s: float, c: _Open, state: State) -> None:
        if not self._synced:
            return
        if c.state is CommandState.NEW and not c.maybe_sent:
            return
        if state.order != c.order:
            self._follow_other(now_s, c, state)
            return
        for fault in state.faults:
            if fault.order == c.order and state.update < c.update:
                self._problem(now_s, "order_error", c.order, fault.text)
        if state.busy:
            driving = CommandState.ACTIVE if state.driving else CommandState.ACKED
            self._advance(now_s, c, driving)
            return
        if c.action is not None:
            self._follow_action(now_s, c, c.action, state)
            return
        inferred = c.state is CommandState.NEW
        self._advance(now_s, c, CommandState.ACKED)
        if c.cancel_wanted and not self._is_there(c):
            reason = "cancelled on request"
            self._end(now_s, c, CommandState.CANCELLED, False, reason)
        elif self._is_there(c):
            self._end(now_s, c, CommandState.SUCCEEDED, inferred, "")
        else:
            worst = [f.text for f in state.faults if f.level in ("FATAL", "CRITICAL")]
            if worst:
                self._end(now_s, c, CommandState.ABORTED, False, worst[0])
            else:
                reason = "called off by somebody else before it was there"
                self._end(now_s, c, CommandState.CANCELLED, False, reason)

    def _follow_action(self, now_s: float, c: _Open, doing: Body, state: State) -> None:
        status, said = state.actions.get(doing["actionId"], ("", ""))
        self._advance(now_s, c, CommandState.ACTIVE)
        if status == "FINISHED":
            self._end(now_s, c, CommandState.SUCCEEDED, False, said)
        elif status in ("FAILED", "RETRIABLE"):
            about = [f.text for f in state.faults]
            reason = said or (about[0] if about else "the vehicle could not do it")
            self._end(now_s, c, CommandState.ABORTED, False, reason)
        elif not status:
            reason = "the vehicle does not say whether it did it"
            self._end(now_s, c, CommandState.UNKNOWN, True, reason)

    def _follow_other(self, now_s: float, c: _Open, state: State) -> None:
        refused = [f for f in state.faults if f.order == c.order]
        if c.state is CommandState.SENT and refused:
            self._end(now_s, c, CommandState.REJECTED, False, refused[0].text)
        elif c.state is CommandState.SENT and self._cancel_answered(c, state):
            reason = "cancelled; the vehicle does not have the order"
            self._end(now_s, c, CommandState.CANCELLED, False, reason)
        elif c.state is CommandState.SENT and state.busy:
            reason = "another fleet control's order came before or after it"
            self._end(now_s, c, CommandState.UNKNOWN, True, reason)
        elif c.state in (CommandState.ACKED, CommandState.ACTIVE):
            if self._is_there(c) and c.action is None:
                self._end(now_s, c, CommandState.SUCCEEDED, True, "it stands there")
            elif state.order:
                reason = "another fleet control's order took its place"
                self._end(now_s, c, CommandState.CANCELLED, True, reason)
            else:
                reason = "the vehicle was restarted and no longer knows the order"
                self._end(now_s, c, CommandState.UNKNOWN, True, reason)

    def _cancel_answered(self, c: _Open, state: State) -> bool:
        return any(
            state.actions.get(each, ("", ""))[0] in reading.ENDED for each in c.cancels
        )

    def _is_there(self, c: _Open) -> bool:
        left_m = self._left(c)
        state = self._state
        if left_m is None or state is None or c.target is None:
            return False
        last = c.way.last.sequence if c.way is not None else None
        at_end = last is None or state.order != c.order or state.last_sequence == last
        return left_m <= self.profile.limits.arrival_m and at_end

    # --- telling --------------------------------------------------------------

    def _left_m(self) -> float | None:
        return None if self._command is None else self._left(self._command)

    def _left(self, c: _Open) -> float | None:
        pose = self._pose
        if pose is None or c.target is None:
            return None
        return math.hypot(pose.x - c.target[0], pose.y - c.target[1])

    def _watch(self, now_s: float, c: _Open) -> None:
        if c.state is CommandState.NEW:
            c.progress.restart(now_s)
        elif c.progress.look(now_s, self._left(c)):
            self._tell_progress(now_s, c)

    def _advance(self, now_s: float, c: _Open, state: CommandState) -> None:
        order = (
            CommandState.NEW,
            CommandState.SENT,
            CommandState.ACKED,
            CommandState.ACTIVE,
        )
        if order.index(state) > order.index(c.state):
            c.state = state
            self._tell_progress(now_s, c)

    def _tell_progress(self, now_s: float, c: _Open) -> None:
        reason = ""
        state = self._state
        if c.progress.blocked and state is not None:
            reason = "emergency stop" if self._stopped else "no progress"
            reason = "paused" if state.paused else reason
        c.progress.told_at = now_s
        self._out.append(
            Progress(now_s, c.id, c.state, self._left(c), c.progress.blocked, reason)
        )

    def _end(
        self, now_s: float, c: _Open, state: CommandState, inferred: bool, reason: str
    ) -> None:
        end = Ended(now_s, c.id, state, inferred, reason, self._left(c))
        self._ended[c.id] = end
        while len(self._ended) > REMEMBERED_ENDS:
            self._ended.popitem(last=False)
        self._command = None
        self._out.append(end)

    def _problem(self, now_s: float, kind: str, name: str, text: str) -> None:
        """Once per connection and name."""
        if (kind, name) not in self._told_problems:
            self._told_problems.add((kind, name))
            self._out.append(Problem(now_s, kind, name, text))
