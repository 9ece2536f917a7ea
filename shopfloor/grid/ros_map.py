"""Maps as ROS map servers write them: a YAML file beside an image.

Only what is clearly free may be driven on: unknown cells are blocked.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from shopfloor.grid.errors import (
    MapContentUnknown,
    MapRefused,
    MapTooLarge,
    MapUnreadable,
)
from shopfloor.grid.occupancy import MAX_CELLS, Grid, check_frame, check_size

MODES = ("trinary", "scale", "raw")
MAX_YAML_BYTES = 1 << 20


def read_ros_map(path: Path) -> Grid:
    document = _document(path)
    try:
        mode = document.get("mode", "trinary")
        if mode not in MODES:
            raise MapContentUnknown(f"mode is one of {', '.join(MODES)}, not {mode!r}")
        origin = document.get("origin")
        if not isinstance(origin, list) or len(origin) != 3:
            raise MapContentUnknown(f"origin is a list of x, y and yaw, not {origin!r}")
        frame = (
            _number("origin", origin[0]),
            _number("origin", origin[1]),
            _number("origin", origin[2]),
        )
        resolution_m = _number("resolution", document.get("resolution"))
        check_frame(resolution_m, frame)
        free_below = _number("free_thresh", document.get("free_thresh", 0.196))
        occupied_above = _number(
            "occupied_thresh", document.get("occupied_thresh", 0.65)
        )
        if not 0.0 <= free_below <= occupied_above <= 1.0:
            raise MapContentUnknown(
                f"the thresholds are 0 <= free <= occupied <= 1, "
                f"not {free_below} and {occupied_above}"
            )
        image = document.get("image")
        if not isinstance(image, str) or not image:
            raise MapContentUnknown("image names no file")
        grey, seen = _pixels(path.parent / image)
    except MapRefused as error:
        raise type(error)(f"{path}: {error}") from None
    if mode == "raw":
        occupancy = np.where(grey <= 100.0, grey / 100.0, 1.0)
    else:
        negate = bool(document.get("negate", 0))
        occupancy = grey / 255.0 if negate else (255.0 - grey) / 255.0
    free = seen & (occupancy < free_below)
    # Images begin at the top, maps at the least y.
    return Grid.of(~free[::-1], resolution_m, frame)


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_YAML_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MapUnreadable(f"{path} cannot be read: {reason}") from None
    if len(data) > MAX_YAML_BYTES:
        raise MapUnreadable(f"{path} is too long for the description of a map")
    try:
        document = yaml.safe_load(data)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        line = " ".join(str(error).split())
        raise MapUnreadable(f"{path} is not YAML: {line}") from None
    if not isinstance(document, dict):
        raise MapUnreadable(f"{path} is no description of a map")
    return document


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MapContentUnknown(f"{name} is a number, not {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise MapContentUnknown(f"{name} is a finite number, not {value!r}")
    return number


def _pixels(path: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Mean of the colours, 0 to 255, and whether the pixel is opaque."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                check_size(*image.size)
                opaque = np.asarray(image.convert("RGBA"), np.uint8)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise MapTooLarge(
            f"the image {path.name} is above the limit of {MAX_CELLS:,} cells"
        ) from None
    except FileNotFoundError:
        raise MapUnreadable(f"there is no image {path.name}") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        if isinstance(error, MapRefused):
            raise
        raise MapUnreadable(f"the image {path.name} cannot be read: {error}") from None
    colours = opaque[:, :, :3].astype(np.float64).mean(axis=2)
    return colours, opaque[:, :, 3] == 255
