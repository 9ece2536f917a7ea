"""The rosapi services: how a client asks what exists.

Errors of rosbridge being silent, these answers are the only way for a client to
learn that a topic is missing or has another type.
"""

import json
from collections.abc import Callable
from typing import Any

from shopfloor.sim.graph import Graph, Invoke, Respond, resolve
from shopfloor.sim.message_types import Message, UnknownType
from shopfloor.sim.typedefs import Fields, TypeTexts

NODE = "/rosapi"
HOST = "127.0.0.1"
PREFIX = "/rosapi/"
Answer = Callable[[Message], Message]

_ACTION_TOPICS = {"goal", "cancel", "status", "feedback", "result"}


class RosApi:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._registry = graph.registry
        self._texts = TypeTexts(graph.registry)
        ros2 = self._ros2 = self._registry.dialect == "ros2"
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
            "service_providers": ("ServiceProviders", self._service_providers),
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
        services |= self._of_ros2() if ros2 else self._of_ros1()
        for name, (kind, answer) in services.items():
            graph.serve(PREFIX + name, f"{package}/{kind}", NODE, _invoking(answer))

    def _of_ros1(self) -> dict[str, tuple[str, Answer]]:
        return {
            "service_host": ("ServiceHost", self._service_host),
            "search_param": ("SearchParam", self._search_param),
        }

    def _of_ros2(self) -> dict[str, tuple[str, Answer]]:
        version = {"version": 2, "distro": "humble"}
        return {
            "interfaces": ("Interfaces", self._interfaces),
            "action_type": ("ActionType", self._action_type),
            "action_goal_details": ("ActionGoalDetails", self._part_of_action("Goal")),
            "action_result_details": (
                "ActionResultDetails",
                self._part_of_action("Result"),
            ),
            "action_feedback_details": (
                "ActionFeedbackDetails",
                self._part_of_action("Feedback"),
            ),
            "get_ros_version": ("GetROSVersion", lambda _: version),
        }

    def _listed(self) -> list[str]:
        """All topics; those of ROS 2 that are hidden are not shown to anybody."""
        names = sorted(self._graph.topics)
        return [name for name in names if not (self._ros2 and "/_" in name)]

    def _shown(self, topic: str) -> str:
        return self._registry.display(self._graph.topics[topic].type, "msg")

    def _topics(self, _: Message) -> Message:
        names = self._listed()
        return {"topics": names, "types": [self._shown(name) for name in names]}

    def _topic_type(self, request: Message) -> Message:
        name = resolve(request["topic"])
        return {"type": self._shown(name) if name in self._listed() else ""}

    def _topics_for_type(self, request: Message) -> Message:
        wanted = request["type"]
        names = self._listed()
        return {"topics": [name for name in names if self._shown(name) == wanted]}

    def _raw_types(self, _: Message) -> Message:
        listed = self._topics({})
        texts = [
            self._texts.full_text(self._graph.topics[name].type)
            for name in listed["topics"]
        ]
        return {**listed, "typedefs_full_text": texts}

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

    def _service_providers(self, request: Message) -> Message:
        """Of a type, although the field is called service."""
        found = [
            service.node
            for service in self._graph.services.values()
            if self._registry.display(service.type, "srv") == request["service"]
        ]
        return {"providers": sorted(set(found))}

    def _service_host(self, request: Message) -> Message:
        known = resolve(request["service"]) in self._graph.services
        return {"host": HOST if known else ""}

    def _search_param(self, request: Message) -> Message:
        """As seen from rosapi, the node that asks."""
        name = request["name"].lstrip("/")
        for found in (f"{NODE}/{name}", f"/{name}"):
            if found in self._graph.params:
                return {"global_name": found}
        return {"global_name": ""}

    def _interfaces(self, _: Message) -> Message:
        registry = self._registry
        shown = {registry.display(name, "srv") for name in registry.services}
        shown |= {registry.display(name, "action") for name in registry.actions}
        parts = ("Goal", "Result", "Feedback", "Request", "Response")
        of_others = {
            f"{name}{part}"
            for name in (*registry.services, *registry.actions)
            for part in parts
        }
        shown |= {
            registry.display(name, "msg")
            for name in registry.messages
            if name not in of_others
        }
        return {"interfaces": sorted(shown)}

    def _action_type(self, request: Message) -> Message:
        action = self._graph.actions.get(resolve(request["action"]))
        shown = self._registry.display(action.type, "action") if action else ""
        return {"type": shown}

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
        try:
            name = self._registry.canonical(request["type"], "msg")
        except UnknownType:
            if self._ros2:
                return {"typedefs": []}
            raise
        return {"typedefs": self._texts.details(name)}

    def _request_details(self, request: Message) -> Message:
        return self._side_of_service(request["type"], "Request")

    def _response_details(self, request: Message) -> Message:
        return self._side_of_service(request["type"], "Response")

    def _side_of_service(self, asked: str, side: str) -> Message:
        name = self._registry.canonical(asked, "srv")
        return self._part(name, side, self._registry.messages[f"{name}{side}"])

    def _part(self, name: str, part: str, fields: Fields) -> Message:
        shown = f"{name}_{part}" if self._ros2 else f"{name}{part}"
        return {"typedefs": self._texts.details_of(shown, fields)}

    def _part_of_action(self, part: str) -> Answer:
        def answer(request: Message) -> Message:
            name = self._registry.canonical(request["type"], "action")
            return self._part(name, part, self._registry.messages[f"{name}{part}"])

        return answer

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
