"""The services of a warehouse: what callers may ask and change, answered at once.

A refusal is an answer too, with its reason; what is refused has changed nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from shopfloor.sim.clock import Clock
from shopfloor.sim.graph import Graph, Invoke, Respond
from shopfloor.sim.message_types import Message, TypeRegistry
from shopfloor.warehouse import requests
from shopfloor.warehouse.building import remove, walk
from shopfloor.warehouse.commands import Command, parse_command
from shopfloor.warehouse.errors import NotThere, WarehouseRefused
from shopfloor.warehouse.lifting import pose_of_unit
from shopfloor.warehouse.messages import FRAME, pose_message, state_of_model
from shopfloor.warehouse.plant_world import write_plant
from shopfloor.warehouse.script import Script
from shopfloor.warehouse.stepping import time_s
from shopfloor.warehouse.stock import find, places
from shopfloor.warehouse.things import Warehouse
from shopfloor.warehouse.world_file import write

NODE = "/warehouse"


class Served(Protocol):
    """The simulation, as far as services need it."""

    warehouse: Warehouse
    graph: Graph
    registry: TypeRegistry
    clock: Clock

    def change(self, warehouse: Warehouse) -> None: ...

    def start_over(
        self, warehouse: Warehouse, scripts: Sequence[Script] = ()
    ) -> None: ...

    def give(self, command: Command) -> WarehouseRefused | None: ...

    def tell_refused(self, reason: str, line: str = "") -> None: ...

    def state(self) -> dict[str, Any]: ...


class WarehouseServices:
    def __init__(self, served: Served) -> None:
        self._served = served
        offered: tuple[tuple[str, str, Callable[[Message], Message]], ...] = (
            (
                "/warehouse/create_warehouse_models",
                "warehouse_msgs/CreateWarehouse",
                self._create,
            ),
            ("/warehouse/insert_world", "warehouse_msgs/InsertWorld", self._insert),
            ("/warehouse/reset", "std_srvs/Trigger", self._reset),
            ("/warehouse/command", "warehouse_msgs/Command", self._command),
            ("/warehouse/spawn", "warehouse_msgs/Spawn", self._spawn),
            ("/warehouse/find_items", "warehouse_msgs/FindItems", self._find),
            ("/warehouse/export", "warehouse_msgs/Export", self._export),
            ("/warehouse/people", "std_srvs/SetBool", self._walk),
            ("/warehouse/state", "shopfloor_msgs/State", self._tell_state),
        )
        for prefix in ("", "/gazebo"):
            offered += (
                (
                    f"{prefix}/get_model_state",
                    "gazebo_msgs/GetModelState",
                    self._model_state,
                ),
                (
                    f"{prefix}/spawn_sdf_model",
                    "gazebo_msgs/SpawnModel",
                    self._spawn_model,
                ),
                (
                    f"{prefix}/delete_model",
                    "gazebo_msgs/DeleteModel",
                    self._delete_model,
                ),
            )
        for name, kind, answer in offered:
            served.graph.serve(name, kind, NODE, self._answering(kind, answer))

    def _answering(self, kind: str, answer: Callable[[Message], Message]) -> Invoke:
        """A refusal is an answer too, with the reason in the field for it."""
        served = self._served
        fields = served.registry.services[kind].response
        names = [field.name for field in fields]

        def invoke(request: Message, respond: Respond) -> None:
            try:
                values = {"success": True, **answer(request)}
            except WarehouseRefused as error:
                values = {"success": False, "message": str(error)}
            if "status_message" in names:
                values["status_message"] = values.pop("message", "")
            kept = {name: value for name, value in values.items() if name in names}
            now = self._served.clock.now()
            respond(
                True, self._served.registry.complete_fields(kind, fields, kept, now)
            )

        return invoke

    def _create(self, request: Message) -> Message:
        self._served.start_over(requests.create_models(self._served.warehouse, request))
        made = self._served.warehouse
        text = (
            f"{len(made.robots)} robots, {len(made.storage_units)} storage units, "
            f"{sum(1 for _ in places(made))} items, {len(made.belts)} belts"
        )
        return {"message": text}

    def _insert(self, request: Message) -> Message:
        found = requests.insert_world(self._served.warehouse, request)
        self._served.start_over(found.warehouse, [Script(found.commands)])
        return {"message": f"inserted {found.warehouse.name}"}

    def _reset(self, _: Message) -> Message:
        self._served.start_over(Warehouse(ticks=self._served.warehouse.ticks))
        return {"message": "empty"}

    def _command(self, request: Message) -> Message:
        line = request["line"]
        try:
            command = parse_command(line)
        except WarehouseRefused as error:
            self._served.tell_refused(str(error), line)
            raise
        refused = self._served.give(command)
        if refused is not None:
            raise refused
        return {"message": f"accepted: {command.line()}"}

    def _spawn(self, request: Message) -> Message:
        self._served.change(requests.spawn(self._served.warehouse, request))
        return {"message": f"spawned {request['id']}"}

    def _find(self, request: Message) -> Message:
        found = find(self._served.warehouse, request["sku"])
        listed = [
            {
                "id": place.item.id,
                "sku": place.item.sku,
                "unit": place.unit.id,
                "shelf": place.shelf.level,
                "held_by": place.unit.held_by,
                "at": list(pose_of_unit(self._served.warehouse, place.unit)[:2]),
            }
            for place in found
        ]
        text = f"{len(found)} in stock"
        return {"message": text, "json": json.dumps(listed)}

    def _export(self, request: Message) -> Message:
        return {"text": exported(self._served.warehouse, request["format"])}

    def _walk(self, request: Message) -> Message:
        self._served.warehouse = walk(self._served.warehouse, request["data"])
        return {"message": f"{len(self._served.warehouse.present)} people walk"}

    def _tell_state(self, _: Message) -> Message:
        return {"json": json.dumps(self._served.state())}

    def _model_state(self, request: Message) -> Message:
        """The header's time is the simulation's."""
        name, other = request["model_name"], request["relative_entity_name"]
        if other not in ("", "world", FRAME):
            raise NotThere(f"poses are told in the frame {FRAME}, not of {other!r}")
        found = state_of_model(self._served.warehouse, name)
        if found is None:
            raise NotThere(f"there is no model {name}")
        return {
            "header": self._served.registry.header(
                FRAME, time_s(self._served.warehouse)
            ),
            "pose": pose_message(found[0]),
            "twist": found[1],
        }

    def _spawn_model(self, request: Message) -> Message:
        self._served.change(requests.spawn_model(self._served.warehouse, request))
        return {"message": f"spawned {request['model_name']}"}

    def _delete_model(self, request: Message) -> Message:
        self._served.change(remove(self._served.warehouse, request["model_name"]))
        return {"message": f"deleted {request['model_name']}"}


def exported(warehouse: Warehouse, form: str) -> str:
    """As it stands: a world file (``yaml``), ``sdf``, the world of a plant for MPMS
    (``plant``), or its robot as ``urdf``."""
    if form == "yaml":
        return write(warehouse)
    if form == "plant":
        return write_plant(warehouse)
    from shopfloor.warehouse import sdf

    if form == "sdf":
        return sdf.write_sdf(warehouse)
    if form == "urdf":
        return sdf.robot_urdf()
    raise NotThere(f"there is no format {form!r}, only yaml, sdf, urdf and plant")
