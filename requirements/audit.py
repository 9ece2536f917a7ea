"""What is known against the pinned packages; ``make audit`` runs it.

Ends with 0 where nothing is known, 1 where something is, and 3 with a sentence where
the database of vulnerabilities cannot be asked: that is no good news and no bad news.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = ("server", "demo", "development", "bench", "supply")
UNREACHABLE = (
    "ConnectionError",
    "Max retries exceeded",
    "Temporary failure in name resolution",
    "ServiceError",
    "HTTPError",
    "JSONDecodeError",
    "timed out",
)
NOT_ASKED = 3


def main() -> int:
    asked = [part for name in FILES for part in ("-r", str(HERE / f"{name}.txt"))]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip"),
            *("--require-hashes", "--progress-spinner", "off", *asked),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    return told(done.returncode, done.stdout, done.stderr)


def told(code: int, found: str, complaint: str) -> int:
    """Say what came of it; the code to end with."""
    if code == 0:
        print("Nothing is known against the pinned packages.")
        return 0
    if not found.strip() and any(word in complaint for word in UNREACHABLE):
        print(
            "Not audited: the database of vulnerabilities cannot be reached from here."
            " Run make audit where it can be.",
            file=sys.stderr,
        )
        return NOT_ASKED
    print(found, end="")
    print(complaint, end="", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
