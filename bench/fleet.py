"""The fleet: how fast many robots are planned, and how good the plans are.

The last line is one JSON object.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.fleet_parts import (  # noqa: E402
    bids,
    dispatch,
    grid,
    in_memory,
    realtime,
    roads,
    trials,
)


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def main() -> None:
    figures: dict[str, Any] = grid.figures(say)
    for part in (roads, bids, dispatch, trials, in_memory, realtime):
        figures |= part.measure()
        say(f"{part.__name__.rpartition('.')[2]} measured")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
