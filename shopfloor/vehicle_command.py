"""``shopfloor vehicle``: a vehicle file checked, as URDF, and drawn to scale."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

UNUSABLE = 2


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "vehicle",
        help="a vehicle file: checked, as URDF, drawn to scale",
        description="Without an option it says what the file says, as JSON.",
    )
    parser.add_argument("vehicle", help="a name that comes with the product, or a file")
    parser.add_argument("--urdf", type=Path, metavar="FILE", help="write it as URDF")
    parser.add_argument(
        "--drawing", type=Path, metavar="FILE", help="draw it: .png or .svg"
    )


def run(options: argparse.Namespace) -> int:
    from fleet.bodies.drawing import drawing_of
    from fleet.bodies.file import load_vehicle
    from fleet.bodies.urdf import urdf_of
    from shopfloor.plant.png import png_of
    from shopfloor.vehicles.errors import VehicleRefused

    drawing = options.drawing
    if drawing is not None and drawing.suffix.lower() not in (".png", ".svg"):
        return _refuse(f"a drawing is .png or .svg, not {drawing.name}")
    try:
        vehicle = load_vehicle(options.vehicle)
        if options.urdf is not None:
            options.urdf.write_text(urdf_of(vehicle), encoding="utf-8")
        if drawing is not None:
            picture = drawing_of(vehicle)
            if drawing.suffix.lower() == ".png":
                drawing.write_bytes(png_of(picture))
            else:
                drawing.write_text(picture.text(), encoding="utf-8")
    except VehicleRefused as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{error.filename} cannot be written: {error.strerror}")
    size = vehicle.dimensions
    facts = {
        "name": vehicle.name,
        "title": vehicle.title,
        "length_m": size.shell_length_m,
        "width_m": size.shell_width_m,
        "wheel_base_m": size.wheel_base_m,
        "turning_radius_m": round(vehicle.turning_radius_m, 3),
        "load_places": [place.id for place in vehicle.load_places],
        "components": [
            {"component": c.name, "model": c.model, "quantity": c.quantity}
            for c in vehicle.components
        ],
        "assumed": list(vehicle.assumed),
    }
    print(json.dumps(facts))
    return 0


def _refuse(reason: str) -> int:
    print(f"shopfloor: {reason}", file=sys.stderr)
    return UNUSABLE
