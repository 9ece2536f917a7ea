"""``shopfloor learn``: let a vehicle learn to pass narrow alleys, and try a policy."""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shopfloor.learning.ppo import Progress

UNUSABLE = 2


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "learn",
        help="a policy that passes narrow alleys",
        description="Writes OUT.npz, the policy, and its curve as OUT.csv and OUT.svg; "
        "the last line is JSON. With --try it learns nothing and tries a policy in "
        "alleys that none has seen.",
    )
    parser.add_argument("out", type=Path, nargs="?", help="the policy to write")
    parser.add_argument("--try", dest="tried", metavar="POLICY", help="name or file")
    parser.add_argument("--vehicle", default="zebrat")
    parser.add_argument("--minutes", type=float, default=10.0, help="at most")
    parser.add_argument("--updates", type=int, default=600, help="at most")
    parser.add_argument("--alleys", type=int, default=600, help="to learn from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--try-in", type=int, default=200, help="so many unseen alleys at the end"
    )
    return parser


def run(options: argparse.Namespace) -> int:
    # One core: matrices are small, and others want the rest.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from fleet.bodies.file import load_vehicle
    from shopfloor.learning.alleys import SIZE, Alleys, Courses
    from shopfloor.learning.errors import LearningRefused
    from shopfloor.learning.network import read, write
    from shopfloor.learning.ppo import ACTIONS, Options, Ppo
    from shopfloor.learning.shipped import find_policy
    from shopfloor.learning.trial import UNSEEN_FROM, tried
    from shopfloor.vehicles.errors import VehicleRefused

    unseen = range(UNSEEN_FROM, UNSEEN_FROM + options.try_in)
    try:
        vehicle = load_vehicle(options.vehicle)
        if options.tried is not None:
            layers = read(find_policy(options.tried), SIZE, ACTIONS)
            found = tried(vehicle, layers.answer, unseen)
            print(json.dumps({"policy_success_unseen": found.success}))
            return 0
        if options.out is None:
            raise LearningRefused("name the file to write, or a policy with --try")
        if (
            not 0.0 < options.minutes < 1e4
            or min(options.updates, options.alleys, options.try_in) < 1
        ):
            raise LearningRefused("--minutes and all counts are above 0")
        options.out.parent.mkdir(parents=True, exist_ok=True)
        courses = Courses.unseen(vehicle, range(options.alleys))
        trainer = Ppo(
            Alleys(vehicle, courses, Options().vehicles, options.seed, midway=0.6),
            Options(),
            options.seed,
        )
        curve = trainer.learn(60.0 * options.minutes, options.updates, _tell)
        stem = options.out.with_suffix("")
        write(stem.with_suffix(".npz"), trainer.policy)
        write_curve(stem, curve)
        found = tried(vehicle, trainer.policy.answer, unseen)
    except (LearningRefused, VehicleRefused, OSError) as error:
        print(f"shopfloor: {error}", file=sys.stderr)
        return UNUSABLE
    summary = {
        "policy": str(stem.with_suffix(".npz")),
        "steps": trainer.done_steps,
        "policy_success_unseen": found.success,
    }
    print(json.dumps(summary))
    return 0


def _tell(progress: Progress) -> None:
    if progress.update % 10 == 0:
        print(
            f"{progress.seconds:6.0f} s {progress.steps:9d} steps: reward "
            f"{progress.reward:6.1f}, {100 * progress.success:3.0f} % arrive",
            file=sys.stderr,
            flush=True,
        )


def write_curve(stem: Path, curve: list[Progress]) -> None:
    from shopfloor.learning.curve import drawn

    with stem.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["steps", "seconds", "reward", "success"])
        for at in curve:
            row = [
                at.steps,
                f"{at.seconds:.0f}",
                f"{at.reward:.2f}",
                f"{at.success:.3f}",
            ]
            rows.writerow(row)
    points = [
        (at.steps, at.reward, at.success) for at in curve if math.isfinite(at.reward)
    ]
    stem.with_suffix(".svg").write_text(drawn(points), encoding="utf-8")
