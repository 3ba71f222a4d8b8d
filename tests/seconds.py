"""Table of the CPU time of each test file.

Usage: make seconds, which updates tests/SECONDS.md; or pytest --seconds-table FILE

The time of a process started by a test counts for the test that waits for its end.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Generator
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

START = "start and collection"

LEAST = 0.5
"""Minimum seconds of a file with a separate row."""


class SecondsTable:
    """Counter of CPU times in each process of pytest-xdist, and writer of the table."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.tests: Counter[str] = Counter()
        self.seen = 0.0

    def since(self) -> float:
        """Return the processor seconds since the last call."""
        before, self.seen = self.seen, sum(os.times()[:4])
        return self.seen - before

    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Count the time of this process before its first test."""
        self.seconds[START] += (used := self.since())
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[START] = used

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the time of a process of pytest-xdist before its first test."""
        self.seconds[START] += getattr(node, "workeroutput", {}).get(START, 0.0)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Add the CPU seconds to each report."""
        report = yield
        report.processor_seconds = self.since()
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add the CPU seconds of a report to its file."""
        file = report.nodeid.partition("::")[0]
        self.seconds[file] += report.processor_seconds
        self.tests[file] += report.when == "call"

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the table, except in a worker process of pytest-xdist."""
        if hasattr(session.config, "workeroutput"):
            return
        rows = ["| file | tests | processor seconds |", "|:--|--:|--:|"]
        rows.append(f"| all | {self.tests.total():,} | {sum(self.seconds.values()):.1f} |")
        ordered = sorted(self.seconds.items(), key=itemgetter(1), reverse=True)
        for name, seconds in ordered:
            if seconds >= LEAST:
                rows.append(f"| {name} | {self.tests[name] or ''} | {seconds:.1f} |")
        small = {name: seconds for name, seconds in ordered if seconds < LEAST}
        tests = sum(self.tests[name] for name in small)
        rows.append(f"| {len(small)} other files | {tests:,} | {sum(small.values()):.1f} |")
        self.path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    text = "write a table of processor seconds for each test file"
    parser.addoption("--seconds-table", metavar="FILE", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Register the counter if the table is requested."""
    if path := config.getoption("--seconds-table"):
        config.pluginmanager.register(SecondsTable(Path(path)), "seconds-table")
