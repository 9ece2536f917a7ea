"""The plant: records, lots and what is computed from them.

The last line is one JSON object.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.plant_parts import records, stock  # noqa: E402
from mpms.embedded import postgres  # noqa: E402


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def main() -> None:
    figures: dict[str, Any] = stock.measure(say) | records.paper()
    with tempfile.TemporaryDirectory(prefix="mpms-bench-") as directory:
        Path(directory).chmod(0o711)  # the server runs as another user
        with postgres.start(Path(directory) / "postgres") as server:
            figures |= records.measure(server.dsn, say)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
