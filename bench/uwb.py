"""How far off tags are, and how many ranges a second one core takes in.

    python bench/uwb.py [--data DIR]

A person wanders through a hall of 30 x 20 m; every 25 ms one of the anchors in its
corners measures a range with 10 cm of noise. Obstructions come in bursts of 1.5 s on
average and delay by half a metre every time, which is harder than a full metre. The
textbook filter starts where ours found the tag. With DIR, the recordings there are
measured too. The last line is one JSON object; accuracy comes from fixed seeds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from shopfloor.tracking import (  # noqa: E402
    Anchor,
    Bounds,
    KnownRange,
    RangeNoise,
    RangeSource,
    TagTracker,
    calibrate,
)
from shopfloor.tracking.evaluation import Evaluation, evaluate  # noqa: E402
from shopfloor.tracking.range_files import (  # noqa: E402
    RecordedRange,
    read_anchors,
    read_ranges,
)
from shopfloor.tracking.walks import wander  # noqa: E402

HALL = Bounds(0.0, 0.0, 30.0, 20.0)
CORNERS = (
    Anchor("a", 0.0, 0.0),
    Anchor("b", 30.0, 0.0),
    Anchor("c", 30.0, 20.0),
    Anchor("d", 0.0, 20.0),
)
SEEDS = range(10)
DURATION_S, STEP_S = 120.0, 0.025
SHARES = {0: 0.0, 10: 0.1, 30: 0.3}


def record(
    anchors: tuple[Anchor, ...],
    noise: RangeNoise,
    seed: int,
    height_m: float | None = None,
) -> list[RecordedRange]:
    source = RangeSource(anchors, noise, seed)
    taken = []
    for step, (at_s, x, y) in enumerate(wander(HALL, DURATION_S, STEP_S, seed)):
        anchor = anchors[step % len(anchors)]
        one = source.measure_one(at_s, "tag", x, y, anchor, height_m=height_m)
        if one is not None:
            truth = (x, y)
            taken.append(RecordedRange(at_s, "tag", one.anchor, one.range_m, truth))
    return taken


def trials(count: int, noise: RangeNoise) -> list[Evaluation]:
    anchors = CORNERS[:count]
    return [evaluate(record(anchors, noise, s), anchors, bounds=HALL) for s in SEEDS]


def offset_and_rise() -> list[Evaluation]:
    """Ranges 0.3 m too long from anchors 2.4 m above the tag: nobody knows that."""
    raised = tuple(Anchor(a.id, a.x_m, a.y_m, 2.4) for a in CORNERS)
    late = RangeNoise()
    runs = (record(raised, late, seed, height_m=0.0) for seed in SEEDS)
    return [
        evaluate(
            [replace(one, range_m=one.range_m + 0.3) for one in run],
            CORNERS,
            bounds=HALL,
        )
        for run in runs
    ]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def summary(runs: list[Evaluation]) -> dict[str, float]:
    ours = [run.ours.mean_m for run in runs]
    plain = [run.plain.mean_m for run in runs]
    return {
        "mean": round(mean(ours), 4),
        "worst_run": round(max(ours), 4),
        "worst_position": round(max(run.ours.worst_m for run in runs), 3),
        "plain": round(mean(plain), 4),
        "plain_over_ours": round(mean(plain) / mean(ours), 3),
        "within_three_sigma": round(mean([run.consistency for run in runs]), 4),
    }


def updates_per_s() -> float:
    ranges = record(CORNERS, RangeNoise(delayed_share=0.3), 1)
    best = 0.0
    for _ in range(5):
        tracker = TagTracker(CORNERS, bounds=HALL)
        begun = time.perf_counter()
        for one in ranges:
            tracker.update(one.at_s, one.anchor, one.range_m)
        best = max(best, len(ranges) / (time.perf_counter() - begun))
    return best


def recordings(directory: Path) -> dict[str, object]:
    """As it is heard, and with the other half's calibration."""
    found: dict[str, object] = {}
    for path in sorted(directory.glob("*.csv")):
        if path.name == "anchors.csv":
            continue
        taken = read_ranges(path)
        used = {one.anchor for one in taken}
        anchors = read_anchors(directory / "anchors.csv", used, path.stem)
        raw = evaluate(taken, anchors)
        half = len(taken) // 2
        crossed = []
        for known, scored in (
            (taken[:half], taken[half:]),
            (taken[half:], taken[:half]),
        ):
            samples = [
                KnownRange(r.anchor, r.range_m, *r.truth_m)
                for r in known
                if r.truth_m is not None
            ]
            calibration = calibrate(samples, anchors)
            crossed.append(evaluate(scored, anchors, calibration=calibration))
        found[path.stem] = {
            "plain_raw": round(raw.plain.mean_m, 4),
            "ours_raw": round(raw.ours.mean_m, 4),
            "ours_raw_within_three_sigma": round(raw.consistency, 4),
            "ours_other_half": [round(e.ours.mean_m, 4) for e in crossed],
            "plain_other_half": [round(e.plain_calibrated.mean_m, 4) for e in crossed],
            "within_three_sigma": [round(e.consistency, 3) for e in crossed],
        }
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="recordings with an anchors.csv")
    options = parser.parse_args()
    print(f"seeds {SEEDS.start} to {SEEDS.stop - 1}", flush=True)
    table: dict[str, dict[str, float]] = {}
    for count in (4, 3, 2):
        for percent, share in SHARES.items():
            runs = trials(count, RangeNoise(delayed_share=share, spread=0.0))
            table[f"{count}_{percent}"] = summary(runs)
            print(
                f"{count} anchors, {percent} %:",
                table[f"{count}_{percent}"],
                flush=True,
            )
    longer = RangeNoise(delayed_share=0.3, delay_m=1.0)
    table["4_30_one_metre"] = summary(trials(4, longer))
    print("4 anchors, 30 %, 0.5 to 1.5 m:", table["4_30_one_metre"], flush=True)
    table["offset_and_rise"] = summary(offset_and_rise())
    print("offset 0.3 m, rise 2.4 m:", table["offset_and_rise"], flush=True)
    facts: dict[str, object] = {
        "ekf_updates_per_s": round(updates_per_s()),
        **{f"uwb_error_{key}": row["mean"] for key, row in table.items()},
        "uwb_plain_over_ours_4_30": table["4_30"]["plain_over_ours"],
        "uwb_causal_error_m": table["offset_and_rise"]["mean"],
        "uwb_within_3_sigma": table["offset_and_rise"]["within_three_sigma"],
        "uwb_within_three_sigma_4_30": table["4_30"]["within_three_sigma"],
        "uwb_worst_run_4_30": table["4_30"]["worst_run"],
        "uwb_worst_position_2_30": table["2_30"]["worst_position"],
    }
    if options.data is not None:
        facts["recordings"] = recordings(options.data)
    print(json.dumps(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
