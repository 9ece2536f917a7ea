"""One simulated vehicle of VDA 5050, without MQTT: messages in, messages out.

It drives the nodes that are released, keeps its last order's id, takes no notice of
an order that it has already, stitches updates to the end of its base, and says what it
refuses with a reference to the order.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from shopfloor.sim.clock import Every
from shopfloor.sim.robot import SimRobot
from shopfloor.sim.vehicle import NoWay, Pose
from shopfloor.vda5050.words import Words

Body = dict[str, Any]
Send = Callable[[str, Body], None]
STATE_EVERY_S = 10.0
SHOW_EVERY_S = 0.5
TOLERANCE_M = 0.6
ACTION_S = 1.0
MAKER = "shopfloor"
ORDER_ACTIONS = ("pick", "drop", "wait")
INSTANT_ACTIONS = (
    "cancelOrder",
    "stateRequest",
    "factsheetRequest",
    "startPause",
    "stopPause",
)


@dataclass
class Doing:
    kind: str
    ident: str
    status: str = "WAITING"
    result: str = ""
    ends_at: float = math.inf

    def body(self) -> Body:
        told = {
            "actionId": self.ident,
            "actionType": self.kind,
            "actionStatus": self.status,
        }
        return {**told, **({"actionResult": self.result} if self.result else {})}


@dataclass
class Order:
    ident: str
    update: int
    nodes: list[Body]
    edges: list[Body]
    actions: dict[str, Doing] = field(default_factory=dict)


class SimVehicle:
    def __init__(self, robot: SimRobot, words: Words, send: Send) -> None:
        self.robot = robot
        self.words = words
        self.serial = robot.spec.id
        self.order: Order | None = None
        self.last_node = ""
        self.last_sequence = 0
        self.orders_started: list[str] = []
        """Ids in the order in which it began to drive them."""
        self._send = send
        self._counts: dict[str, int] = {}
        self._instant: list[Doing] = []
        self._errors: list[Body] = []
        self._target: Body | None = None
        self._state_due = Every(STATE_EVERY_S)
        self._show_due = Every(SHOW_EVERY_S)
        self._told: Any = None
        self._news = True

    # --- what it hears --------------------------------------------------------

    def hear(self, topic: str, body: Any) -> None:
        if not isinstance(body, dict):
            self._refuse("validationError", "the message is no object", None)
        elif topic == "order":
            self._on_order(body)
        elif topic == "instantActions":
            for action in body.get("actions", ()):
                self._on_instant(action)
        self._news = True

    def _on_order(self, body: Body) -> None:
        lacking = [k for k in ("orderId", "orderUpdateId", "nodes") if k not in body]
        if lacking or not body["nodes"]:
            what = ", ".join(lacking) or "nodes"
            self._refuse("validationError", f"the order lacks {what}", body)
            return
        order = self.order
        if self.robot.faults.rejects():
            self._refuse(self.words.order_error, "refused by the vehicle", body)
        elif order is not None and body["orderId"] == order.ident:
            self._update(order, body)
        elif self._busy:
            self._refuse(self.words.order_error, "another order is driven", body)
        elif not self._stands_at(body["nodes"][0]):
            text = "the first node is not where the vehicle is"
            self._refuse(self.words.route_error, text, body)
        else:
            self._begin(body)

    def _begin(self, body: Body) -> None:
        self._errors.clear()
        order = Order(
            body["orderId"],
            body["orderUpdateId"],
            list(body["nodes"]),
            list(body.get("edges", ())),
        )
        self._add_actions(order, body)
        self.order = order
        self.orders_started.append(order.ident)
        self._reach(order, order.nodes[0])

    def _update(self, order: Order, body: Body) -> None:
        if body["orderUpdateId"] == order.update:
            return
        if body["orderUpdateId"] < order.update:
            self._refuse(self.words.update_error, "an older update", body)
            return
        base = [n for n in order.nodes if n["released"]]
        end = base[-1]["sequenceId"] if base else self.last_sequence
        if body["nodes"][0]["sequenceId"] != end:
            text = "the update does not begin at the end of the base"
            self._refuse(self.words.update_error, text, body)
            return
        order.update = body["orderUpdateId"]
        kept = [n for n in order.nodes if n["sequenceId"] <= end]
        order.nodes = kept + [n for n in body["nodes"] if n["sequenceId"] > end]
        kept = [e for e in order.edges if e["sequenceId"] < end]
        order.edges = kept + [e for e in body.get("edges", ())]
        self._add_actions(order, body)

    @staticmethod
    def _add_actions(order: Order, body: Body) -> None:
        for part in (*body["nodes"], *body.get("edges", ())):
            for each in part.get("actions", ()):
                done = Doing(each["actionType"], each["actionId"])
                order.actions.setdefault(each["actionId"], done)

    def _stands_at(self, node: Body) -> bool:
        at = node.get("nodePosition")
        if at is None:
            return bool(node["nodeId"] == self.last_node)
        here = self.robot.vehicle.pose
        return math.hypot(here.x_m - at["x"], here.y_m - at["y"]) <= TOLERANCE_M

    def _on_instant(self, action: Body) -> None:
        doing = Doing(str(action.get("actionType")), str(action.get("actionId")))
        known = [each for each in self._instant if each.ident == doing.ident]
        if known:
            return
        self._instant.append(doing)
        del self._instant[:-20]
        doing.status = "FINISHED"
        match doing.kind:
            case "cancelOrder":
                self._cancel(doing)
            case "startPause" | "stopPause":
                self.robot.vehicle.paused = doing.kind == "startPause"
            case "factsheetRequest":
                self._send("factsheet", self.factsheet())
            case "stateRequest":
                pass
            case _:
                doing.status = "FAILED"
                doing.result = f"there is no instant action {doing.kind}"

    def _cancel(self, doing: Doing) -> None:
        order = self.order
        if order is None or not self._busy:
            doing.status = "FAILED"
            self._error(self.words.no_order, "WARNING", "there is no order", {})
            return
        order.nodes.clear()
        order.edges.clear()
        for each in order.actions.values():
            if each.status not in ("FINISHED", "FAILED"):
                each.status = "FAILED"
        self._target = None
        self.robot.vehicle.head_for(None)

    def _refuse(self, kind: str, text: str, body: Body | None) -> None:
        about = {} if body is None else {"orderId": str(body.get("orderId", ""))}
        self._error(kind, "WARNING", text, about)

    def _error(self, kind: str, level: str, text: str, about: dict[str, str]) -> None:
        refs = [{"referenceKey": k, "referenceValue": v} for k, v in about.items()]
        error = {
            "errorType": kind,
            "errorLevel": level,
            "errorDescription": text,
            "errorReferences": refs,
        }
        self._errors = [*self._errors, error][-10:]

    # --- what it does ---------------------------------------------------------

    @property
    def _busy(self) -> bool:
        order = self.order
        return order is not None and (
            bool(order.nodes)
            or any(a.status in ("WAITING", "RUNNING") for a in order.actions.values())
        )

    def forget(self) -> None:
        """Switched off and on: it knows no order any more."""
        self.order, self._target = None, None
        self.last_node, self.last_sequence = "", 0
        self._instant.clear()
        self._errors.clear()
        self.robot.vehicle.head_for(None)
        self._news = True

    def step(self, now: float) -> None:
        order = self.order
        if order is not None:
            self._act(order, now)
            self._pursue(order)
        told = self._sign()
        if self._news or told != self._told or self._state_due.due(now):
            self._news, self._told = False, told
            self._send("state", self.state())
        if self._show_due.due(now):
            self._send("visualization", self.visualization())

    def _sign(self) -> Any:
        """What a state is sent for at once."""
        vehicle, order = self.robot.vehicle, self.order
        actions = () if order is None else tuple(order.actions.values())
        return (
            None if order is None else (order.ident, order.update, len(order.nodes)),
            self.last_sequence,
            not vehicle.standing,
            vehicle.emergency_stop,
            vehicle.paused,
            tuple((a.ident, a.status) for a in actions),
            len(self._errors),
        )

    def _act(self, order: Order, now: float) -> None:
        for doing in order.actions.values():
            if doing.status == "RUNNING" and now >= doing.ends_at:
                doing.status = "FINISHED"

    def _pursue(self, order: Order) -> None:
        vehicle = self.robot.vehicle
        if any(a.status == "RUNNING" for a in order.actions.values()):
            return
        if self._target is not None:
            if vehicle.arrived:
                node, self._target = self._target, None
                vehicle.head_for(None)
                self._reach(order, node)
            return
        if not order.nodes or not order.nodes[0]["released"]:
            return
        node = order.nodes[0]
        at = node.get("nodePosition")
        if at is None:
            self._reach(order, node)
            return
        here = vehicle.pose
        away_m = math.hypot(at["x"] - here.x_m, at["y"] - here.y_m)
        ahead = (
            here.yaw_rad if away_m < 0.02 else here.bearing_to(Pose(at["x"], at["y"]))
        )
        target = Pose(at["x"], at["y"], at.get("theta", ahead))
        try:
            vehicle.head_for(target)
        except NoWay as cause:
            self._error(
                self.words.route_error, "FATAL", str(cause), {"orderId": order.ident}
            )
            order.nodes.clear()
            order.edges.clear()
            return
        self._target = node

    def _reach(self, order: Order, node: Body) -> None:
        self.last_node, self.last_sequence = node["nodeId"], node["sequenceId"]
        order.nodes = [n for n in order.nodes if n["sequenceId"] > self.last_sequence]
        order.edges = [e for e in order.edges if e["sequenceId"] > self.last_sequence]
        now = self.robot.clock.now()
        for each in node.get("actions", ()):
            doing = order.actions[each["actionId"]]
            known = doing.kind in ORDER_ACTIONS
            doing.status = "RUNNING" if known else "FAILED"
            doing.result = "" if known else f"there is no action {doing.kind}"
            doing.ends_at = now + ACTION_S

    # --- what it says ---------------------------------------------------------

    def header(self, topic: str) -> Body:
        number = self._counts[topic] = self._counts.get(topic, 0) + 1
        at = datetime.fromtimestamp(self.robot.clock.now(), UTC)
        return {
            "headerId": number,
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "version": self.words.version,
            "manufacturer": MAKER,
            "serialNumber": self.serial,
        }

    def connection(self, state: str) -> Body:
        return {**self.header("connection"), "connectionState": state}

    def _position(self) -> Body:
        at = self.robot.vehicle.pose
        return {
            "x": at.x_m,
            "y": at.y_m,
            "theta": math.atan2(math.sin(at.yaw_rad), math.cos(at.yaw_rad)),
            "mapId": "map",
            self.words.localised: True,
        }

    def visualization(self) -> Body:
        vehicle = self.robot.vehicle
        return {
            **self.header("visualization"),
            self.words.position: self._position(),
            "velocity": {
                "vx": vehicle.speed_mps,
                "vy": 0.0,
                "omega": vehicle.turn_radps,
            },
        }

    def state(self) -> Body:
        order, vehicle, words = self.order, self.robot.vehicle, self.words
        nodes = [] if order is None else order.nodes
        edges = [] if order is None else order.edges
        actions = [] if order is None else [a.body() for a in order.actions.values()]
        instant = [each.body() for each in self._instant]
        power = {
            words.charge: round(100.0 * vehicle.battery, 1),
            "charging": vehicle.charging,
        }
        body = {
            **self.header("state"),
            "orderId": "" if order is None else order.ident,
            "orderUpdateId": 0 if order is None else order.update,
            "lastNodeId": self.last_node,
            "lastNodeSequenceId": self.last_sequence,
            "nodeStates": [
                {k: n[k] for k in ("nodeId", "sequenceId", "released")} for n in nodes
            ],
            "edgeStates": [
                {k: e[k] for k in ("edgeId", "sequenceId", "released")} for e in edges
            ],
            "driving": not vehicle.standing,
            "paused": vehicle.paused,
            "newBaseRequest": self._wants_base(),
            "operatingMode": "AUTOMATIC",
            "errors": list(self._errors),
            "information": [],
            "loads": [],
            words.position: self._position(),
            words.power: power,
            "safetyState": {
                words.stop: "MANUAL" if vehicle.emergency_stop else "NONE",
                "fieldViolation": False,
            },
        }
        if words.instant_apart:
            body |= {"actionStates": actions, "instantActionStates": instant}
        else:
            body["actionStates"] = actions + instant
        return body

    def _wants_base(self) -> bool:
        order = self.order
        ahead = [] if order is None else order.nodes
        return bool(ahead) and not any(n["released"] for n in ahead[1:])

    def factsheet(self) -> Body:
        spec, v2 = self.robot.spec, not self.words.instant_apart
        speed, accel = spec.limits.speed_mps, spec.limits.accel_mps2
        low, high = ("Min", "Max") if v2 else ("minimum", "maximum")
        whose = "agv" if v2 else "mobileRobot"
        size = 2 * spec.radius_m
        said: Body = {
            **self.header("factsheet"),
            "typeSpecification": {
                "seriesName": "shopfloor",
                f"{whose}Kinematic" + ("" if v2 else "s"): "DIFF"
                if v2
                else "DIFFERENTIAL",
                f"{whose}Class": "CARRIER",
                ("maxLoadMass" if v2 else "maximumLoadMass"): spec.max_payload_kg,
                "localizationTypes": ["NATURAL"],
                "navigationTypes": [
                    "AUTONOMOUS" if v2 else "FREELY_NAVIGATING",
                ],
            },
            "physicalParameters": {
                (f"speed{low}" if v2 else f"{low}Speed"): 0.0,
                (f"speed{high}" if v2 else f"{high}Speed"): speed,
                ("accelerationMax" if v2 else "maximumAcceleration"): accel,
                ("decelerationMax" if v2 else "maximumDeceleration"): accel,
                ("heightMin" if v2 else "minimumHeight"): 0.3,
                ("heightMax" if v2 else "maximumHeight"): 0.3,
                "width": size,
                "length": size,
            },
            "protocolLimits": {
                ("maxStringLens" if v2 else "maximumStringLengths"): {},
                ("maxArrayLens" if v2 else "maximumArrayLengths"): {"order.nodes": 100},
                "timing": {
                    ("minOrderInterval" if v2 else "minimumOrderInterval"): 0.1,
                    ("minStateInterval" if v2 else "minimumStateInterval"): 0.1,
                },
            },
            "protocolFeatures": {
                "optionalParameters": [],
                f"{whose}Actions": [
                    self._offered(kind) for kind in (*ORDER_ACTIONS, *INSTANT_ACTIONS)
                ],
            },
            f"{whose}Geometry": {},
            "loadSpecification": {},
        }
        return said

    def _offered(self, kind: str) -> Body:
        scope = "NODE" if kind in ORDER_ACTIONS else "INSTANT"
        told: Body = {"actionType": kind, "actionScopes": [scope]}
        if self.words.instant_apart:
            told |= {"pauseAllowed": False, "cancelAllowed": scope == "NODE"}
        return told
