"""``python -m mpms``."""

import sys

from mpms.cli import main

sys.exit(main())
