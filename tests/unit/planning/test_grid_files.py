"""Maps from files: what they mean, and every way they can be wrong."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from shopfloor.grid import (
    Grid,
    MapContentUnknown,
    MapEmpty,
    MapRefused,
    MapTooLarge,
    MapUnreadable,
    ScenarioRefused,
    read_map,
    read_scenario,
)

MAP = "type octile\nheight 3\nwidth 4\nmap\n.@.G\n..TS\nOW..\n"
YAML = {
    "image": "hall.png",
    "resolution": "0.05",
    "origin": "[-1.0, 2.0, 0.0]",
    "negate": "0",
    "occupied_thresh": "0.65",
    "free_thresh": "0.196",
}


def written(folder: Path, text: str, name: str = "m.map") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def ros(folder: Path, pixels: object = None, **changes: str | None) -> Path:
    if pixels is not None:
        Image.fromarray(np.array(pixels, np.uint8)).save(folder / "hall.png")
    fields = {**YAML, **changes}
    lines = [f"{k}: {v}\n" for k, v in fields.items() if v is not None]
    return written(folder, "".join(lines), "hall.yaml")


def test_a_moving_ai_map_keeps_its_coordinates(tmp_path: Path) -> None:
    grid = read_map(written(tmp_path, MAP))
    assert (grid.width, grid.height, grid.resolution_m) == (4, 3, 1.0)
    assert grid.cells.tolist() == [[0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 0, 0]]
    assert grid.is_free(0, 0)
    assert not grid.is_free(1, 0)
    assert not grid.is_free(1, 2)


def test_line_ends_of_other_systems_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "dos.map"
    path.write_bytes(MAP.replace("\n", "\r\n").encode())
    assert read_map(path).cells.sum() == 4


@pytest.mark.parametrize(
    ("text", "cause", "words"),
    [
        ("", MapUnreadable, "no line 'map'"),
        ("type octile\nmap\n...\n", MapUnreadable, "width is missing"),
        (MAP.replace("width 4", "width four"), MapUnreadable, "width is missing"),
        (MAP.replace("height 3", "height 4"), MapUnreadable, "promises 4 lines"),
        (MAP.replace(".@.G", ".@."), MapUnreadable, "line 0 of the map has 3"),
        (MAP.replace(".@.G", ".@x."), MapContentUnknown, r"cell \(2, 0\) is 'x'"),
        ("height 0\nwidth 0\nmap\n", MapEmpty, "no cells: 0 by 0"),
        ("height 20000\nwidth 20000\nmap\n", MapTooLarge, "20000 by 20000"),
    ],
)
def test_a_broken_moving_ai_map_is_refused_by_cause(
    tmp_path: Path, text: str, cause: type[MapRefused], words: str
) -> None:
    with pytest.raises(cause, match=words):
        read_map(written(tmp_path, text))


def test_a_missing_file_and_an_unknown_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MapUnreadable, match="cannot be read: No such file"):
        read_map(tmp_path / "none.map")
    with pytest.raises(MapUnreadable, match="cannot be read: No such file"):
        read_map(tmp_path / "none.yaml")
    with pytest.raises(MapUnreadable, match=r"neither a \.map nor a \.yaml"):
        read_map(tmp_path / "hall.png")


def test_a_ros_map_begins_at_its_lower_left_corner(tmp_path: Path) -> None:
    grid = read_map(ros(tmp_path, [[0, 254, 254], [254, 254, 205]]))
    assert grid.resolution_m == 0.05
    assert grid.cells.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert grid.is_free(-0.99, 2.01)
    assert not grid.is_free(-0.99, 2.06)


def test_unknown_cells_are_not_driven_on(tmp_path: Path) -> None:
    grid = read_map(ros(tmp_path, [[205, 254], [0, 254]]))
    assert grid.cells.tolist() == [[1, 0], [1, 0]]


def test_negated_raw_and_transparent_maps_are_understood(tmp_path: Path) -> None:
    assert read_map(ros(tmp_path, [[0, 255]], negate="1")).cells.tolist() == [[0, 1]]
    raw = read_map(ros(tmp_path, [[0, 100, 255]], mode="raw"))
    assert raw.cells.tolist() == [[0, 1, 1]]
    clear = [[[255, 255, 255, 255], [255, 255, 255, 0]]]
    assert read_map(ros(tmp_path, clear, mode="scale")).cells.tolist() == [[0, 1]]


def test_a_portable_graymap_is_read(tmp_path: Path) -> None:
    (tmp_path / "hall.pgm").write_bytes(b"P5\n2 1\n255\n\xfe\x00")
    assert read_map(ros(tmp_path, image="hall.pgm")).cells.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("changes", "cause", "words"),
    [
        ({"resolution": None}, MapContentUnknown, "resolution is a number, not None"),
        ({"resolution": "0"}, MapContentUnknown, "resolution is more than 0 m"),
        ({"resolution": "-0.05"}, MapContentUnknown, "resolution is more than 0 m"),
        ({"resolution": ".nan"}, MapContentUnknown, "resolution is a finite number"),
        ({"resolution": "coarse"}, MapContentUnknown, "resolution is a number"),
        ({"origin": "[1, 2]"}, MapContentUnknown, "origin is a list"),
        ({"origin": "[1, .inf, 0]"}, MapContentUnknown, "origin is a finite number"),
        ({"mode": "dreamy"}, MapContentUnknown, "mode is one of"),
        ({"free_thresh": "0.9"}, MapContentUnknown, "the thresholds are"),
        ({"image": None}, MapContentUnknown, "image names no file"),
        ({"image": "none.png"}, MapUnreadable, "there is no image none.png"),
        ({"image": "hall.yaml"}, MapUnreadable, "image hall.yaml cannot be read"),
    ],
)
def test_a_broken_ros_map_is_refused_by_cause(
    tmp_path: Path,
    changes: dict[str, str | None],
    cause: type[MapRefused],
    words: str,
) -> None:
    with pytest.raises(cause, match=words):
        read_map(ros(tmp_path, [[254, 0]], **changes))


@pytest.mark.parametrize("text", ["[", "- 1\n- 2\n", "just words", "a: &x [*x, *y]"])
def test_a_file_that_describes_no_map_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(MapUnreadable, match=r"is not YAML|is no description"):
        read_map(written(tmp_path, text, "m.yaml"))


def png_that_claims(width: int, height: int) -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    return b"\x89PNG\r\n\x1a\n" + body + b"\0\0\0\0IEND\xaeB`\x82"


@pytest.mark.parametrize("side", [7_000, 12_000, 20_000])
def test_an_image_too_large_is_refused_before_it_is_unpacked(
    tmp_path: Path, side: int
) -> None:
    (tmp_path / "hall.png").write_bytes(png_that_claims(side, side))
    with pytest.raises(MapTooLarge, match="above the limit"):
        read_map(ros(tmp_path))


def test_a_truncated_image_is_refused(tmp_path: Path) -> None:
    path = ros(tmp_path, np.random.default_rng(1).integers(0, 255, (60, 60)))
    image = tmp_path / "hall.png"
    image.write_bytes(image.read_bytes()[:1500])
    with pytest.raises(MapUnreadable, match=r"image hall\.png cannot be read"):
        read_map(path)


@pytest.mark.parametrize(
    ("cells", "cause", "words"),
    [
        (np.zeros((0, 0), np.bool_), MapEmpty, "0 by 0"),
        (np.zeros((0, 7), np.bool_), MapEmpty, "7 by 0"),
        (np.zeros(5, np.bool_), MapRefused, "two dimensions, not 1"),
        (np.zeros((2, 2)), MapContentUnknown, "type float64"),
        (
            np.broadcast_to(np.zeros(1, np.bool_), (20_000, 20_000)),
            MapTooLarge,
            "20000 by 20000",
        ),
    ],
)
def test_cells_that_are_no_map_are_refused(
    cells: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]",
    cause: type[MapRefused],
    words: str,
) -> None:
    with pytest.raises(cause, match=words):
        Grid.of(cells)


def test_scenario_rows_are_read(tmp_path: Path) -> None:
    grid = read_map(written(tmp_path, MAP))
    text = "version 1\n0\tm.map\t4\t3\t0\t0\t3\t2\t4.5\n\n1 m.map 4 3 2 2 3 0 2\n"
    rows = read_scenario(written(tmp_path, text, "m.scen"), grid)
    assert [(r.start, r.goal, r.octile_length) for r in rows] == [
        ((0, 0), (3, 2), 4.5),
        ((2, 2), (3, 0), 2.0),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no version"),
        ("version 1\n1 2 3\n", ":2 is no scenario row"),
        ("version 1\n0 m.map 4 3 0 0 3 x 4.5\n", ":2 is no scenario row"),
        ("version 1\n0 m.map 5 3 0 0 3 2 4.5\n", "is for a map of 5 by 3 cells"),
        ("vérsion", "it is not plain text"),
    ],
)
def test_a_broken_scenario_is_refused(tmp_path: Path, text: str, words: str) -> None:
    grid = read_map(written(tmp_path, MAP))
    with pytest.raises(ScenarioRefused, match=words):
        read_scenario(written(tmp_path, text, "m.scen"), grid)


def test_a_missing_scenario_is_refused(tmp_path: Path) -> None:
    grid = read_map(written(tmp_path, MAP))
    with pytest.raises(ScenarioRefused, match="cannot be read"):
        read_scenario(tmp_path / "none.scen", grid)
