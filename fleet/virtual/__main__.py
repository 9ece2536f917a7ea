"""A preview in a process of its own: the files of a world in, the preview out, as JSON.

``python -m fleet.virtual``: {"files": {name: text}, "robots": 10, "for_s": 600}.
"""

from __future__ import annotations

import json
import sys

from fleet.model.reading import read_world
from fleet.virtual.preview import preview_world


def main() -> int:
    asked = json.load(sys.stdin)
    try:
        world = read_world(asked["files"])
        shown = preview_world(world, robots=asked["robots"], for_s=asked["for_s"])
    except ValueError as wrong:  # a world, or a floor of grid robots, that does not fit
        json.dump({"why": str(wrong)}, sys.stdout)
        return 1
    json.dump(shown.to_dict(), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
