"""What every test may ask for: the shared research data, and real tools."""

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

# A deadline measures the machine, not the code: CI's is shared.
settings.register_profile("steady", deadline=None)
settings.register_profile("fewer", deadline=None, max_examples=40)

# A shell that starts us in its background has us ignore Ctrl-C, and with us all that we start.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Threads for matrices as small as ours cost more than they gain.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Work as short as that of a test is not worth a second process, on a slow machine neither.
workers.__kwdefaults__["delay"] = 600.0  # type: ignore[index]

# No test cuts the power, and waiting for the disk takes most of the time of a run.
os.fsync = lambda fd: None

# Maven lives for seconds: what it compiles thoroughly never pays.
os.environ.setdefault("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

ROOT = Path(__file__).resolve().parent.parent

LONGEST_NAME = 120
"""Characters of a test's name with its parameters."""

LONGEST_ID = 24
"""Characters of one parameter in it."""

DEAR = (
    *("mvn", "go", "npm", "image", "processes", "published", "golden"),
    *("google_programs", "criterion_programs", "browser"),
)
"""Tools and fixtures that take seconds to make what all tests of a process then share."""


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of Hypothesis where the thorough tests are left out."""
    few = "not thorough" in config.getoption("markexpr")
    settings.load_profile("fewer" if few else "steady")


@pytest.fixture(scope="session", autouse=True)
def _pytest_of_others() -> None:
    """Let a pytest that a test starts do without Hypothesis, which is half of its start."""
    os.environ["PYTEST_ADDOPTS"] = "-p no:hypothesispytest"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder with the papers' data; skip where it is absent."""
    folder = Path(os.environ.get("STEADY_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("the papers' data are not here: set STEADY_SHARED to their folder")
    return folder


@pytest.fixture(scope="session")
def build_jar(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from a version of JMH to the jar of `tests/emit/project`."""
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
    """Keep names of tests short, and contents of files out of them.

    An archive's contents tell the time of day, and pytest-xdist wants the same names from every
    process. A long text is known by its beginning and its length.
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
    """Tell a test's group, and whether it is slow.

    Tests that share what is dear to make stay in one process: each would make it anew. The
    container allows no second one beside it. As each test is collected: pytest-xdist reads the
    groups before it asks for other changes.
    """
    tools = {tool for marker in item.iter_markers("needs") for tool in marker.args}
    shared_fixtures = set(DEAR) & (tools | set(getattr(item, "fixturenames", ())))
    group = next((name for name in DEAR if name in shared_fixtures), None)
    if "act" in tools:  # a workflow shares nothing with others, and takes long enough
        group = None
    if group:
        item.add_marker(pytest.mark.xdist_group(group))
    if group or tools or _function(item) in _slow_tests():
        item.add_marker("slow")


def _function(item: pytest.Item) -> str:
    """Return a test's name without its parameters, as `tests/slow.txt` writes it."""
    return item.nodeid.partition("[")[0].partition("@")[0]


@cache
def _slow_tests() -> frozenset[str]:
    lines = (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse names of tests that no log shows whole."""
    long = [item.name for item in items if len(item.name) > LONGEST_NAME]
    if long:
        raise pytest.UsageError(
            f"{len(long)} names of tests have more than {LONGEST_NAME} characters; give `ids`, or "
            f"shorten the test's name: {long[0]}"
        )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests whose tool is absent, or fail them where CI promises the tool."""
    group = item.get_closest_marker("xdist_group")
    if group and "PYTEST_XDIST_WORKER" in os.environ and not item.nodeid.endswith(group.args[0]):
        pytest.fail("this test must run where others of its kind do: give --dist loadgroup")
    for marker in item.iter_markers("needs"):
        for tool in marker.args:
            if shutil.which(tool) is None and find_spec(tool) is None:
                if os.environ.get("STEADY_REQUIRE_TOOLS"):
                    pytest.fail(f"{tool} is not installed, and STEADY_REQUIRE_TOOLS is set")
                pytest.skip(f"{tool} is not installed")
