"""Write run.sh for one fork of each benchmark of a plan: ``one_fork.py PLAN.JSON JAR FOLDER``.

Running it several times for base and head in turn spreads a slow minute of the machine over both.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import steady

source, jar, folder = sys.argv[1:]
plan = steady.read_plan(source)
single = [
    replace(entry, configuration=replace(entry.configuration, forks=1)) for entry in plan.benchmarks
]
for note in steady.emit(replace(plan, benchmarks=tuple(single)), folder, jar=jar).notes:
    print(note)
