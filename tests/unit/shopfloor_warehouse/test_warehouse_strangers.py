"""Whatever strangers send to a warehouse, it answers, lives on and stays whole."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.message_types import Field, TypeRegistry
from shopfloor.warehouse.messages import VERBS
from shopfloor.warehouse.served import WarehouseSimulation
from shopfloor.warehouse.world_file import WorldFile, read, write
from tests.support.kivas import hall
from tests.support.rosbridge import LocalClient

REGISTRY = TypeRegistry("ros1")
NUMBERS = [0, 1, -1, 2, 5, 90, 1.5, 1e9, -1e300, None]
TEXTS = ["", "kiva1", "unit1", "belt1", "1", "robot", "item", "person", "belt", "wall"]
TEXTS += ["a/b", "x", "y", "cw", "small", "yaml", "mov 3 1 kiva1", "<model/>", "{: a"]
TEXTS += ["<sdf><world/></sdf>", "name: a\nfloor: {columns: 2, rows: 2}", "ü" * 80]


def values_of(field: Field) -> st.SearchStrategy[Any]:
    if field.name == "at":
        return st.sampled_from([[1.0, 1.0], [2.0, 5.0], [9.0, 7.0], [1.0], [None, 0.0]])
    if field.length is not None:
        single = Field(field.name, field.type)
        return st.lists(values_of(single), max_size=4)
    if field.type == "string":
        return st.sampled_from(TEXTS)
    if field.type == "bool":
        return st.booleans()
    if field.type.startswith("float"):
        return st.sampled_from(NUMBERS)
    if "int" in field.type:
        return st.sampled_from([0, 1, -1, 2, 3, 7, 120, 2**31 - 1])
    if field.type == "time":
        return st.just({})
    return messages_of(REGISTRY.messages[field.type])


def messages_of(fields: tuple[Field, ...]) -> st.SearchStrategy[dict[str, Any]]:
    needed = {f.name: values_of(f) for f in fields if f.required}
    others = {f.name: values_of(f) for f in fields if not f.required}
    return st.fixed_dictionaries(needed, optional=others)


def a_client() -> LocalClient:
    clock = ManualClock()
    start = hall((0, 0), (0, 4), units=[(0, 0), (3, 3)], belts=[(5, 0)])
    client = LocalClient(WarehouseSimulation(WorldFile(start), clock=clock), clock)
    for topic in ("/model_states", "/kiva1/chassis/laser/scan", "/warehouse/state"):
        client.subscribe(topic)
    return client


def services() -> dict[str, tuple[Field, ...]]:
    graph = a_client().simulation.graph
    return {
        name: graph.registry.services[service.type].request
        for name, service in graph.services.items()
        if service.node == "/warehouse"
    }


OFFERED = services()
Asked = st.SearchStrategy[tuple[str, dict[str, Any]]]


def calls_of(*names: str) -> Asked:
    return st.sampled_from(names).flatmap(
        lambda name: st.tuples(st.just(name), messages_of(OFFERED[name]))
    )


CALLS = calls_of(*sorted(OFFERED))
SPAWNS = calls_of("/warehouse/spawn", "/gazebo/spawn_sdf_model")
WORDS = st.sampled_from(sorted(VERBS)).flatmap(
    lambda verb: st.tuples(
        st.just(verb), messages_of(REGISTRY.messages[VERBS[verb][0]])
    )
)


@given(st.lists(st.one_of(CALLS, SPAWNS, WORDS), min_size=1, max_size=12))
@settings(max_examples=20)
def test_no_message_breaks_a_warehouse(asked: list[tuple[str, dict[str, Any]]]) -> None:
    client = a_client()
    for name, message in asked:
        if name in VERBS:
            client.publish(f"/{name}", VERBS[name][0], message)
        else:
            assert "values" in client.call(name, message)
        client.advance(0.3, step_s=0.1)
    assert isinstance(client.simulation, WarehouseSimulation)
    warehouse = client.simulation.warehouse
    for robot in warehouse.robots.values():
        assert all(map(math.isfinite, (robot.x_m, robot.y_m, robot.yaw_deg)))
        assert all(map(warehouse.floor.contains, robot.holds))


@pytest.mark.covers("K47", "K54")
@given(st.lists(SPAWNS, min_size=1, max_size=12))
@settings(max_examples=15)
def test_what_was_spawned_could_have_stood_in_a_file(
    asked: list[tuple[str, dict[str, Any]]],
) -> None:
    client = a_client()
    for name, message in asked:
        client.call(name, message)
    assert isinstance(client.simulation, WarehouseSimulation)
    warehouse = client.simulation.warehouse
    assert read(write(warehouse)).warehouse == warehouse
