"""The simulated ROS graph: topics, services, actions and parameters.

It stands where a ROS master and its nodes stand for a real rosbridge, without
processes and without a network. Nothing here knows who is at the other end.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from shopfloor.sim.clock import Clock
from shopfloor.sim.encoding import Payload
from shopfloor.sim.links import Links
from shopfloor.sim.message_types import Message, TypeRegistry

Receive = Callable[[Payload], None]
Respond = Callable[[bool, Any], None]
Invoke = Callable[[Message, Respond], None]
OwnerOf = Callable[[str], str | None]
Log = Callable[[str, str, str], None]
"""Node, level (info, warning or error) and text."""


GOAL_THREADS = "/rosbridge_websocket:send_action_goals_in_new_thread"


class GraphRefused(ValueError):
    """The graph cannot do what was asked."""


@dataclass
class Topic:
    name: str
    type: str
    latched: Payload | None = None
    publishers: Counter[str] = field(default_factory=Counter)
    latching: set[str] = field(default_factory=set)
    subscribers: dict[object, tuple[str, Receive]] = field(default_factory=dict)
    sequence: int = 0

    @property
    def wanted(self) -> bool:
        return bool(self.subscribers)


@dataclass(frozen=True)
class Service:
    name: str
    type: str
    node: str
    invoke: Invoke


OnFeedback = Callable[[Message], None]
OnResult = Callable[[bool, int, Any], None]


class ActionProvider(Protocol):
    """Who executes ROS 2 goals: a simulated robot, or a client that offered to."""

    type: str
    node: str

    def send(
        self,
        goal_id: str,
        goal: Message,
        on_feedback: OnFeedback,
        on_result: OnResult,
    ) -> object: ...

    def cancel(self, handle: object) -> None: ...


def resolve(name: str) -> str:
    """Relative names live in the root namespace."""
    return name if name.startswith("/") else "/" + name


class Graph:
    def __init__(
        self,
        registry: TypeRegistry,
        clock: Clock,
        links: Links,
        owner_of: OwnerOf = lambda _name: None,
    ) -> None:
        self.registry = registry
        self.clock = clock
        self.links = links
        self.owner_of = owner_of
        self.topics: dict[str, Topic] = {}
        self.services: dict[str, Service] = {}
        self.actions: dict[str, ActionProvider] = {}
        self.goals_by_client_id: dict[str, tuple[str, object]] = {}
        self.params: dict[str, Any] = {}
        self.answers_refusals = False
        """A server of ROS 2 is silent about a goal that is refused or that nobody
        offers to do; True makes it answer."""
        self.log: Log = lambda _node, _level, _text: None
        self.skew_s = 0.0
        """How far the clock of the machine that runs the graph is off."""

    def time(self) -> float:
        return self.clock.now() + self.skew_s

    @property
    def goals_block(self) -> bool:
        """A goal keeps its connection busy until it ends, as a server of ROS 2 does
        unless it is told otherwise."""
        return self.registry.dialect == "ros2" and not self.params.get(GOAL_THREADS)

    def _topic(self, name: str, type_name: str | None) -> Topic:
        topic = self.topics.get(name)
        if topic is None:
            if type_name is None:
                raise GraphRefused(f"Nobody has said what type {name} has")
            topic = self.topics[name] = Topic(name, type_name)
        elif type_name is not None and type_name != topic.type:
            raise GraphRefused(f"{name} is {topic.type}, not {type_name}")
        return topic

    def _forget_if_unused(self, topic: Topic) -> None:
        if not topic.publishers and not topic.subscribers:
            self.topics.pop(topic.name, None)

    def advertise(
        self, node: str, name: str, type_name: str | None, *, latch: bool = False
    ) -> Topic:
        topic = self._topic(name, type_name)
        topic.publishers[node] += 1
        if latch:
            topic.latching.add(node)
        return topic

    def unadvertise(self, node: str, name: str) -> None:
        topic = self.topics.get(name)
        if topic is None or topic.publishers[node] == 0:
            return
        topic.publishers[node] -= 1
        if topic.publishers[node] == 0:
            del topic.publishers[node]
            if node in topic.latching:
                topic.latching.discard(node)
                topic.latched = None
        self._forget_if_unused(topic)

    def subscribe(
        self, key: object, node: str, name: str, type_name: str | None, receive: Receive
    ) -> None:
        topic = self._topic(name, type_name)
        topic.subscribers[key] = (node, receive)
        latched = topic.latched
        if latched is not None:
            self._carry(name, lambda: receive(latched))

    def unsubscribe(self, key: object, name: str) -> None:
        topic = self.topics.get(name)
        if topic is not None and topic.subscribers.pop(key, None) is not None:
            self._forget_if_unused(topic)

    def publish(self, name: str, message: Message, *, latch: bool = False) -> None:
        """Check, complete and hand out. Raises for a message that does not fit."""
        topic = self._topic(name, None)
        full = self.registry.complete(topic.type, message, self.time())
        topic.sequence += 1
        header = full.get("header")
        if isinstance(header, dict) and "seq" in header:
            header["seq"] = topic.sequence
        payload = Payload(self.registry, topic.type, full)
        if latch:
            topic.latched = payload
        self._carry(name, lambda: self._hand_out(topic, payload))

    def _hand_out(self, topic: Topic, payload: Payload) -> None:
        for _, receive in list(topic.subscribers.values()):
            receive(payload)

    def _carry(self, name: str, action: Callable[[], None]) -> None:
        self.links.carry(self.owner_of(name), action)

    def serve(self, name: str, type_name: str, node: str, invoke: Invoke) -> None:
        self.services[name] = Service(name, type_name, node, invoke)

    def call(self, name: str, args: Any, respond: Respond) -> None:
        """Call a service; the answer may come at once, later or never."""
        service = self.services.get(name)
        if service is None:
            respond(False, f"Service {name} does not exist")
            return
        kind = self.registry.services[service.type]
        if isinstance(args, list):
            if len(args) > len(kind.request):
                respond(False, f"{service.type} takes {len(kind.request)} arguments")
                return
            names = (entry.name for entry in kind.request)
            args = dict(zip(names, args, strict=False))
        try:
            request = self.registry.complete_fields(
                f"{service.type}Request", kind.request, args or {}, self.clock.now()
            )
        except ValueError as error:
            respond(False, str(error))
            return
        owner = self.owner_of(name)

        def answer(result: bool, values: Any) -> None:
            self.links.carry(owner, lambda: respond(result, values), repeatable=False)

        self.links.carry(
            owner, lambda: service.invoke(request, answer), repeatable=False
        )

    def nodes(self) -> list[str]:
        names = {node for topic in self.topics.values() for node in topic.publishers}
        for topic in self.topics.values():
            names.update(node for node, _ in topic.subscribers.values())
        names.update(service.node for service in self.services.values())
        names.update(action.node for action in self.actions.values())
        return sorted(names)
