"""``python -m shopfloor``."""

import sys

from shopfloor.cli import main

sys.exit(main())
