"""Run the command as ``python -m steady.cli``."""

import sys

from steady.cli.main import main

sys.exit(main())
