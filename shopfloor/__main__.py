"""``shopfloor`` and ``python -m shopfloor``: the command, if all it needs is there.

The wheel brings the robot side to servers that only speak with robots, and those need
none of its libraries.
"""

import sys
from importlib.util import find_spec

NEEDED = {"PIL": "pillow", "cbor2": "cbor2", "numba": "numba", "numpy": "numpy"}
UNUSABLE = 2


def main() -> int:
    missing = [package for name, package in NEEDED.items() if find_spec(name) is None]
    if missing:
        print(
            f"shopfloor: the robot side needs {', '.join(missing)};"
            " install with: pip install 'mpms[sim]'",
            file=sys.stderr,
        )
        return UNUSABLE
    from shopfloor import cli  # imports what was missing

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
