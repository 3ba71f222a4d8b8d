"""The hooks of all tests: names, groups, slow tests, and loops."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.looped import looped

# Names, groups and slow tests of `tests/conftest.py`.


ROOT = Path(__file__).resolve().parent.parent


def collected(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Return the tests that pytest collects without pytest-xdist."""
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "--collect-only", "-q", *arguments], cwd=ROOT, capture_output=True, text=True
    )


def test_without_xdist_groups_are_only_names() -> None:
    done = collected("tests/papers/test_uoptime_golden.py")
    assert done.returncode == 0, done.stdout
    assert "test_uoptime_golden.py::" in done.stdout


def test_tests_with_tools_or_long_run_time_are_slow(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    for item in items:
        if item.get_closest_marker("needs") or item.get_closest_marker("xdist_group"):
            assert item.get_closest_marker("slow"), item.nodeid
    assert not request.node.get_closest_marker("slow")


def test_names_of_parameters_are_short(request: pytest.FixtureRequest) -> None:
    for value, name in (
        ("x" * 24, None),
        ("x" * 25, "xxxxxxxxxxxxxxxx..25"),
        ("a\n\x1b é" * 100, r"a\n\x1b \xe9a\n\..1200"),
        (10**400, "1000000000000000..401"),
    ):
        hook = request.config.hook.pytest_make_parametrize_id
        assert hook(config=request.config, val=value, argname="text") == name


def test_too_long_names_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    for name in ("conftest.py", "slow.txt"):
        (tmp_path / "tests" / name).write_bytes((ROOT / "tests" / name).read_bytes())
    (tmp_path / "tests" / "test_long.py").write_text(f"def test_{'a' * 116}(): pass\n")
    done = collected("-c", "pyproject.toml", f"--rootdir={ROOT}", str(tmp_path))
    assert done.returncode != 0
    assert re.search(r"1 names? of tests .* more than 120 characters", done.stdout + done.stderr)


# Loops over cases.


@looped(("one", "two"), [(1, 2), (3, 4)])
@looped("three", "ab")
def tried(given: list[object], one: int, two: int, three: str) -> None:
    given.append((one, two, three))
    assert (two, three) != (4, "c")


def test_all_cases_are_run() -> None:
    given: list[object] = []
    tried(given)
    assert given == [(1, 2, "a"), (1, 2, "b"), (3, 4, "a"), (3, 4, "b")]


def test_the_failing_case_is_reported() -> None:
    @looped("value", [1, 2, 3])
    def test(value: int) -> None:
        assert value != 2

    with pytest.raises(AssertionError) as error:
        test()
    assert error.value.__notes__ == ["in this case: {'value': 2}"]


def test_an_empty_list_of_cases_is_an_error() -> None:
    with pytest.raises(AssertionError, match="proves nothing"):
        looped("value", [])
