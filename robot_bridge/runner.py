"""One navigation command from NEW to exactly one end.

The rules that keep a robot from driving twice, or from driving when nobody wants
it any more, live here: a goal is published only when the link is up and reconciled
and never after its expiry; whatever may have been sent is first looked for in the
robot's own list; a lost acknowledgement is answered by a proof, not by hope
(``takeover``); an end is believed when the robot's result says so, else inferred
from list and pose and marked as inferred, else UNKNOWN.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from robot_bridge.command import Command, Ending, PoseCheck, refusal
from robot_bridge.drivers.base import (
    Driver,
    FeedbackSeen,
    HandlesSeen,
    ListSeen,
    Observation,
    Phase,
    ResultSeen,
    Target,
)
from robot_bridge.ending import read_ending
from robot_bridge.progress import ProgressWatch
from robot_bridge.reports import (
    CommandState,
    Ended,
    Navigate,
    Output,
    Problem,
    Progress,
    Send,
)
from robot_bridge.takeover import FenceLine, provable_until
from robot_bridge.whereabouts import Whereabouts

CANCEL_REPEAT_S = 1.0
CANCEL_COMPLAIN_AFTER = 5
REMEMBERED_ENDS = 200
ABSENT_LISTS = 2


def client_of(goal: str) -> str:
    """Who gave a goal, where its name tells: actionlib puts the node before a number
    and the time, and RViz and ``rostopic`` do so, too."""
    name, _, rest = goal.partition("-")
    return name if name.startswith("/") and rest[:1].isdigit() else ""


def named(goal: str) -> str:
    client = client_of(goal)
    return f"{goal} of {client}" if client else goal


class CommandRunner:
    """The session sets ``link_open``, ``ready`` and ``stopped`` before each call."""

    def __init__(
        self,
        driver: Driver,
        whereabouts: Whereabouts,
        robot_id: str,
        emit: Callable[[Output], None],
    ) -> None:
        self._driver = driver
        self._limits = driver.profile.limits
        self._where = whereabouts
        self._emit = emit
        self._line = FenceLine(robot_id)
        self._ended: OrderedDict[str, Ended] = OrderedDict()
        self._listed: Mapping[str, tuple[Phase, str]] = {}
        self._handles: Mapping[str, Phase] = {}
        self.command: Command | None = None
        self.link_open = False
        self.ready = False
        self.stopped = False
        self.why_not_ready = ""

    # --- what we are told -----------------------------------------------------

    def accept(self, now_s: float, order: Navigate) -> None:
        if order.command_id in self._ended:
            self._emit(self._ended[order.command_id])
            return
        c = self.command
        if c is not None and c.id == order.command_id:
            self._tell(now_s, c)
            return
        why_not = refusal(order)
        if c is not None:
            why_not = f"the robot still has command {c.id}"
        if why_not:
            end = Ended(
                now_s, order.command_id, CommandState.REJECTED, False, why_not, None
            )
            self._emit(end)
            return
        frame = order.frame or self._driver.profile.frame
        c = Command(
            id=order.command_id,
            target=Target(order.x, order.y, order.yaw, frame),
            expires_at=order.expires_at,
            progress=ProgressWatch(self._limits, now_s),
        )
        if order.maybe_sent_at is not None:
            c.in_doubt = True
            c.by_pose = not self._driver.lists_goals
            c.provable_until = provable_until(order.maybe_sent_at, now_s, self._limits)
        self.command = c
        self._tell(now_s, c)
        self._on_list(now_s, c)

    def cancel(self, now_s: float, command_id: str) -> None:
        c = self.command
        if c is None or c.id != command_id:
            if command_id in self._ended:
                self._emit(self._ended[command_id])
            else:
                text = f"there is no command {command_id} to cancel"
                self._emit(Problem(now_s, "unknown_command", command_id, text))
            return
        c.cancel_wanted = True

    def measured_clock(self, offset_s: float) -> None:
        """Of the robot, against ours: stamps are made by the robot's clock."""
        self._line.offset_s = offset_s

    def lost_goal_line(self) -> None:
        """What the robot would have answered there is lost."""
        c = self.command
        if c is not None and c.state is not CommandState.NEW:
            c.by_pose = c.handle is None

    def disconnected(self) -> None:
        self._listed = {}
        self._handles = {}
        c = self.command
        if c is None:
            return
        c.fence = None
        c.doubt_since = None
        c.absent_lists = 0
        c.recalling_since = None
        c.still_since = None
        c.cancel_sent_at = None
        if c.pose_check is not None and c.pose_check.otherwise is CommandState.UNKNOWN:
            c.pose_check = None
        if c.state is not CommandState.NEW and not self._driver.lists_goals:
            c.by_pose = True
        if c.state is CommandState.SENT:
            c.in_doubt = True

    def observe(self, now_s: float, seen: Observation) -> None:
        c = self.command
        if isinstance(seen, ListSeen):
            self._listed = seen.goals
            if c is not None:
                self._on_list(now_s, c)
            return
        if isinstance(seen, HandlesSeen):
            self._handles = seen.goals
            if c is not None:
                self._on_handles(now_s, c)
            return
        if c is None or seen.goal_id != c.id:
            return
        if c.state is CommandState.NEW and not c.in_doubt:
            return
        c.heard_at = now_s
        if isinstance(seen, FeedbackSeen):
            c.progress.path_left_m = seen.distance_left_m
            self._arrived_at_robot(c)
            self._advance(now_s, c, CommandState.ACTIVE)
        else:
            self._on_result(now_s, c, seen)

    @property
    def foreign_goals(self) -> tuple[str, ...]:
        c = self.command
        own = c.id if c is not None else None
        listed = [
            goal
            for goal, (phase, _) in self._listed.items()
            if phase.occupies_robot and goal != own
        ]
        mine = None if c is None else c.handle
        unclear = c is not None and mine is None and c.state is not CommandState.NEW
        handles = [
            goal
            for goal, phase in self._handles.items()
            if phase.occupies_robot and goal != mine
            if not unclear or (c is not None and goal in c.before)
        ]
        return (*listed, *handles)

    @property
    def believes_in_handles(self) -> bool:
        """By a list that may be of a robot's navigation before it was restarted."""
        return any(phase.occupies_robot for phase in self._handles.values())

    def distance_left_m(self) -> float | None:
        c = self.command
        return None if c is None else self._distance_m(c)

    # --- what we do about it --------------------------------------------------

    def drive(self, now_s: float) -> None:
        c = self.command
        if c is None:
            return
        if c.pose_check is not None:
            self._decide_by_pose(now_s, c, c.pose_check)
        elif c.ending is not None:
            if now_s - c.ending.since >= self._limits.result_wait_s:
                ending = c.ending
                self._conclude(
                    now_s,
                    c,
                    ending.phase,
                    ending.payload,
                    ending.text,
                    not ending.told,
                )
        elif c.state is CommandState.NEW and not c.in_doubt:
            self._start(now_s, c)
        elif c.by_pose or not self._driver.acknowledges:
            self._follow_pose(now_s, c)
        elif c.state in (CommandState.NEW, CommandState.SENT):
            self._await_acknowledgement(now_s, c)
        elif not self._driver.lists_goals:
            self._miss_result(now_s, c)
        c = self.command
        if c is not None:
            self._press_cancel(now_s, c)
            self._watch(now_s, c)

    def _start(self, now_s: float, c: Command) -> None:
        if c.cancel_wanted:
            self._end(now_s, c, CommandState.CANCELLED, False, "cancelled before start")
        elif now_s >= c.expires_at:
            why = f" ({self.why_not_ready})" if self.why_not_ready else ""
            reason = f"expired before it could be sent{why}"
            self._end(now_s, c, CommandState.EXPIRED, False, reason)
        elif c.sends > self._limits.resends:
            reason = f"sent {c.sends} times, never taken; it provably never started"
            self._end(now_s, c, CommandState.EXPIRED, False, reason)
        elif not self.ready or (c.proven and not self._where.standing):
            return
        elif self.foreign_goals:
            if not c.foreign_told:
                c.foreign_told = True
                names = ", ".join(map(named, self.foreign_goals))
                text = f"the robot drives a goal that is not ours: {names}"
                self._emit(Problem(now_s, "foreign_goal", names, text))
        else:
            self._send(now_s, c)

    def _send(self, now_s: float, c: Command) -> None:
        c.stamp_s = self._line.goal_stamp(now_s)
        for frame in self._driver.goal_frames(c.id, c.target, c.stamp_s):
            self._emit(Send(frame))
        c.sends += 1
        c.sent_at = now_s
        c.before = frozenset(self._handles)
        c.provable_until = provable_until(now_s, now_s, self._limits)
        c.progress.restart(now_s)
        self._advance(now_s, c, CommandState.SENT)

    def _await_acknowledgement(self, now_s: float, c: Command) -> None:
        limits = self._limits
        if not self._driver.lists_goals:
            waited_s = now_s - (c.sent_at if c.sent_at is not None else now_s)
            if self.ready and waited_s >= limits.max_ack_wait_s:
                c.by_pose = True
            return
        if c.sent_at is not None and now_s - c.sent_at >= limits.ack_s:
            c.in_doubt = True
        if not c.in_doubt or not self.ready:
            return
        if c.doubt_since is None:
            c.doubt_since = now_s
        if now_s - c.doubt_since >= limits.fence_wait_s:
            reason = "nobody can say whether the robot took the goal"
            c.pose_check = PoseCheck(CommandState.UNKNOWN, reason, now_s)
        elif not self.foreign_goals:
            if c.fence is None:
                c.fence = self._line.raise_fence(now_s)
                c.fenced = True
            if c.fence.due(now_s):
                c.fence.published_at = now_s
                fence = c.fence
                for frame in self._driver.fence_frames(fence.sentinel, fence.stamp_s):
                    self._emit(Send(frame))

    def _on_fence_standing(self, now_s: float, c: Command) -> None:
        """The list shows our fence and does not show the goal."""
        c.fence = None
        c.doubt_since = None
        if now_s < c.provable_until:
            c.in_doubt = False
            c.proven = True
            c.state = CommandState.NEW
            at_goal = self._where.is_at(c.target.x, c.target.y)
            if at_goal and not c.cancel_wanted and self._where.standing:
                reason = "the robot stands at the goal"
                self._end(now_s, c, CommandState.SUCCEEDED, True, reason)
        else:
            reason = "it may have been driven and forgotten"
            c.pose_check = PoseCheck(CommandState.UNKNOWN, reason, now_s)

    def _follow_pose(self, now_s: float, c: Command) -> None:
        if not self.ready:
            c.still_since = None
            return
        if self._where.moving:
            c.moved = True
            self._advance(now_s, c, CommandState.ACTIVE)
        if not self._where.standing:
            c.still_since = None
            return
        if c.still_since is None:
            c.still_since = now_s
        still_s = now_s - c.still_since
        settled = c.moved or still_s >= self._limits.ack_s
        if settled and self._where.is_at(c.target.x, c.target.y):
            reason = "the robot stands at the goal"
            self._end(now_s, c, CommandState.SUCCEEDED, True, reason)
        elif c.cancel_sends and still_s >= self._limits.ack_s:
            self._end(now_s, c, CommandState.CANCELLED, True, "the robot stands")
        elif c.by_pose and still_s >= self._limits.check_wait_s:
            if self._driver.acknowledges:
                for frame in self._cancel_frames(c):
                    self._emit(Send(frame))
            reason = self._why_it_stands(c)
            self._end(now_s, c, CommandState.UNKNOWN, True, reason)
        elif not c.by_pose and not c.moved and now_s >= c.expires_at:
            reason = "the robot never moved"
            self._end(now_s, c, CommandState.UNKNOWN, True, reason)

    def _why_it_stands(self, c: Command) -> str:
        if self._driver.goals_block and c.state is CommandState.SENT:
            return "the robot never answered the goal and stands elsewhere"
        if self._driver.goals_block and c.heard_at is not None:
            return "nothing more is heard of the goal; the robot stands elsewhere"
        return "the robot stands elsewhere and cannot tell why"

    def _miss_result(self, now_s: float, c: Command) -> None:
        """Without a list of goals a lost result shows only in the pose."""
        there = self._where.standing and self._where.is_at(c.target.x, c.target.y)
        heard_at = c.heard_at if c.heard_at is not None else c.sent_at
        silent_s = 0.0 if heard_at is None else now_s - heard_at
        limit_s = self._limits.feedback_s
        if not self.ready:
            c.still_since = None
            c.heard_at = now_s  # silence counts only while the robot can be heard
        elif limit_s and silent_s >= limit_s and self._where.standing:
            # Its navigation was restarted, or refused in silence.
            c.by_pose = True
            c.still_since = None
        elif not there:
            c.still_since = None
        elif c.still_since is None:
            c.still_since = now_s
        elif now_s - c.still_since >= self._limits.max_ack_wait_s:
            reason = "the robot stands at the goal; its result never came"
            self._end(now_s, c, CommandState.SUCCEEDED, True, reason)

    def _decide_by_pose(self, now_s: float, c: Command, check: PoseCheck) -> None:
        if not self.ready:
            check.since = now_s
            return
        there = self._where.is_at(c.target.x, c.target.y)
        if there and self._where.standing:
            reason = "the robot stands at the goal"
            self._end(now_s, c, CommandState.SUCCEEDED, True, reason)
        elif now_s - check.since < self._limits.check_wait_s and not (
            self._where.standing and not there
        ):
            return
        elif check.otherwise is CommandState.UNKNOWN and c.cancel_wanted:
            reason = "cancelled; the robot no longer knows the goal"
            self._end(now_s, c, CommandState.CANCELLED, True, reason)
        else:
            unknown = check.otherwise is CommandState.UNKNOWN
            self._end(now_s, c, check.otherwise, unknown, check.reason)

    def _press_cancel(self, now_s: float, c: Command) -> None:
        if not c.cancel_wanted or not self.link_open:
            return
        if c.state is CommandState.NEW and not c.in_doubt:
            return
        if c.cancel_sent_at is not None and (
            now_s - c.cancel_sent_at < CANCEL_REPEAT_S or not self._driver.acknowledges
        ):
            return
        frames = self._cancel_frames(c)
        if not frames:
            if c.cancel_sent_at is None:
                c.cancel_sent_at = now_s
                text = "this make of robot cannot be cancelled"
                self._emit(Problem(now_s, "cancel_impossible", c.id, text))
            return
        for frame in frames:
            self._emit(Send(frame))
        c.cancel_sent_at = now_s
        c.cancel_sends += 1
        if c.cancel_sends == CANCEL_COMPLAIN_AFTER:
            text = f"the robot does not end {c.id} although it was cancelled"
            self._emit(Problem(now_s, "cancel_ignored", c.id, text))

    def _cancel_frames(self, c: Command) -> list[dict[str, Any]]:
        pose = self._where.pose
        here = None
        if pose is not None and self._where.current:
            here = Target(pose.x, pose.y, pose.yaw, c.target.frame)
        return self._driver.cancel_frames(c.id, here)

    # --- what the robot says --------------------------------------------------

    def _on_list(self, now_s: float, c: Command) -> None:
        mine = self._listed.get(c.id)
        fenced = c.fence is not None and c.fence.sentinel in self._listed
        if mine is None:
            if fenced:
                self._on_fence_standing(now_s, c)
            elif c.state in (CommandState.ACKED, CommandState.ACTIVE):
                self._on_absence(now_s, c)
            return
        phase, text = mine
        if phase is Phase.RECALLING:
            # Our own cancel, listed under the id of a goal that is not there.
            if fenced:
                self._on_fence_standing(now_s, c)
            elif c.recalling_since is None:
                c.recalling_since = now_s
            elif now_s - c.recalling_since > self._limits.result_wait_s:
                reason = "cancelled before it started"
                self._end(now_s, c, CommandState.CANCELLED, True, reason)
            return
        self._arrived_at_robot(c)
        if phase in (Phase.RUNNING, Phase.STOPPING):
            self._advance(now_s, c, CommandState.ACTIVE)
        else:
            self._advance(now_s, c, CommandState.ACKED)
        if phase.is_terminal and c.ending is None:
            c.ending = Ending(phase, text, now_s)

    def _on_handles(self, now_s: float, c: Command) -> None:
        """The one goal that is new since ours was sent is ours; of several, none."""
        if c.state is CommandState.NEW:
            return
        if c.handle is None and not c.by_pose and c.sends:
            new = [goal for goal in self._handles if goal not in c.before]
            if len(new) == 1:
                c.handle = new[0]
        phase = None if c.handle is None else self._handles.get(c.handle)
        if phase is None:
            if c.handle is not None and c.ending is None and c.pose_check is None:
                reason = "the robot no longer knows the goal"
                c.pose_check = PoseCheck(CommandState.UNKNOWN, reason, now_s)
            return
        c.heard_at = now_s
        self._arrived_at_robot(c)
        running = phase in (Phase.RUNNING, Phase.STOPPING)
        self._advance(now_s, c, CommandState.ACTIVE if running else CommandState.ACKED)
        if phase.is_terminal and c.ending is None:
            c.ending = Ending(phase, "", now_s)

    def _on_absence(self, now_s: float, c: Command) -> None:
        if self._driver.lists_goals and c.ending is None and c.pose_check is None:
            c.absent_lists += 1
            if c.absent_lists >= ABSENT_LISTS:
                reason = "the robot no longer knows the goal"
                c.pose_check = PoseCheck(CommandState.UNKNOWN, reason, now_s)

    def _arrived_at_robot(self, c: Command) -> None:
        c.in_doubt = False
        c.by_pose = False
        c.fence = None
        c.doubt_since = None
        c.absent_lists = 0
        c.recalling_since = None
        if c.pose_check is not None and c.pose_check.otherwise is CommandState.UNKNOWN:
            c.pose_check = None

    def _on_result(self, now_s: float, c: Command, seen: ResultSeen) -> None:
        if not seen.phase.is_terminal:
            text = f"a result with status {seen.phase} is no end; it is not believed"
            self._emit(Problem(now_s, "odd_result", c.id, text))
            return
        if c.pose_check is not None and c.pose_check.otherwise is not (
            CommandState.UNKNOWN
        ):
            return
        if seen.phase is Phase.ABORTED and self._handles:
            # A newer goal of somebody else ends ours so; the list of goals, which
            # comes another way, tells.
            c.ending = Ending(seen.phase, seen.text, now_s, seen.payload, told=True)
            return
        self._conclude(now_s, c, seen.phase, seen.payload, seen.text, False)

    def _conclude(
        self,
        now_s: float,
        c: Command,
        phase: Phase,
        payload: Mapping[str, Any],
        text: str,
        inferred: bool,
    ) -> None:
        rule = self._driver.profile.result
        ending = read_ending(rule, phase, payload, text, inferred)
        state, reason = ending.state, ending.reason
        if ending.pose_decides:
            c.ending = None
            c.pose_check = PoseCheck(state, reason, now_s)
            return
        if state is CommandState.SUCCEEDED:
            self._doubt_success(now_s, c)
        elif state is CommandState.CANCELLED and c.cancel_wanted:
            reason = "cancelled on request"
        elif phase is Phase.PREEMPTED and c.fenced:
            reason = "called back while its fate was in doubt"
        elif phase is Phase.PREEMPTED and self.foreign_goals:
            reason += f" ({', '.join(map(named, self.foreign_goals))})"
        elif phase is Phase.ABORTED and self._was_superseded(c):
            state = CommandState.CANCELLED
            reason = "another client's goal took its place"
        self._end(now_s, c, state, inferred, reason)

    def _was_superseded(self, c: Command) -> bool:
        """Nav2 says of a goal that gave way to a newer one only that it failed."""
        if c.handle is None:
            return bool(self.foreign_goals)
        names = list(self._handles)
        known = c.handle in names
        newer = names[names.index(c.handle) + 1 :] if known else names
        return any(goal not in c.before and goal != c.handle for goal in newer)

    def _doubt_success(self, now_s: float, c: Command) -> None:
        distance_m = self._distance_m(c)
        if distance_m is not None and distance_m > 3 * self._limits.arrival_m:
            text = f"the robot says it arrived but stands {distance_m:.2f} m away"
            self._emit(Problem(now_s, "arrived_elsewhere", c.id, text))

    # --- telling --------------------------------------------------------------

    def _watch(self, now_s: float, c: Command) -> None:
        if not self.link_open or c.state is CommandState.NEW:
            c.progress.restart(now_s)
        elif c.progress.look(now_s, self._distance_m(c)):
            self._tell(now_s, c)

    def _advance(self, now_s: float, c: Command, state: CommandState) -> None:
        order = (
            CommandState.NEW,
            CommandState.SENT,
            CommandState.ACKED,
            CommandState.ACTIVE,
        )
        if order.index(state) > order.index(c.state):
            c.state = state
            self._tell(now_s, c)

    def _tell(self, now_s: float, c: Command) -> None:
        reason = ""
        if c.progress.blocked:
            reason = "emergency stop" if self.stopped else "no progress"
        c.progress.told_at = now_s
        self._emit(
            Progress(
                now_s, c.id, c.state, self._distance_m(c), c.progress.blocked, reason
            )
        )

    def _end(
        self, now_s: float, c: Command, state: CommandState, inferred: bool, reason: str
    ) -> None:
        end = Ended(now_s, c.id, state, inferred, reason, self._distance_m(c))
        self._ended[c.id] = end
        while len(self._ended) > REMEMBERED_ENDS:
            self._ended.popitem(last=False)
        self.command = None
        self._emit(end)

    def _distance_m(self, c: Command) -> float | None:
        return self._where.distance_m(c.target.x, c.target.y)
