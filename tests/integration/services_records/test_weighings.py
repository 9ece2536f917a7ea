"""What scales said is in the record, with where and how it was weighed."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from mpms.domain.jobs import Done, Job
from mpms.factory.adapters.instruments.reading import Instruments
from mpms.factory.adapters.instruments.scales import PlantScales
from mpms.factory.adapters.instruments.simulators.loop import served
from mpms.factory.adapters.instruments.simulators.scale import (
    PlayedScale,
    settings_for,
)
from mpms.factory.adapters.memory import LoopbackScale
from mpms.factory.topics.warehouse import WeighMaterial
from tests.integration.services_records.conftest import RecordPlant


def job(**inputs: object) -> Job:
    return Job(1, "t", "i", None, "weigh", "scale.weigh", inputs, 1, (), "key")


@pytest.mark.covers("A58", "A83")
def test_the_record_tells_which_scale_said_what(plant: RecordPlant) -> None:
    played = PlayedScale(Decimal("310.05"), Decimal("12.5"))
    with served(played.served_by("mt-sics")) as port:
        said = settings_for("mt-sics", port, "bench") | {
            "robots": [info.id for info in plant.world.robots]
        }
        said |= {"calibrated_on": "2026-10-01"}
        found = Instruments.model_validate({"scales": {"bench": said}})
        scales = PlantScales(found.scales, LoopbackScale())
        plant.scale.weigh = scales.weigh  # type: ignore[method-assign]
        plant.accept("MO-2026-0001")
        plant.confirm("load_material")
    with plant.uow() as tx:
        lines = [json.loads(x.content) for x in tx.records.lines("MO-2026-0001")]
    (weighed,) = (line for line in lines if line["what"] == "weighed")
    assert weighed["instrument"] == "bench SIM-0001"
    assert weighed["raw"] == "S S     310.05 kg"
    told = weighed["data"]
    assert (told["gross_kg"], told["tare_kg"], told["net_kg"]) == (322.55, 12.5, 310.05)
    assert told["measured_kg"] == 310.05
    assert (told["unit"], told["calibrated_on"]) == ("kg", "2026-10-01")
    assert told["read_at"]


def test_parts_add_up_on_a_bench_and_lie_together_on_a_robot() -> None:
    robots = LoopbackScale(lambda robot: 40.0)
    answer = WeighMaterial(robots)(job(robot="r", so_far_kg=25))
    assert isinstance(answer, Done)
    assert answer.variables == {"measured_kg": 40.0}
    played = PlayedScale(Decimal("15.1"))
    with served(played.served_by("mt-sics")) as port:
        said = settings_for("mt-sics", port, "bench")
        found = Instruments.model_validate({"scales": {"bench": said}})
        weigh = WeighMaterial(PlantScales(found.scales, robots))
        answer = weigh(job(robot="r", place="bench", so_far_kg=25.2))
    assert isinstance(answer, Done)
    assert answer.variables == {"measured_kg": 40.3}
    assert answer.local["net_kg"] == 15.1
