"""One robot, without I/O: events and the time go in, frames and reports come out.

The session owns the order of things after a connect: names are checked, topics
subscribed, and nothing is driven before a fresh list of goals and a fresh pose
have arrived on *this* connection and the link is UP ("reconciled"). Goals, doubt
and ends belong to ``runner``; protocols to ``drivers``; so every rule can be
tested with a list of events and a made-up clock.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from robot_bridge import messages
from robot_bridge.calls import Call, CallDesk
from robot_bridge.drivers import make_driver
from robot_bridge.drivers.base import HandlesSeen, ListSeen, Observation
from robot_bridge.latches import Latches
from robot_bridge.link import LinkWatch
from robot_bridge.messages import BadMessage, Frame
from robot_bridge.profiles import CallSpec, Profile, SafetySpec, TopicSpec
from robot_bridge.reports import (
    Action,
    Battery,
    Cancel,
    CommandState,
    Diagnosis,
    Ended,
    Event,
    Foreign,
    FrameIn,
    GoalLine,
    Link,
    LinkClosed,
    LinkOpened,
    LinkState,
    Navigate,
    Output,
    Pause,
    Permit,
    Pose,
    Problem,
    Resume,
    Safety,
    Send,
    Snapshot,
    Tick,
)
from robot_bridge.runner import CommandRunner, client_of
from robot_bridge.typecheck import TypeCheck
from robot_bridge.whereabouts import Whereabouts

POSE_PATIENCE_S = 5.0
LIST_AGAIN_S = 5.0
LIST_WAIT_S = 2.0


class RobotSession:
    def __init__(
        self, profile: Profile, robot_id: str, *, namespace: str | None = None
    ) -> None:
        self.profile = profile
        self.robot_id = robot_id
        self._driver = make_driver(profile, robot_id, namespace)
        self._ids = itertools.count(1)
        self._out: list[Output] = []
        limits, topics = profile.limits, profile.topics
        self._roles: dict[str, list[str]] = {}
        self._specs: dict[str, TopicSpec | SafetySpec] = {}
        for role in ("pose", "odom", "battery", "safety", "diagnostics"):
            spec: TopicSpec | SafetySpec | None = getattr(topics, role)
            if spec is not None:
                self._listen(self._driver.resolve(spec.name), role, spec)
        for name, wanted in self._driver.subscriptions().items():
            self._listen(name, "goals", wanted)
        self._spelt: dict[str, str] = {}
        self._publications = dict(self._driver.publications())
        self._services: dict[str, str] = {}
        for call in self._call_specs():
            if call.topic is not None:
                self._publications[self._driver.resolve(call.topic)] = call.type
            else:
                service = self._driver.resolve(call.service or "")
                self._services[service] = call.type
        fresh_s = {
            name: spec.fresh_s
            for name, spec in self._specs.items()
            if isinstance(spec, TopicSpec) and spec.fresh_s is not None
        }
        self._link = LinkWatch(limits, fresh_s, profile.rosapi)
        self._goal_topics = frozenset(self._driver.subscriptions())
        asked = frozenset(self._specs)
        self._latches = Latches(asked)
        names = {name: spec.type for name, spec in self._specs.items()}
        if not self._driver.lists_goals:
            # Hidden from rosapi; what it belongs to is asked for as an action.
            names = {n: t for n, t in names.items() if n not in self._goal_topics}
        self._types = TypeCheck(
            names | self._publications,
            self._services,
            limits.ping_timeout_s,
            actions=self._driver.actions(),
            spoken=frozenset(names),
        )
        self._goal_line: bool | None = None
        self._listens = False
        self._list_at = math.inf
        self._list_asked_at: float | None = None
        self._told_foreign: tuple[str, ...] = ()
        self._where = Whereabouts(limits, topics.odom is not None)
        self._runner = CommandRunner(
            self._driver, self._where, robot_id, self._out.append
        )
        self._calls = CallDesk(
            self._driver.resolve, self._next_id, self._out.append, limits.action_s
        )
        self._ping_id = ""
        self._list_seen = False
        self._silent = False
        self._listens_since = math.inf
        self._told_link: tuple[LinkState, bool, str] | None = None
        self._told_problems: set[tuple[str, str]] = set()
        self._battery: Battery | None = None
        self._stopped: bool | None = None
        self._broken: dict[str, str] = {}
        self._told_broken: tuple[tuple[str, str], ...] = ()
        self._permitted_until = math.inf

    # --- the one entrance -----------------------------------------------------

    def handle(self, now_s: float, event: Event) -> list[Output]:
        match event:
            case FrameIn(frame):
                self._on_frame(now_s, frame)
            case Tick():
                pass
            case LinkOpened():
                self._on_opened(now_s)
            case LinkClosed(reason):
                self._forget_connection(now_s)
                self._link.close(reason)
            case GoalLine(is_open):
                if self._goal_line and not is_open:
                    self._runner.lost_goal_line()
                self._goal_line = is_open
            case Navigate():
                self._runner.accept(now_s, event)
            case Cancel(command_id):
                if not self._calls.cancel(now_s, command_id):
                    self._runner.cancel(now_s, command_id)
            case Pause() | Resume():
                self._on_pause(now_s, isinstance(event, Pause))
            case Action():
                self._on_action(now_s, event)
            case Permit(until):
                self._permitted_until = until
        self._settle(now_s)
        outputs = self._out.copy()
        self._out.clear()
        return outputs

    def snapshot(self, now_s: float) -> Snapshot:
        state, _ = self._link.state(now_s)
        reading, command = self._where.pose, self._runner.command
        pose = None
        if reading is not None and self._where.pose_at is not None:
            at = self._where.pose_at
            pose = Pose(at, reading.x, reading.y, reading.yaw, reading.frame)
        return Snapshot(
            robot_id=self.robot_id,
            at=now_s,
            link=state,
            reconciled=self._reconciled(),
            pose=pose,
            pose_age_s=None if pose is None else now_s - pose.at,
            standing=self._where.standing,
            battery=self._battery,
            stopped=bool(self._stopped),
            command_id=None if command is None else command.id,
            command_state=None if command is None else command.state,
            distance_left_m=self._runner.distance_left_m(),
            blocked=command is not None and command.progress.blocked,
            foreign_goals=self._runner.foreign_goals,
            round_trip_s=self._link.round_trip_s,
            clock_offset_s=self._link.clock_offset_s,
        )

    @property
    def needs_goal_line(self) -> bool:
        return self._driver.goals_block

    @property
    def topics(self) -> tuple[str, ...]:
        """Full names of what this robot's frames arrive on."""
        return tuple(self._specs)

    def farewell(self) -> list[Frame]:
        """What ends its subscriptions on a connection that others use."""
        return [
            messages.unsubscribe(self._spelt.get(name, name), f"{self.robot_id}:{name}")
            for name in self._specs
        ]

    # --- connection -----------------------------------------------------------

    def _on_opened(self, now_s: float) -> None:
        """A topic that we subscribe to or advertise exists from then on, so the names
        are asked for first."""
        self._forget_connection(now_s)
        self._link.open(now_s)
        self._listens_since = math.inf
        if self.profile.rosapi:
            for frame in self._types.start(now_s, self._next_id):
                self._out.append(Send(frame))

    def _begin_to_listen(self, now_s: float) -> None:
        self._listens = True
        for name, kind in self._publications.items():
            frame = messages.advertise(name, self.profile.spell(kind))
            self._out.append(Send(frame))
        for name in self._specs:
            self._subscribe(name)
        self._listens_since = now_s
        self._link.listens(now_s)
        self._latches.opened(now_s)

    def _subscribe(self, name: str) -> None:
        spec = self._specs[name]
        frame = messages.subscribe(
            self._spelt.get(name, name),
            self.profile.spell(spec.type),
            f"{self.robot_id}:{name}",
            throttle_ms=spec.throttle_ms,
            queue_length=1,
        )
        self._out.append(Send(frame))

    def _forget_connection(self, now_s: float) -> None:
        self._list_seen = False
        self._listens = False
        self._spelt.clear()
        self._silent = False
        self._latches.closed()
        self._ping_id = ""
        self._types.open.clear()
        self._told_problems.clear()
        self._broken.clear()
        self._where.disconnected()
        self._runner.disconnected()
        self._calls.disconnected(now_s)

    def _reconciled(self) -> bool:
        return (
            self._link.is_open
            and self._types.done
            and not self._types.missing
            and (not self.profile.rosapi or self._link.pong_at is not None)
            and self._where.current
            and (self._list_seen or not self._driver.lists_goals)
        )

    def _settle(self, now_s: float) -> None:
        finding = self._types.expire(now_s)
        if finding is not None:
            self._problem(now_s, *finding)
        if self._link.is_open and not self._listens and self._types.done:
            self._begin_to_listen(now_s)
        # The link tells of one that fell silent; one never heard has no such topic.
        fell_silent = self._silent and self._where.pose is not None
        listens = self._link.is_open and not fell_silent
        blind_s = now_s - self._listens_since if listens else 0.0
        if blind_s >= POSE_PATIENCE_S and not self._where.current:
            name = self._driver.resolve(self.profile.topics.pose.name)
            self._problem(now_s, "no_pose", name, f"no pose arrives on {name}")
        if self._link.is_open:
            for frame in self._types.ask_again(now_s, self._next_id):
                self._out.append(Send(frame))
        for name in self._latches.ask_again(now_s):
            self._renew(name)
        self._renew_list(now_s)
        if self._link.ping_due(now_s):
            self._ping_id = self._next_id()
            self._link.pinged(now_s)
            frame = messages.call_service("/rosapi/get_time", self._ping_id, {})
            self._out.append(Send(frame))
        state, reason = self._link.state(now_s)
        self._mind_silence(now_s, state)
        reconciled = self._reconciled()
        why_down = reason if state is LinkState.DOWN else ""
        if (state, reconciled, why_down) != self._told_link:
            self._told_link = (state, reconciled, why_down)
            self._out.append(Link(now_s, state, reconciled, reason))
        permitted = now_s < self._permitted_until
        line = self._goal_line is not False
        ready = reconciled and state is LinkState.UP and permitted and line
        runner = self._runner
        runner.link_open = self._link.is_open and permitted
        runner.ready = ready
        runner.stopped = bool(self._stopped)
        missing = ", ".join(sorted(self._types.missing))
        no_action = f"the robot has no action {missing}" if missing else ""
        no_line = "" if line else "its connection for goals is not open"
        unsure = "" if reconciled else "not reconciled yet"
        runner.why_not_ready = reason or no_action or no_line or unsure
        runner.drive(now_s)
        self._tell_foreign(now_s)
        self._calls.drive(now_s, ready)

    def _renew_list(self, now_s: float) -> None:
        """A list that is said only when it changes may be of a navigation that has
        been restarted since: subscribed anew, what is alive says it again."""
        if not self._link.is_open or not self._runner.believes_in_handles:
            self._list_asked_at = None
        elif self._list_asked_at is None and now_s - self._list_at >= LIST_AGAIN_S:
            self._list_asked_at = now_s
            for name in self._goal_topics:
                self._renew(name)
        elif (
            self._list_asked_at is not None
            and now_s - self._list_asked_at >= LIST_WAIT_S
            and self._link.state(now_s)[0] is LinkState.UP
        ):
            self._list_asked_at = None
            self._runner.observe(now_s, HandlesSeen({}))

    def _renew(self, name: str) -> None:
        ident, spelt = f"{self.robot_id}:{name}", self._spelt.get(name, name)
        self._out.append(Send(messages.unsubscribe(spelt, ident)))
        self._spelt[name] = messages.other_spelling(spelt)
        self._subscribe(name)

    def _tell_foreign(self, now_s: float) -> None:
        goals = self._runner.foreign_goals
        if goals != self._told_foreign:
            self._told_foreign = goals
            client = next(filter(None, map(client_of, goals)), "")
            self._out.append(Foreign(now_s, goals, client))

    def _mind_silence(self, now_s: float, state: LinkState) -> None:
        """A robot behind a server that stays may be cut off as well. What was said
        meanwhile is lost, so its place and its goals are asked for again."""
        was_silent, self._silent = self._silent, state is LinkState.STALE
        if self._silent and not was_silent:
            self._list_seen = False
            self._where.disconnected()
            self._runner.disconnected()
        elif was_silent and self._link.is_open and not self._silent:
            self._listens_since = now_s
            self._latches.opened(now_s)

    # --- frames ---------------------------------------------------------------

    def _on_frame(self, now_s: float, frame: Frame) -> None:
        if not self._link.is_open:
            return
        op = frame.get("op")
        try:
            if op == "publish":
                self._on_message(now_s, frame)
            elif op == "service_response":
                self._on_answer(now_s, frame)
            elif op in ("action_feedback", "action_result"):
                self._observe(now_s, self._driver.read_action(frame))
            elif op == "status" and frame.get("level") in ("error", "warning"):
                text = str(frame.get("msg", ""))[:500]
                self._problem(now_s, "server_says", str(frame.get("id", "")), text)
        except BadMessage as cause:
            name = str(frame.get("topic", frame.get("action", op)))
            self._problem(now_s, "bad_message", name, f"{name}: {cause}")

    def _on_message(self, now_s: float, frame: Frame) -> None:
        topic, message = frame.get("topic"), frame.get("msg")
        if not isinstance(topic, str):
            raise BadMessage("a publication names its topic")
        topic = messages.absolute(topic)
        for role in self._roles.get(topic, ()):
            if role == "pose":
                self._on_pose(now_s, message)
            elif role == "odom":
                self._where.saw_odom(now_s, messages.read_odometry(message))
            elif role == "battery":
                reading = messages.read_battery(message)
                self._battery = Battery(
                    now_s, reading.fraction, reading.voltage_v, reading.charging
                )
                self._out.append(self._battery)
            elif role == "safety":
                self._on_safety(now_s, message)
            elif role == "diagnostics":
                self._on_diagnostics(now_s, message)
            else:
                self._observe(now_s, self._driver.read_topic(topic, message))
        self._link.saw(topic, now_s)
        self._latches.heard(topic)

    def _observe(self, now_s: float, seen: Observation | None) -> None:
        if seen is None:
            return
        if isinstance(seen, HandlesSeen):
            self._list_at, self._list_asked_at = now_s, None
        if isinstance(seen, ListSeen):
            self._list_seen = True
            # From here on a new subscription could lose a result.
            self._latches.heard(*self._goal_topics)
        self._runner.observe(now_s, seen)

    def _on_pose(self, now_s: float, message: Any) -> None:
        reading = messages.read_pose(message)
        jump_m = self._where.saw_pose(now_s, reading)
        if jump_m > self.profile.limits.pose_jump_m:
            text = f"the pose jumped by about {jump_m:.1f} m"
            name = self._driver.resolve(self.profile.topics.pose.name)
            self._out.append(Problem(now_s, "pose_jump", name, text))
        pose = Pose(now_s, reading.x, reading.y, reading.yaw, reading.frame)
        self._out.append(pose)

    def _on_safety(self, now_s: float, message: Any) -> None:
        spec = self.profile.topics.safety
        if spec is None:
            return
        value = message.get(spec.field) if isinstance(message, dict) else None
        if not isinstance(value, bool):
            raise BadMessage(f"field {spec.field!r} is {value!r}, not true or false")
        stopped = value == spec.stopped_when
        if stopped != self._stopped:
            self._stopped = stopped
            self._out.append(Safety(now_s, stopped))

    def _on_diagnostics(self, now_s: float, message: Any) -> None:
        for part, broken in messages.read_diagnostics(message).items():
            if broken is None:
                self._broken.pop(part, None)
            else:
                self._broken[part] = broken
        parts = tuple(sorted(self._broken.items()))
        if parts != self._told_broken:
            self._told_broken = parts
            self._out.append(Diagnosis(now_s, parts))

    def _on_answer(self, now_s: float, frame: Frame) -> None:
        ident, ok = frame.get("id"), frame.get("result") is not False
        values = frame.get("values")
        if not isinstance(ident, str):
            return
        if ident == self._ping_id:
            clock = values.get("time") if isinstance(values, dict) else None
            seconds = messages.seconds_of(clock) if ok and clock else None
            self._link.ponged(now_s, seconds)
            self._watch_clock(now_s)
        elif ident in self._types.open:
            was_missing = bool(self._types.missing)
            finding = self._types.answer(ident, ok, values)
            if was_missing and not self._types.missing:
                self._told_problems = {
                    each for each in self._told_problems if each[0] != "unknown_action"
                }
            if finding is not None:
                self._problem(now_s, *finding)
        else:
            self._calls.answer(now_s, ident, ok, values)

    def _watch_clock(self, now_s: float) -> None:
        offset_s = self._link.clock_offset_s
        if offset_s is not None and abs(offset_s) > self.profile.limits.clock_skew_s:
            text = (
                f"the robot's clock is {offset_s:+.1f} s from ours; goals are stamped "
                "by its clock"
            )
            self._problem(now_s, "clock_skew", self.robot_id, text)
        if offset_s is not None:
            self._runner.measured_clock(offset_s)

    # --- other orders ---------------------------------------------------------

    def _on_pause(self, now_s: float, on: bool) -> None:
        spec = self.profile.pause
        if spec is None:
            text = f"profile {self.profile.name} has no pause; cancel instead"
            self._out.append(Problem(now_s, "no_pause", self.robot_id, text))
            return
        name = "pause" if on else "resume"
        self._calls.place(
            Call(
                command_id=f"{name}/{now_s:.3f}",
                spec=spec.engage if on else spec.release,
                args={},
                expires_at=now_s + self.profile.limits.action_s,
            )
        )

    def _on_action(self, now_s: float, order: Action) -> None:
        spec = self.profile.actions.get(order.name)
        if spec is None:
            known = ", ".join(sorted(self.profile.actions)) or "none"
            reason = f"there is no action {order.name!r}; the profile has {known}"
            state = CommandState.REJECTED
            self._out.append(Ended(now_s, order.command_id, state, False, reason, None))
            return
        call = Call(order.command_id, spec, order.args, order.expires_at)
        self._calls.place(call)

    # --- small things ---------------------------------------------------------

    def _listen(self, name: str, role: str, spec: TopicSpec | SafetySpec) -> None:
        self._roles.setdefault(name, []).append(role)
        self._specs.setdefault(name, spec)

    def _call_specs(self) -> list[CallSpec]:
        pause = self.profile.pause
        specs = [] if pause is None else [pause.engage, pause.release]
        return specs + list(self.profile.actions.values())

    def _next_id(self) -> str:
        return f"{self.robot_id}:{next(self._ids)}"

    def _problem(self, now_s: float, kind: str, name: str, text: str) -> None:
        """Once per connection and name: silence would hide it, a flood as well."""
        if (kind, name) not in self._told_problems:
            self._told_problems.add((kind, name))
            self._out.append(Problem(now_s, kind, name, text))
