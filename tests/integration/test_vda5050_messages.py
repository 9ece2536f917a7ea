"""Every message on the broker has the shape that its version asks for."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from robot_bridge.reports import CommandState
from tests.integration.test_vda5050 import VERSIONS, Plant
from tests.support.waiting import eventually

SHAPES = Path(__file__).resolve().parents[1] / "data" / "vda5050"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_message_has_the_shape_of_its_version(
    tmp_path: Path, version: str
) -> None:
    shapes = json.loads((SHAPES / f"{version}.json").read_text(encoding="utf-8"))
    heard: list[tuple[str, bytes]] = []
    plant = Plant(tmp_path, version)
    ear = mqtt.Client(CallbackAPIVersion.VERSION2)
    ear.on_message = lambda _c, _d, m: heard.append((m.topic, bytes(m.payload)))
    ear.connect("127.0.0.1", plant.broker.port)
    ear.subscribe("#")
    ear.loop_start()
    try:
        agv = plant.ready(base_nodes=2)
        agv.go("g1", 3.0, 3.0, via=[(3.0, 1.0)])
        assert agv.end("g1").state is CommandState.SUCCEEDED
        agv.client.action("a1", "load", {"id": "k", "package": "box"})
        assert agv.end("a1").state is CommandState.SUCCEEDED
        plant.simulator.fault("reject agv1")
        agv.go("g2", 4.0)
        assert agv.end("g2").state is CommandState.REJECTED
        agv.go("g3", 18.0)
        agv.drives()
        agv.client.cancel("g3")
        agv.end("g3")
        plant.simulator.fault("cut agv2")
        broken = plant.vehicle().words.broken.encode()
        eventually(lambda: any(broken in said for _, said in heard), "a last will")
    finally:
        plant.close()
        ear.disconnect()
        ear.loop_stop()
    seen: Counter[str] = Counter()
    for topic, payload in heard:
        kind = topic.rpartition("/")[2]
        jsonschema.validate(json.loads(payload), shapes[kind])
        assert topic.startswith(plant.vehicle().words.root)
        seen[kind] += 1
    assert set(seen) == set(shapes)
