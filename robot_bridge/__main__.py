"""``python -m robot_bridge URL --profile move_base --goal X Y``: the probe alone."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from robot_bridge.address import UnsafeAddress
from robot_bridge.probe import probe
from robot_bridge.profiles import BadProfile
from robot_bridge.tls import TlsFiles


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="robot_bridge", description="Drive one goal.")
    parser.add_argument("url")
    parser.add_argument("--profile", default="move_base")
    parser.add_argument(
        "--goal", nargs=2, type=float, required=True, metavar=("X", "Y")
    )
    parser.add_argument("--yaw", type=float, default=0.0)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--robot", default="robot")
    parser.add_argument("--namespace", help="e.g. /{robot_id}")
    for name in ("--ca-file", "--cert-file", "--key-file"):
        parser.add_argument(name, type=Path)
    chosen = parser.parse_args(arguments)
    try:
        told = probe(
            chosen.url,
            chosen.profile,
            chosen.goal[0],
            chosen.goal[1],
            chosen.timeout,
            yaw=chosen.yaw,
            robot_id=chosen.robot,
            namespace=chosen.namespace,
            tls=TlsFiles(chosen.ca_file, chosen.cert_file, chosen.key_file),
        )
    except (BadProfile, UnsafeAddress) as cause:
        print(cause, file=sys.stderr)
        return 2
    print(json.dumps(told, indent=2))
    return 0 if told["ok"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
