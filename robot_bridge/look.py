"""Looks at a robot without telling it anything: which step of speaking with it works.

Nothing is advertised or published, so nothing can move. Questions go to rosapi only,
which answers about names and types. A server that is frozen takes connections and
says nothing, so every step has its own end.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from robot_bridge import messages
from robot_bridge.address import UnsafeAddress, check_address
from robot_bridge.drivers import make_driver
from robot_bridge.messages import BadMessage, Frame, decode_frame, encode_frame
from robot_bridge.profiles import BadProfile, Profile, load_profile
from robot_bridge.tls import SYSTEM, TlsFiles
from robot_bridge.typecheck import TypeCheck

CONNECT_S = 4.0
ANSWER_S = 4.0
HEAR_S = 5.0
MAX_FRAME_BYTES = 16 * 1024 * 1024
HEARD_ROLES = ("pose", "odom", "battery", "safety")


@dataclass(frozen=True, slots=True)
class Seen:
    """One step: what was tried, whether it worked, the cause in one word."""

    step: str
    ok: bool | None
    cause: str = ""
    detail: str = ""
    values: dict[str, Any] = field(default_factory=dict)


Told = Callable[[Seen], None]


def look(
    url: str,
    profile: Profile | str,
    robot_id: str,
    told: Told,
    *,
    namespace: str | None = None,
    tls: TlsFiles = SYSTEM,
    hear_s: float = HEAR_S,
) -> None:
    """Profile, address, TCP, websocket, rosapi, topics, pose; ends at the first that
    makes the next ones pointless."""
    try:
        loaded = load_profile(profile) if isinstance(profile, str) else profile
    except BadProfile as cause:
        told(Seen("profile", False, "bad_profile", str(cause)))
        return
    told(Seen("profile", True, values={"profile": loaded.name}))
    try:
        address = check_address(url, loaded, tls)
    except UnsafeAddress as cause:
        told(Seen("address", False, "unsafe", str(cause)))
        return
    parts = urlsplit(address.url)
    port = parts.port or (443 if address.secure else 80)
    host = parts.hostname or ""
    try:
        socket.create_connection((host, port), CONNECT_S).close()
    except OSError as cause:
        told(Seen("tcp", False, _cause(cause), str(cause), {"port": port}))
        return
    told(Seen("tcp", True, values={"host": host, "port": port}))
    is_open = False
    try:
        with connect(
            address.url,
            ssl=address.tls(),
            compression=None,
            open_timeout=CONNECT_S,
            close_timeout=1.0,
            max_size=MAX_FRAME_BYTES,
            user_agent_header=None,
            proxy=None,
        ) as link:
            is_open = True
            told(Seen("websocket", True))
            _Looking(link, loaded, robot_id, namespace, told).run(hear_s)
    except (OSError, WebSocketException) as cause:
        if is_open:
            told(Seen("heard", False, "closed", str(cause)))
        else:
            told(Seen("websocket", False, _cause(cause), str(cause)))


class _Looking:
    """One open connection."""

    def __init__(
        self,
        link: ClientConnection,
        profile: Profile,
        robot_id: str,
        namespace: str | None,
        told: Told,
    ) -> None:
        self._link = link
        self._profile = profile
        self._told = told
        self._ids = (f"look:{robot_id}:{number}" for number in count(1))
        self._driver = make_driver(profile, robot_id, namespace)
        self._relative = [
            spec.name
            for role in HEARD_ROLES
            if (spec := getattr(profile.topics, role)) is not None
            and not spec.name.startswith("/")
        ]
        self._names = {
            role: profile.resolve(spec.name, robot_id, namespace)
            for role in HEARD_ROLES
            if (spec := getattr(profile.topics, role)) is not None
        }

    def run(self, hear_s: float) -> None:
        if self._profile.rosapi and not self._ask_types():
            return
        self._listen(hear_s)

    def _ask_types(self) -> bool:
        """False if rosapi is silent: then nothing else will come either."""
        topics = {
            name: getattr(self._profile.topics, role).type
            for role, name in self._names.items()
        }
        topics |= self._driver.publications()
        if self._driver.lists_goals:
            topics |= {n: s.type for n, s in self._driver.subscriptions().items()}
        topics = {name: self._profile.spell(kind) for name, kind in topics.items()}
        check = TypeCheck(
            topics,
            {},
            ANSWER_S,
            actions=self._driver.actions(),
            spoken=frozenset(self._names.values()),
        )
        for frame in check.start(time.monotonic(), lambda: next(self._ids)):
            self._send(frame)
        findings = []
        until = time.monotonic() + ANSWER_S
        while not check.done and (answer := self._next(until)) is not None:
            ident = answer.get("id")
            if answer.get("op") != "service_response" or ident not in check.open:
                continue
            ok = answer.get("result") is not False
            finding = check.answer(str(ident), ok, answer.get("values"))
            if finding is not None:
                findings.append(finding)
        if not check.done:
            self._told(Seen("rosapi", False, "silent"))
            return False
        self._told(Seen("rosapi", True))
        for kind, name, text in findings:
            if kind == "goals_block":
                self._told(Seen("goals", None, kind, text, {"topic": name}))
                continue
            if kind == "unknown_topic":
                text += self._of_that_type(name, topics[name])
            self._told(Seen("fits", False, kind, text, {"topic": name}))
        if all(kind == "goals_block" for kind, _, _ in findings):
            self._told(Seen("fits", True, values={"topics": len(topics)}))
        return True

    def _of_that_type(self, name: str, kind: str) -> str:
        """Mostly the name is right and the namespace is not."""
        ident = next(self._ids)
        service = "/rosapi/topics_for_type"
        self._send(messages.call_service(service, ident, {"type": kind}))
        until = time.monotonic() + ANSWER_S
        while (answer := self._next(until)) is not None:
            if answer.get("id") != ident:
                continue
            values = answer.get("values")
            found = values.get("topics") if isinstance(values, dict) else None
            listed = ", ".join(map(str, found[:5])) if isinstance(found, list) else ""
            hint = self._namespace_of(name, found if isinstance(found, list) else [])
            return f"; of its type it has {listed or 'none'}{hint}"
        return ""

    def _namespace_of(self, name: str, found: list[Any]) -> str:
        """What to write into the world file, where one name differs by it alone."""
        own = next((n for n in self._relative if name.endswith(f"/{n}")), None)
        fitting = [each for each in map(str, found) if each.endswith(f"/{own}")]
        if own is None or len(fitting) != 1:
            return ""
        namespace = fitting[0].removesuffix(own).strip("/")
        return f'; write namespace: "{namespace}" for this robot in world.yaml'

    def _listen(self, hear_s: float) -> None:
        for role, name in self._names.items():
            spec = getattr(self._profile.topics, role)
            kind = self._profile.spell(spec.type)
            self._send(messages.subscribe(name, kind, next(self._ids), throttle_ms=200))
        roles = {name: role for role, name in self._names.items()}
        heard: dict[str, tuple[float, Any]] = {}
        until = time.monotonic() + hear_s
        while len(heard) < len(roles):
            frame = self._next(until)
            if frame is None:
                break
            known = roles.get(str(frame.get("topic")))
            if frame.get("op") == "publish" and known is not None:
                heard[known] = (time.monotonic(), frame.get("msg"))
        for role, name in self._names.items():
            if role not in heard:
                ok = None if role in ("battery", "safety") else False
                self._told(Seen("heard", ok, "silent", values={"topic": name}))
        if heard:
            topics = ", ".join(self._names[role] for role in heard)
            self._told(Seen("heard", True, values={"topics": topics}))
        if "pose" in heard:
            self._tell_pose(*heard["pose"])

    def _tell_pose(self, heard_at: float, message: Any) -> None:
        try:
            pose = messages.read_pose(message)
        except BadMessage as cause:
            self._told(Seen("pose", False, "bad_message", str(cause)))
            return
        values = {
            "x_m": round(pose.x, 2),
            "y_m": round(pose.y, 2),
            "age_s": round(max(0.0, time.monotonic() - heard_at), 1),
            "frame": pose.frame,
        }
        right = pose.frame.strip("/") == self._profile.frame
        self._told(Seen("pose", right, "" if right else "frame", values=values))

    def _send(self, frame: Frame) -> None:
        self._link.send(encode_frame(frame))

    def _next(self, until: float) -> Frame | None:
        """The next frame that can be read; None when the time is over."""
        while (left_s := until - time.monotonic()) > 0:
            try:
                text = self._link.recv(timeout=left_s)
            except TimeoutError:
                return None
            if isinstance(text, str):
                with contextlib.suppress(BadMessage):
                    return decode_frame(text)
        return None


def _cause(failure: BaseException) -> str:
    if isinstance(failure, ConnectionRefusedError):
        return "refused"
    if isinstance(failure, ssl.SSLError):
        return "certificate"
    if isinstance(failure, TimeoutError):
        return "timeout"
    if isinstance(failure, socket.gaierror):
        return "not_found"
    return "other"
