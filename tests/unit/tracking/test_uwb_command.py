"""``shopfloor uwb``: one JSON object from recordings, or one line saying why not."""

import argparse
import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from shopfloor import uwb_command
from shopfloor.tracking import Anchor, RangeNoise
from shopfloor.tracking.range_files import RecordedRange

Record = Callable[..., list[RecordedRange]]
RECORDINGS = Path(__file__).resolve().parents[4] / "shared" / "data" / "uwb"


def call(*words: str) -> int:
    parser = argparse.ArgumentParser()
    uwb_command.add_parser(parser.add_subparsers(dest="command", required=True))
    return uwb_command.run(parser.parse_args(["uwb", *words]))


def write(path: Path, taken: list[RecordedRange], late_m: float = 0.0) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["t", "tag", "anchor", "range", "true_x", "true_y"])
        for r in taken:
            x, y = r.truth_m or ("", "")
            writer.writerow([r.at_s, r.tag, r.anchor, r.range_m + late_m, x, y])
    return str(path)


@pytest.fixture
def anchors_file(tmp_path: Path, corners: tuple[Anchor, ...]) -> str:
    path = tmp_path / "anchors.csv"
    rows = "".join(f"{a.id},{a.x_m},{a.y_m},\n" for a in corners)
    path.write_text("anchor,x,y,z\n" + rows, encoding="utf-8")
    return str(path)


@pytest.mark.long
def test_it_tells_the_errors_of_both_filters(
    tmp_path: Path,
    anchors_file: str,
    corners: tuple[Anchor, ...],
    record: Record,
    capsys: pytest.CaptureFixture[str],
) -> None:
    taken = record(corners, RangeNoise(delayed_share=0.3), 1, 30.0)
    path = write(tmp_path / "walk.csv", taken)
    capsys.readouterr()
    assert call(path, "--anchors", anchors_file) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["mean_error_m"] <= 0.13
    assert facts["mean_error_m"] <= facts["rms_error_m"] <= facts["p95_error_m"]
    assert facts["plain_ekf_mean_error_m"] > 1.5 * facts["mean_error_m"]
    assert facts["calibration"] == {"from": "none", "links": {}}


def test_a_calibration_recording_takes_the_offset_away(
    tmp_path: Path,
    anchors_file: str,
    corners: tuple[Anchor, ...],
    record: Record,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = write(tmp_path / "one.csv", record(corners, RangeNoise(), 1), 0.5)
    second = write(tmp_path / "two.csv", record(corners, RangeNoise(), 2), 0.5)
    capsys.readouterr()
    assert call(second, "--anchors", anchors_file, "--calibrate", first) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["mean_error_m"] <= 0.10
    assert facts["plain_ekf_mean_error_m"] > facts["mean_error_m"]
    assert facts["calibration"]["from"] == "known positions"


HEAD = "t,tag,anchor,range,true_x,true_y\n"


@pytest.mark.parametrize(
    ("ranges", "reason"),
    [
        (HEAD, "there is no range in it"),
        ("t,tag,range\n0,w,1\n", "names no column anchor"),
        (HEAD + "0,w,a,abc,1,1\n", "line 2: range 'abc' is no number"),
        (HEAD + "0,w,a,nan,1,1\n", "line 2: range 'nan' is no number"),
        (HEAD + "0,w,a,-3,1,1\n", "line 2: -3.0 is no distance"),
        (HEAD + "0,w,a,,1,1\n", "line 2: t and range must not be empty"),
        (HEAD + "0,w,zz,3,1,1\n", "unknown anchor zz"),
        (HEAD + "0,w,a,3,,\n1,w,b,28,,\n", "no range has a true position"),
        (HEAD + "1,w,a,3,1,1\n0,w,a,3,1,1\n", "follows one of 1.000 s"),
        (HEAD + "0,w,a,3,1,1\n1,w,a,3,1,1\n", "two anchors must be heard"),
    ],
)
def test_an_unusable_recording_is_refused_by_cause(
    tmp_path: Path,
    anchors_file: str,
    ranges: str,
    reason: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(ranges, encoding="utf-8")
    assert call(str(path), "--anchors", anchors_file) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert reason in streams.err
    assert streams.err.count("\n") == 1


def test_missing_and_binary_files_are_refused(
    tmp_path: Path, anchors_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(str(tmp_path / "none.csv"), "--anchors", anchors_file) == 2
    assert "cannot be read" in capsys.readouterr().err
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"t,anchor,range\n\xff\xfe\x00")
    assert call(str(binary), "--anchors", anchors_file) == 2
    assert "no CSV in UTF-8" in capsys.readouterr().err


@pytest.mark.long
def test_the_data_set_named_like_the_recording_is_meant(
    tmp_path: Path,
    corners: tuple[Anchor, ...],
    record: Record,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [f"hall,{a.id},{a.x_m},{a.y_m}\n" for a in corners]
    rows += [f"yard,{a.id},{a.x_m * 2},{a.y_m}\n" for a in corners]
    anchors = tmp_path / "both.csv"
    anchors.write_text("dataset,anchor,x,y\n" + "".join(rows), encoding="utf-8")
    taken = record(corners, RangeNoise(), 6, 10.0)
    capsys.readouterr()
    path = write(tmp_path / "hall_1.csv", taken)
    assert call(path, "--anchors", str(anchors)) == 0
    assert json.loads(capsys.readouterr().out)["mean_error_m"] < 0.2
    path = write(tmp_path / "walk.csv", taken)
    assert call(path, "--anchors", str(anchors)) == 2
    assert "hall, yard all have these anchors" in capsys.readouterr().err


@pytest.mark.long
def test_recordings_of_real_anchors_are_located_where_there_are_any(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Calibrated on the recording itself: the only one with a known frame."""
    for path in sorted(RECORDINGS.glob("[!a]*.csv")):
        words = ["--anchors", str(RECORDINGS / "anchors.csv"), "--calibrate", str(path)]
        assert call(str(path), *words) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["mean_error_m"] <= 0.13
        assert facts["plain_ekf_mean_error_m"] / facts["mean_error_m"] >= 1.9


@pytest.mark.long
def test_recordings_of_real_anchors_need_no_calibration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each position from the ranges before it, and better than the textbook's."""
    for path in sorted(RECORDINGS.glob("[!a]*.csv")):
        assert call(str(path), "--anchors", str(RECORDINGS / "anchors.csv")) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["mean_error_m"] < facts["plain_ekf_mean_error_m"]
        assert facts["within_three_sigma"] >= 0.9
        assert facts["calibration"] == {"from": "none", "links": {}}
        if path.stem.startswith("bielefeld"):
            assert facts["mean_error_m"] <= 0.11
