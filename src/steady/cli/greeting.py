"""What `steady` alone says: three commands to type."""

from __future__ import annotations

GREETING = """\
steady makes benchmark suites fast enough for every pull request, and their verdicts trustworthy.

See what it does, on a suite that comes with it:
  steady demo

Compare two builds, base before and head after a change, within ten minutes:
  steady run --base base.jar --head head.jar --time-budget 10m --out results

Compare two files that JMH or go test -bench left:
  steady compare OLD NEW

`steady --help` lists all commands, and `steady COMMAND --help` explains one.
"""
