"""``shopfloor uwb``: how well recorded ranges locate their tags.

Somebody who installs anchors wants one number before anybody relies on them. Every
position is told from the ranges before it. The filter learns offset, rise and biases
while it tracks; with ``--calibrate`` a recording over known positions corrects each
link first. The textbook filter gets neither.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shopfloor.tracking.anchors import Anchor
from shopfloor.tracking.calibration import Calibration, KnownRange, calibrate
from shopfloor.tracking.errors import RangeFileRefused, TrackingRefused
from shopfloor.tracking.evaluation import Evaluation, evaluate
from shopfloor.tracking.range_files import read_anchors, read_ranges

UNUSABLE = 2


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "uwb",
        help="error of the tag filter on recorded ranges",
        description="RANGES.csv: t, tag, anchor, range, true_x, true_y. Anchors: "
        "anchor, x, y and perhaps z and dataset. Metres and seconds.",
    )
    parser.add_argument("ranges", type=Path, metavar="RANGES.csv")
    parser.add_argument("--anchors", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--calibrate",
        type=Path,
        metavar="FILE",
        help="a recording of the same anchors over known positions",
    )


def run(options: argparse.Namespace) -> int:
    try:
        facts = _measure(options.ranges, options.anchors, options.calibrate)
    except TrackingRefused as error:
        print(f"shopfloor: {error}", file=sys.stderr)
        return UNUSABLE
    print(json.dumps(facts))
    return 0


def _measure(
    ranges: Path, anchors_file: Path, calibration_file: Path | None
) -> dict[str, object]:
    recorded = read_ranges(ranges)
    used = {one.anchor for one in recorded}
    anchors = read_anchors(anchors_file, used, ranges.stem)
    calibration = Calibration()
    if calibration_file is not None:
        calibration = _from_file(calibration_file, anchors)
    result = evaluate(recorded, anchors, calibration=calibration)
    return _facts(result, calibration)


def _from_file(path: Path, anchors: Iterable[Anchor]) -> Calibration:
    known = [
        KnownRange(one.anchor, one.range_m, *one.truth_m)
        for one in read_ranges(path)
        if one.truth_m is not None
    ]
    if not known:
        raise RangeFileRefused(f"{path}: no range has a true position (true_x, true_y)")
    return calibrate(known, anchors)


def _facts(result: Evaluation, calibration: Calibration) -> dict[str, object]:
    return {
        "mean_error_m": round(result.ours.mean_m, 4),
        "rms_error_m": round(result.ours.rms_m, 4),
        "p95_error_m": round(result.ours.p95_m, 4),
        "plain_ekf_mean_error_m": round(result.plain.mean_m, 4),
        "plain_ekf_calibrated_mean_error_m": round(result.plain_calibrated.mean_m, 4),
        "plain_over_ours": round(result.plain.mean_m / result.ours.mean_m, 3),
        "within_three_sigma": round(result.consistency, 4),
        "positions": len(result.ours.x_m),
        "ranges_before_the_first_position": result.not_yet_located,
        "restarts": result.restarts,
        "learnt": {
            tag: {
                "offset_m": round(found.offset_m, 3),
                "offset_sigma_m": round(found.offset_sigma_m, 3),
                "rise_m": round(found.rise_m, 2),
                "rise_sigma_m": round(found.rise_sigma_m, 2),
                "biases_m": {a: round(b, 3) for a, b in found.biases_m.items()},
            }
            for tag, found in result.learnt.items()
        },
        "calibration": {
            "from": "known positions" if calibration.links else "none",
            "links": {
                name: {
                    "offset_m": round(link.offset_m, 4),
                    "scale": round(link.scale, 5),
                    "rise_m": round(link.rise_m, 3),
                    "noise_m": round(link.noise_m, 4),
                }
                for name, link in calibration.links.items()
            },
        },
    }
