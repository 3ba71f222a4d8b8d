"""Fixtures and hooks of all tests: the shared research data, real tools, and groups."""

import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from steady.parallel import workers

pytest_plugins = ["tests.seconds", "tests.standin_fixtures"]

# On CI's shared machines, a deadline would measure the machine rather than the code.
settings.register_profile("steady", deadline=None)
settings.register_profile("fewer", deadline=None, max_examples=40)

# A process that a shell starts in the background ignores Ctrl-C, and so do its child processes.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# For small matrices, threads cost more than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The work of a test is too short to start other processes, even on a slow machine.
workers.__kwdefaults__["delay"] = 600.0  # type: ignore[index]

# No test simulates a power failure, and waiting for the disk would take most of the time.
os.fsync = lambda fd: None

# Maven runs for seconds only, so optimizing compilation does not pay off.
os.environ.setdefault("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

ROOT = Path(__file__).resolve().parent.parent

LONGEST_NAME = 120
"""Maximum length of a test's name with its parameters, in characters."""

LONGEST_ID = 24
"""Maximum length of a parameter in the name, in characters."""

EXPENSIVE = (
    *("mvn", "go", "npm", "image", "processes", "published", "golden"),
    *("google_programs", "criterion_programs", "browser"),
)
"""Tools and fixtures whose results take seconds to make; the tests of a process share them."""


def pytest_configure(config: pytest.Config) -> None:
    """Use fewer examples of Hypothesis if the thorough tests are excluded."""
    few = "not thorough" in config.getoption("markexpr")
    settings.load_profile("fewer" if few else "steady")


@pytest.fixture(scope="session", autouse=True)
def _pytest_without_hypothesis() -> None:
    """Disable Hypothesis in a pytest started by a test; it takes half of the start-up time."""
    os.environ["PYTEST_ADDOPTS"] = "-p no:hypothesispytest"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with the papers' data; skip the test if it does not exist."""
    folder = Path(os.environ.get("STEADY_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("the papers' data are missing: set STEADY_SHARED to their folder")
    return folder


@pytest.fixture(scope="session")
def build_jar(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that builds the jar of `tests/emit/project` with a version of JMH."""
    built: dict[str, Path] = {}

    def build(version: str) -> Path:
        if version not in built:
            folder = tmp_path_factory.mktemp(f"jmh-{version}") / "project"
            shutil.copytree(ROOT / "tests" / "emit" / "project", folder)
            command = ["mvn", "-q", "-B", f"-Djmh={version}", "package"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
            built[version] = folder / "target" / "benchmarks.jar"
        return built[version]

    return build


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Keep names of tests short and independent of binary data.

    Archives contain the time of day, but pytest-xdist requires equal names in all processes. A long
    text is represented by its beginning and its length.
    """
    if isinstance(val, bytes) and len(val) > 16:
        return argname
    if isinstance(val, re.Pattern):
        val = val.pattern
    if isinstance(val, str | int | bytes):
        text = ascii(val).strip("'\"") if isinstance(val, str) else str(val)
        if len(text) > LONGEST_ID:
            return f"{text[: LONGEST_ID - 8]}..{len(text)}"
    return None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test with its group, and as slow if it is.

    Tests that share an expensive result run in one process, because every process would make it
    again; the container image can run only once at a time. The marks are set during the collection,
    because pytest-xdist reads the groups before later hooks run.
    """
    tools = {tool for marker in item.iter_markers("needs") for tool in marker.args}
    shared_fixtures = set(EXPENSIVE) & (tools | set(getattr(item, "fixturenames", ())))
    group = next((name for name in EXPENSIVE if name in shared_fixtures), None)
    if "act" in tools:  # workflows share nothing, and each takes long
        group = None
    if group:
        item.add_marker(pytest.mark.xdist_group(group))
    if group or tools or _function(item) in _slow_tests():
        item.add_marker("slow")


def _function(item: pytest.Item) -> str:
    """Return a test's name without its parameters, as in `tests/slow.txt`."""
    return item.nodeid.partition("[")[0].partition("@")[0]


@cache
def _slow_tests() -> frozenset[str]:
    lines = (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Reject names of tests that are too long for a log."""
    long = [item.name for item in items if len(item.name) > LONGEST_NAME]
    if long:
        raise pytest.UsageError(
            f"{len(long)} names of tests have more than {LONGEST_NAME} characters; give `ids`, or "
            f"shorten the test's name: {long[0]}"
        )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test if a tool is missing, or fail it if CI guarantees the tool."""
    group = item.get_closest_marker("xdist_group")
    if group and "PYTEST_XDIST_WORKER" in os.environ and not item.nodeid.endswith(group.args[0]):
        pytest.fail("this test must run in the process of its group: use --dist loadgroup")
    for marker in item.iter_markers("needs"):
        for tool in marker.args:
            if shutil.which(tool) is None and find_spec(tool) is None:
                if os.environ.get("STEADY_REQUIRE_TOOLS"):
                    pytest.fail(f"{tool} is not installed, and STEADY_REQUIRE_TOOLS is set")
                pytest.skip(f"{tool} is not installed")
