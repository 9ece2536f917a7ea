"""The real site, less patient with slow senders than a plant would be.

Run as a script with the address of a database and a state directory; prints its
address when it answers.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mpms.server.open_site import OpenSite
from mpms.server.serve import Address, run_web
from mpms.server.whole_requests import Patience
from mpms.settings import Settings

if __name__ == "__main__":
    database_url, state = sys.argv[1], Path(sys.argv[2])
    sys.exit(
        run_web(
            OpenSite(Settings(state_dir=state), database_url),
            Address(port=0),
            on_ready=lambda url: print(url, flush=True),
            with_parent=True,
            patience=Patience(header_s=3.0, silence_s=6.0, grace_s=5.0),
        )
    )
