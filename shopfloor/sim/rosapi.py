"""The rosapi services: how a client asks what exists.

Errors of rosbridge being silent, these answers are the only way for a client to
learn that a topic is missing or has another type.
"""

import json
from collections.abc import Callable
from typing import Any

from shopfloor.sim.graph import Graph, Invoke, Respond, resolve
from shopfloor.sim.message_types import Field, Message, UnknownType

NODE = "/rosapi"
PREFIX = "/rosapi/"
Answer = Callable[[Message], Message]

_EXAMPLES = {"bool": "False", "string": "", "time": "", "duration": ""}
_ACTION_TOPICS = {"goal", "cancel", "status", "feedback", "result"}


class RosApi:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._registry = graph.registry
        ros2 = self._registry.dialect == "ros2"
        package = "rosapi_msgs" if ros2 else "rosapi"
        services: dict[str, tuple[str, Answer]] = {
            "topics": ("Topics", self._topics),
            "topic_type": ("TopicType", self._topic_type),
            "topics_for_type": ("TopicsForType", self._topics_for_type),
            "topics_and_raw_types": ("TopicsAndRawTypes", self._raw_types),
            "services": ("Services", lambda _: {"services": sorted(graph.services)}),
            "service_type": ("ServiceType", self._service_type),
            "services_for_type": ("ServicesForType", self._services_for_type),
            "service_node": ("ServiceNode", self._service_node),
            "nodes": ("Nodes", lambda _: {"nodes": graph.nodes()}),
            "node_details": ("NodeDetails", self._node_details),
            "action_servers": ("GetActionServers", self._action_servers),
            "publishers": ("Publishers", self._publishers),
            "subscribers": ("Subscribers", self._subscribers),
            "message_details": ("MessageDetails", self._message_details),
            "service_request_details": ("ServiceRequestDetails", self._request_details),
            "service_response_details": (
                "ServiceResponseDetails",
                self._response_details,
            ),
            "get_param": ("GetParam", self._get_param),
            "set_param": ("SetParam", self._set_param),
            "has_param": ("HasParam", self._has_param),
            "delete_param": ("DeleteParam", self._delete_param),
            "get_param_names": (
                "GetParamNames",
                lambda _: {"names": sorted(graph.params)},
            ),
            "get_time": ("GetTime", self._get_time),
        }
        if ros2:
            services["get_ros_version"] = (
                "GetROSVersion",
                lambda _: {"version": 2, "distro": "humble"},
            )
        for name, (kind, answer) in services.items():
            graph.serve(PREFIX + name, f"{package}/{kind}", NODE, _invoking(answer))

    def _shown(self, topic: str) -> str:
        return self._registry.display(self._graph.topics[topic].type, "msg")

    def _topics(self, _: Message) -> Message:
        names = sorted(self._graph.topics)
        return {"topics": names, "types": [self._shown(name) for name in names]}

    def _topic_type(self, request: Message) -> Message:
        name = resolve(request["topic"])
        return {"type": self._shown(name) if name in self._graph.topics else ""}

    def _topics_for_type(self, request: Message) -> Message:
        wanted = request["type"]
        names = sorted(self._graph.topics)
        return {"topics": [name for name in names if self._shown(name) == wanted]}

    def _raw_types(self, _: Message) -> Message:
        listed = self._topics({})
        texts = [
            self._full_text(self._graph.topics[name].type) for name in listed["topics"]
        ]
        return {**listed, "typedefs_full_text": texts}

    def _full_text(self, type_name: str) -> str:
        names = self._nested(self._registry.messages[type_name], [])
        parts = [_definition(self._registry.messages[type_name])]
        for name in names:
            if name != type_name:
                body = _definition(self._registry.messages[name])
                parts.append(f"MSG: {name}\n{body}")
        return ("=" * 80 + "\n").join(parts)

    def _nested(self, fields: tuple[Field, ...], seen: list[str]) -> list[str]:
        for field in fields:
            if field.type in self._registry.messages and field.type not in seen:
                seen.append(field.type)
                self._nested(self._registry.messages[field.type], seen)
        return seen

    def _service_type(self, request: Message) -> Message:
        service = self._graph.services.get(resolve(request["service"]))
        shown = self._registry.display(service.type, "srv") if service else ""
        return {"type": shown}

    def _services_for_type(self, request: Message) -> Message:
        return {
            "services": [
                name
                for name, service in sorted(self._graph.services.items())
                if self._registry.display(service.type, "srv") == request["type"]
            ]
        }

    def _service_node(self, request: Message) -> Message:
        service = self._graph.services.get(resolve(request["service"]))
        return {"node": service.node if service else ""}

    def _node_details(self, request: Message) -> Message:
        node = request["node"]
        topics = sorted(self._graph.topics.values(), key=lambda topic: topic.name)
        return {
            "subscribing": [
                topic.name
                for topic in topics
                if any(node == name for name, _ in topic.subscribers.values())
            ],
            "publishing": [topic.name for topic in topics if node in topic.publishers],
            "services": [
                name
                for name, service in sorted(self._graph.services.items())
                if service.node == node
            ],
        }

    def _action_servers(self, _request: Message) -> Message:
        found = dict.fromkeys(sorted(self._graph.actions))
        endings: dict[str, set[str]] = {}
        for name in sorted(self._graph.topics):
            base, _, ending = name.rpartition("/")
            endings.setdefault(base, set()).add(ending)
        for base, present in endings.items():
            if present >= _ACTION_TOPICS:
                found[base] = None
        return {"action_servers": list(found)}

    def _publishers(self, request: Message) -> Message:
        topic = self._graph.topics.get(resolve(request["topic"]))
        return {"publishers": sorted(topic.publishers) if topic else []}

    def _subscribers(self, request: Message) -> Message:
        topic = self._graph.topics.get(resolve(request["topic"]))
        names = {node for node, _ in topic.subscribers.values()} if topic else set()
        return {"subscribers": sorted(names)}

    def _message_details(self, request: Message) -> Message:
        name = self._registry.canonical(request["type"], "msg")
        return {"typedefs": self._typedefs(name, self._registry.messages[name])}

    def _request_details(self, request: Message) -> Message:
        name = self._registry.canonical(request["type"], "srv")
        fields = self._registry.services[name].request
        return {"typedefs": self._typedefs(f"{name}Request", fields)}

    def _response_details(self, request: Message) -> Message:
        name = self._registry.canonical(request["type"], "srv")
        fields = self._registry.services[name].response
        return {"typedefs": self._typedefs(f"{name}Response", fields)}

    def _typedefs(self, name: str, fields: tuple[Field, ...]) -> list[Message]:
        found = [self._typedef(name, fields)]
        for nested in self._nested(fields, []):
            found.append(self._typedef(nested, self._registry.messages[nested]))
        return found

    def _typedef(self, name: str, fields: tuple[Field, ...]) -> Message:
        return {
            "type": self._registry.display(name, "msg"),
            "fieldnames": [field.name for field in fields],
            "fieldtypes": [field.type for field in fields],
            "fieldarraylen": [
                -1 if field.length is None else field.length for field in fields
            ],
            "examples": [_example(field, self._registry.messages) for field in fields],
            "constnames": [],
            "constvalues": [],
        }

    def _get_param(self, request: Message) -> Message:
        name = request["name"]
        if name in self._graph.params:
            return {"value": json.dumps(self._graph.params[name])}
        return {"value": request["default"] or "null"}

    def _set_param(self, request: Message) -> Message:
        try:
            value = json.loads(request["value"])
        except json.JSONDecodeError:
            value = request["value"]
        self._graph.params[request["name"]] = value
        return {}

    def _has_param(self, request: Message) -> Message:
        return {"exists": request["name"] in self._graph.params}

    def _delete_param(self, request: Message) -> Message:
        self._graph.params.pop(request["name"], None)
        return {}

    def _get_time(self, _: Message) -> Message:
        return {"time": self._registry.time(self._graph.time())}


def _invoking(answer: Answer) -> Invoke:
    def invoke(request: Message, respond: Respond) -> None:
        try:
            values: Any = answer(request)
        except UnknownType as error:
            respond(False, str(error))
            return
        respond(True, values)

    return invoke


def _definition(fields: tuple[Field, ...]) -> str:
    lines = []
    for field in fields:
        size = "" if field.length is None else f"[{field.length or ''}]"
        lines.append(f"{field.type}{size} {field.name}\n")
    return "".join(lines)


def _example(field: Field, messages: dict[str, Any]) -> str:
    if field.length is not None:
        return "[]"
    if field.type in messages:
        return "{}"
    return _EXAMPLES.get(field.type, "0.0" if "float" in field.type else "0")
