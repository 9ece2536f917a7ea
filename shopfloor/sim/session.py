"""One client's connection: the rosbridge protocol without a network.

Frames go in through ``receive``, frames come out of ``outbox``. Errors are
silent, as measured on the real server; only after ``set_level`` does a client
hear of them, because the specification promises that.
"""

import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

from shopfloor.sim.encoding import Frame, fragments, json_frame, png_frame
from shopfloor.sim.framing import Defragmenter, FrameReader, Operation
from shopfloor.sim.graph import Graph, GraphRefused, Respond, resolve
from shopfloor.sim.links import EVERYTHING
from shopfloor.sim.message_types import FieldRefused, Message, UnknownType
from shopfloor.sim.outbox import Outbox
from shopfloor.sim.relay import ActionRelay
from shopfloor.sim.subscriptions import Feed, Wish
from shopfloor.sim.trace import Trace

NODE = "/rosbridge_websocket"
LOOPBACK = "127.0.0.1"
COMPRESSIONS = ("none", "png", "cbor", "cbor-raw")
LEVELS = {"none": 0, "error": 1, "warning": 2, "info": 3}


class OperationRefused(ValueError):
    """The operation lacks something or asks for something impossible."""


class Session:
    def __init__(
        self, graph: Graph, number: int, trace: Trace, address: str = LOOPBACK
    ) -> None:
        self.graph = graph
        self.number = number
        self.address = address
        self.connected_at = graph.time()
        self.node = NODE
        self.outbox = Outbox()
        self.closed = False
        self._trace = trace
        self._reader = FrameReader()
        self._fragments = Defragmenter()
        self._ids = itertools.count(1)
        self._level = 0
        self._feeds: dict[str, Feed] = {}
        self._advertised: dict[str, bool] = {}
        self._offered: set[str] = set()
        self._asked: dict[str, tuple[str, Respond]] = {}
        self.touched: set[str] = set()
        self._operations: dict[str, Callable[[Operation], None]] = {
            "advertise": self._advertise,
            "unadvertise": self._unadvertise,
            "publish": self._publish,
            "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe,
            "call_service": self._call_service,
            "service_response": self._service_response,
            "advertise_service": self._advertise_service,
            "unadvertise_service": self._unadvertise_service,
            "fragment": self._fragment,
            "set_level": self._set_level,
        }
        self._relay = ActionRelay(self)
        self._unread: deque[Operation] = deque()
        self._busy_with: str | None = None
        if graph.registry.dialect == "ros2":
            self._operations.update(self._relay.operations)

    def receive(self, frame: Frame) -> None:
        self.graph.links.carry(EVERYTHING, lambda: self._process(frame))

    def _process(self, frame: Frame) -> None:
        if self.closed:
            return
        operations, complaint = self._reader.feed(frame)
        if complaint:
            self.report("error", complaint, None)
        self._unread.extend(operations)
        self._read_on()

    def _read_on(self) -> None:
        while self._unread and self._busy_with is None and not self.closed:
            self._perform(self._unread.popleft())

    def block(self, goal_id: str) -> None:
        """Nothing more is read from this client before the goal has ended."""
        self._busy_with = goal_id

    def unblock(self, goal_id: str) -> None:
        if self._busy_with == goal_id:
            self._busy_with = None
            self._read_on()

    def _perform(self, operation: Operation) -> None:
        name, message_id = operation["op"], operation.get("id")
        subject = _subject(operation)
        if self._trace.enabled:
            self._trace.write(
                self.graph.clock.now(),
                "message",
                direction="in",
                connection=self.number,
                op=name,
                name=subject,
                id=message_id,
            )
        owner = self.graph.owner_of(resolve(subject)) if subject else None
        if owner is not None:
            self.touched.add(owner)
        handler = self._operations.get(name)
        if handler is None:
            self.report("error", f"Unknown operation: {name}", message_id)
            return
        try:
            handler(operation)
        except (OperationRefused, GraphRefused, FieldRefused, UnknownType) as error:
            self.report("error", f"{name}: {error}", message_id)

    def report(self, level: str, text: str, message_id: Any) -> None:
        about = "" if message_id is None else f"[id: {message_id}] "
        self.graph.log(NODE, level, f"[Client {self.number}] {about}{text}")
        if LEVELS[level] <= self._level:
            status = {"op": "status", "level": level, "msg": text}
            if message_id is not None:
                status["id"] = message_id
            self.send(status)

    def send(
        self,
        operation: Operation,
        *,
        fragment_size: int | None = None,
        compression: str = "none",
    ) -> None:
        if self.closed:
            return
        frame = json_frame(operation)
        if compression == "png":
            frame = png_frame(frame)
        parts = [frame]
        if fragment_size and len(frame) > fragment_size:
            parts = list(fragments(frame, fragment_size, self.next_id()))
        for part in parts:
            self._push(part)
        if self._trace.enabled:
            self._trace.write(
                self.graph.clock.now(),
                "message",
                direction="out",
                connection=self.number,
                op=operation["op"],
                name=_subject(operation),
                id=operation.get("id"),
            )

    def _push(self, frame: str) -> None:
        self.graph.links.carry(EVERYTHING, lambda: self.outbox.push(frame))

    def next_id(self) -> str:
        return f"{self.number}:{next(self._ids)}"

    def pump(self) -> None:
        for feed in self._feeds.values():
            feed.pump()

    def close(self) -> None:
        """The client is gone; what it started on the robots goes on."""
        if self.closed:
            return
        self.closed = True
        self._unread.clear()
        for name in self._feeds:
            self.graph.unsubscribe(self._key(name), name)
        for name in self._advertised:
            self.graph.unadvertise(self.node, name)
        for name in list(self._offered):
            self._withdraw(name)
        self._relay.close()
        self._feeds.clear()
        self._advertised.clear()

    def _key(self, name: str) -> tuple[int, str]:
        return (self.number, name)

    def _advertise(self, operation: Operation) -> None:
        name = resolve(text_of(operation, "topic"))
        kind = self.graph.registry.canonical(text_of(operation, "type"), "msg")
        latch = bool(operation.get("latch", False))
        if name in self._advertised:
            self.graph.advertise(self.node, name, kind, latch=latch)
            self.graph.unadvertise(self.node, name)
        else:
            self.graph.advertise(self.node, name, kind, latch=latch)
        self._advertised[name] = latch

    def _unadvertise(self, operation: Operation) -> None:
        name = resolve(text_of(operation, "topic"))
        if name not in self._advertised:
            raise OperationRefused(f"{name} was not advertised on this connection")
        del self._advertised[name]
        self.graph.unadvertise(self.node, name)

    def _publish(self, operation: Operation) -> None:
        name = resolve(text_of(operation, "topic"))
        latch = bool(operation.get("latch", False)) or self._advertised.get(name, False)
        if name not in self._advertised:
            self.graph.advertise(self.node, name, None, latch=latch)
            self._advertised[name] = latch
        self.graph.publish(name, operation.get("msg", {}), latch=latch)

    def _subscribe(self, operation: Operation) -> None:
        given = text_of(operation, "topic")
        name = resolve(given)
        compression = operation.get("compression", "none")
        if compression not in COMPRESSIONS:
            compression = "none"
        wish = Wish(
            throttle_ms=_number(operation, "throttle_rate"),
            queue_length=int(_number(operation, "queue_length")),
            fragment_size=_size(operation),
            compression=compression,
        )
        feed = self._feeds.get(name)
        if feed is None:
            clock = self.graph.clock
            feed = Feed(given, clock, self.outbox, self.next_id)
            self._feeds[name] = feed
        feed.want(operation.get("id", self.next_id()), wish)
        kind = operation.get("type")
        if kind is not None:
            kind = self.graph.registry.canonical(kind, "msg")
        receive = self._receiver(feed)
        self.graph.subscribe(self._key(name), self.node, name, kind, receive)

    def _receiver(self, feed: Feed) -> Callable[[Any], None]:
        links = self.graph.links
        return lambda payload: links.carry(EVERYTHING, lambda: feed.receive(payload))

    def _unsubscribe(self, operation: Operation) -> None:
        name = resolve(text_of(operation, "topic"))
        feed = self._feeds.get(name)
        if feed is None:
            raise OperationRefused(f"{name} is not subscribed on this connection")
        if operation.get("id") is None:
            feed.wishes.clear()
        else:
            feed.unwant(operation["id"])
        if not feed.wishes:
            del self._feeds[name]
            self.graph.unsubscribe(self._key(name), name)

    def _call_service(self, operation: Operation) -> None:
        given = text_of(operation, "service")
        size = _size(operation)
        compression = operation.get("compression", "none")

        def respond(result: bool, values: Any) -> None:
            response: Message = {"op": "service_response", "service": given}
            if operation.get("id") is not None:
                response["id"] = operation["id"]
            response["values"] = values
            response["result"] = result
            self.send(response, fragment_size=size, compression=compression)

        self.graph.call(resolve(given), operation.get("args"), respond)

    def _advertise_service(self, operation: Operation) -> None:
        given = text_of(operation, "service")
        name = resolve(given)
        kind = self.graph.registry.canonical(text_of(operation, "type"), "srv")
        present = self.graph.services.get(name)
        if present is not None and name not in self._offered:
            raise OperationRefused(f"{name} is already served by {present.node}")

        def invoke(request: Message, respond: Respond) -> None:
            if self.outbox.full:
                respond(False, f"The provider of {name} does not read its requests")
                return
            request_id = f"service_request:{given}:{next(self._ids)}"
            self._asked[request_id] = (name, respond)
            call = {"op": "call_service", "id": request_id, "service": given}
            self.send({**call, "args": request})

        self._offered.add(name)
        self.graph.serve(name, kind, self.node, invoke)

    def _service_response(self, operation: Operation) -> None:
        asked = self._asked.pop(str(operation.get("id")), None)
        if asked is None:
            raise OperationRefused(f"No call waits for {operation.get('id')!r}")
        name, respond = asked
        values = operation.get("values", {})
        if not operation.get("result", True):
            respond(False, values)
            return
        service = self.graph.services.get(name)
        if service is None:
            respond(False, f"Service {name} was unadvertised")
            return
        fields = self.graph.registry.services[service.type].response
        try:
            full = self.graph.registry.complete_fields(
                f"{service.type}Response", fields, values, self.graph.clock.now()
            )
        except FieldRefused as error:
            respond(False, str(error))
            return
        respond(True, full)

    def _unadvertise_service(self, operation: Operation) -> None:
        name = resolve(text_of(operation, "service"))
        if name not in self._offered:
            raise OperationRefused(f"{name} is not served by this connection")
        self._withdraw(name)

    def _withdraw(self, name: str) -> None:
        self._offered.discard(name)
        self.graph.services.pop(name, None)
        waiting = [key for key, (service, _) in self._asked.items() if service == name]
        for key in waiting:
            self._asked.pop(key)[1](False, f"Service {name} was unadvertised")

    def _fragment(self, operation: Operation) -> None:
        try:
            whole = self._fragments.add(operation)
        except ValueError as error:
            raise OperationRefused(str(error)) from None
        if whole is not None:
            self._process(whole)

    def _set_level(self, operation: Operation) -> None:
        level = operation.get("level")
        if level not in LEVELS:
            raise OperationRefused(f"Level {level!r} is none of {', '.join(LEVELS)}")
        self._level = LEVELS[level]


def text_of(operation: Operation, key: str) -> str:
    value = operation.get(key)
    if not isinstance(value, str) or not value:
        raise OperationRefused(f"{key} is missing")
    return value


def _subject(operation: Operation) -> str | None:
    for key in ("topic", "service", "action"):
        if isinstance(operation.get(key), str):
            return str(operation[key])
    return None


def _number(operation: Operation, key: str) -> float:
    value = operation.get(key) or 0
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise OperationRefused(f"{key} is a number of at least 0")
    return float(value)


def _size(operation: Operation) -> int | None:
    size = int(_number(operation, "fragment_size"))
    return size or None
