"""Where the time of the tests goes: a table of processor seconds for each test file.

Usage: make seconds, which writes tests/SECONDS.md anew; or pytest --seconds-table FILE

Processes that a test starts count for it, once it has waited for them.
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
"""Seconds of a file that has a line of its own."""


class SecondsTable:
    """Counts as the tests run, in each process of pytest-xdist, and writes the table."""

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
        """Count what this process used up to its first test."""
        self.seconds[START] += (used := self.since())
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[START] = used

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a process of pytest-xdist used up to its first test."""
        self.seconds[START] += getattr(node, "workeroutput", {}).get(START, 0.0)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Let each report carry its seconds."""
        report = yield
        report.processor_seconds = self.since()
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add them up."""
        file = report.nodeid.partition("::")[0]
        self.seconds[file] += report.processor_seconds
        self.tests[file] += report.when == "call"

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the table, unless this is one process of several."""
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
    """Count where the table is asked for."""
    if path := config.getoption("--seconds-table"):
        config.pluginmanager.register(SecondsTable(Path(path)), "seconds-table")
