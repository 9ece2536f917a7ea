"""Weights from scales over real sockets, one test for every wire."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from mpms.factory.adapters.instruments import extra
from mpms.factory.adapters.instruments.reading import (
    Instruments,
    InstrumentsInvalid,
    read_instruments,
)
from mpms.factory.adapters.instruments.scales import PlantScales
from mpms.factory.adapters.instruments.simulators.loop import lines_served, served
from mpms.factory.adapters.instruments.simulators.scale import (
    PlayedScale,
    settings_for,
)
from mpms.factory.adapters.memory import LoopbackScale
from mpms.factory.ports.scales import ScaleByHand, ScaleUnavailable

WIRES = ("mt-sics", "modbus", "opc-ua")


def scales_of(**scales: object) -> PlantScales:
    found = Instruments.model_validate({"scales": scales})
    return PlantScales(found.scales, LoopbackScale(lambda robot: 1.0))


@pytest.fixture(params=WIRES, scope="module")
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def played(wire: str) -> Iterator[tuple[PlayedScale, int]]:
    scale = PlayedScale(Decimal("12.340"), Decimal("1.500"))
    with served(scale.served_by(wire)) as port:
        yield scale, port


@pytest.mark.covers("A83")
def test_a_weight_at_rest_tells_gross_tare_net_and_where_from(
    wire: str, played: tuple[PlayedScale, int]
) -> None:
    _, port = played
    said = settings_for(wire, port, "bench")
    weight = scales_of(bench=said | {"calibrated_on": "2026-10-01"}).weigh("r", "bench")
    assert weight.net_kg == Decimal("12.34")
    assert weight.gross_kg == Decimal("13.84")
    assert weight.tare_kg == Decimal("1.5")
    assert weight.calibrated_on == date(2026, 10, 1)
    assert weight.unit == "kg"
    assert weight.instrument.startswith("bench")
    assert "12.34" in weight.raw
    assert not weight.stays


@pytest.mark.covers("A83")
def test_a_load_that_swings_is_never_a_weight(
    wire: str, played: tuple[PlayedScale, int]
) -> None:
    scale, port = played
    scale.moving = True
    said = settings_for(wire, port, "bench") | {"timeout_s": 1.0}
    with pytest.raises(ScaleUnavailable, match="rest"):
        scales_of(bench=said).weigh("r", "bench")


def test_a_scale_that_nobody_reaches_is_named(wire: str) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    said = settings_for(wire, port, "bench") | {"timeout_s": 1.0}
    with pytest.raises(ScaleUnavailable, match="scale bench does not answer"):
        scales_of(bench=said).weigh("r", "bench")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("S +", "overloaded"),
        ("S -", "less than nothing"),
        ("S I", "cannot weigh now"),
        ("S S   12.0 stone", "S S"),
        ("S S  NaN kg", "no weight"),
        ("hello", "no weight"),
    ],
)
def test_what_is_no_weight_is_told_as_the_scale_said_it(answer: str, why: str) -> None:
    with served(lines_served(lambda line: answer)) as port:
        said = settings_for("mt-sics", port, "bench") | {"timeout_s": 0.5}
        with pytest.raises(ScaleUnavailable, match=why):
            scales_of(bench=said).weigh("r", "bench")


def test_a_scale_unplugged_while_it_is_asked_is_no_weight() -> None:
    scale = PlayedScale(Decimal(5), unplugged=True)
    with served(scale.served_by("mt-sics")) as port:
        said = settings_for("mt-sics", port, "bench")
        with pytest.raises(ScaleUnavailable, match="hung up"):
            scales_of(bench=said).weigh("r", "bench")


def test_grams_become_kilograms_and_the_raw_line_stays() -> None:
    answers = {"S": "S S   2500.5 g", "TA": "TA I", "I4": 'I4 A "0815"'}
    with served(lines_served(lambda line: answers.get(line, "ES"))) as port:
        said = settings_for("mt-sics", port, "bench")
        weight = scales_of(bench=said).weigh("r", "bench")
    assert weight.net_kg == Decimal("2.5005")
    assert (weight.unit, weight.raw) == ("g", "S S   2500.5 g")
    assert (weight.instrument, weight.gross_kg) == ("bench 0815", None)


def test_a_float_in_the_other_word_order_is_read_as_the_file_says() -> None:
    played = PlayedScale(Decimal("12.34"))

    class Swapped(PlayedScale):
        def words(self) -> list[int]:
            words = played.words()
            return [words[1], words[0], *words[2:]]

    with served(Swapped().served_by("modbus")) as port:
        said = settings_for("modbus", port, "bench")
        said["net"] = {"register": 0, "word_order": "little"}
        del said["gross"]
        assert scales_of(bench=said).weigh("r", "bench").net_kg == Decimal("12.34")


def test_where_no_scale_stands_the_robot_weighs() -> None:
    manual = {"driver": "manual", "places": ["bench"], "name": "Old Bizerba"}
    scales = scales_of(bench=manual)
    assert scales.weigh("robot1", "rack").net_kg == 1
    with pytest.raises(ScaleByHand) as by_hand:
        scales.weigh("robot1", "bench")
    assert by_hand.value.name == "Old Bizerba"


def test_every_fault_of_the_file_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "instruments.yaml"
    wrong = {
        "scales": {
            "a": {"driver": "mt-sics", "address": "10.0.0.1", "places": ["bench"]},
            "b": {"driver": "manual"},
            "c": {
                **settings_for("opc-ua", 1, "bench"),
                "unit": "stone",
                "robots": ["robot9"],
            },
        },
        "tanks": {"nowhere": {"driver": "modbus", "address": "tcp://10.0.0.1:502"}},
    }
    file.write_text(yaml.safe_dump(wrong), encoding="utf-8")
    with pytest.raises(InstrumentsInvalid) as told:
        read_instruments(file, places={"bench"}, robots={"robot1"})
    for part in ("scales.a.address", "scales.b", "'stone'", "'robot9'", "nowhere"):
        assert part in str(told.value)
    assert "already" in str(told.value)
    file.write_text("scales: {a: {driver: magic}, b: {driver: modbus}}")
    with pytest.raises(InstrumentsInvalid, match=r"scales\.a.*scales\.b"):
        read_instruments(file, places=set(), robots=set())


def test_a_missing_library_is_named_with_its_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extra, "import_module", gone)
    said = settings_for("modbus", 502, "bench")
    with pytest.raises(ScaleUnavailable, match=r"pip install 'mpms\[instruments\]'"):
        scales_of(bench=said).weigh("r", "bench")


def test_a_simulated_scale_prints_what_the_file_needs_and_does_what_is_typed(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "mpms", "scales"]
    environment = os.environ | {
        "MPMS_STATE_DIR": str(tmp_path),
        "MPMS_INSTRUMENTS": str(tmp_path / "instruments.yaml"),
    }
    with subprocess.Popen(
        [*command, "simulate", "mt-sics", "--kg", "3.5", "--place", "tank_2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as played:
        assert played.stdin is not None
        assert played.stdout is not None
        lines = _until_hint(played)
        (tmp_path / "instruments.yaml").write_text("".join(lines), encoding="utf-8")
        read = subprocess.run(
            [*command, "check"], capture_output=True, text=True, env=environment
        )
        assert "net_kg=3.5" in read.stdout, read.stderr
        played.stdin.write("move\n")
        played.stdin.flush()
        assert "moving=True" in played.stdout.readline()
        played.stdin.write("unplug\n")
        played.stdin.flush()
        assert "unplugged=True" in played.stdout.readline()
        read = subprocess.run(
            [*command, "check"], capture_output=True, text=True, env=environment
        )
        assert read.returncode == 1
        assert "hung up" in read.stdout
        played.stdin.close()


def _until_hint(played: subprocess.Popen[str]) -> list[str]:
    assert played.stdout is not None
    lines = []
    while not (line := played.stdout.readline()).startswith("# Type"):
        assert line, "it ended"
        lines.append(line)
    return lines
