"""Discovery of benchmarks in Go's test binaries, without running unrequested ones."""

import threading
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest

from steady.engine import Version
from steady.harness.go.run.discovery import discover
from steady.harness.go.run.go_runs import GoRuns
from steady.harness.go.samecode.decide import GoBuilds
from steady.harness.only import Only
from steady.harness.search import Search
from steady.model import Identity
from tests.harness.program_trials import written
from tests.looped import looped

HEADER = "goos: linux\npkg: p\ncpu: A cpu\n"


class Binary:
    """A test binary that is a shell script, and records which benchmarks it ran."""

    def __init__(self, folder: Path, **bodies: str) -> None:
        self.path = folder / "p.test"
        self.ran = folder / "ran"
        names = "\\n".join(f"Benchmark{name}" for name in bodies)
        cases = "".join(
            f"*'Benchmark{name}$'*) echo {name} >>ran; printf '{HEADER}'; {body} ;;\n"
            for name, body in bodies.items()
        )
        text = (
            "#!/bin/sh\n"
            f"case \"$*\" in *test.list=*) printf '{names}\\n'; exit ;; esac\n"
            f'case "$*" in\n{cases}esac\n'
        )
        written(folder, {"p.test": text})

    def names(self, search: Search) -> list[str]:
        self.ran.unlink(missing_ok=True)
        found = discover([self.path], search)[self.path].seconds
        return [one.label.removeprefix("p.Benchmark") for one in found]

    @property
    def looked_into(self) -> list[str]:
        return self.ran.read_text().split() if self.ran.exists() else []


def printed(*names: str) -> str:
    return "; ".join(f"echo 'Benchmark{name} 1 5 ns/op'" for name in names)


@pytest.fixture
def binary(tmp_path: Path) -> Binary:
    """Return a binary with a single benchmark, one with two sub-benchmarks, and one that hangs."""
    return Binary(
        tmp_path,
        Alone=printed("Alone-2"),
        Two=printed("Two/a-2", "Two/b-2"),
        Slow="exec sleep 1000",
    )


def known(*names: str, threads: int = 2) -> tuple[Identity, ...]:
    return tuple(Identity(f"p.Benchmark{name}", threads=threads) for name in names)


@pytest.fixture(autouse=True)
def of_package_p(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give scripts a package, which they do not record."""
    monkeypatch.setattr("steady.harness.go.run.discovery.package_of", lambda _: "p")
    monkeypatch.delenv("GOMAXPROCS", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 8)


PLAN = known("Alone", "Slow", "Two/a", "Two/gone")
OTHER = (*known("Alone", threads=1), *known("Alone", threads=4), *known("Two/b", threads=1))
OF_OTHER = ["Alone", "Alone (4 processors)", "Two/b"]
"""The plan's numbers of processors are held."""
TWO_EACH = [f"{name} (2 processors)" for name in ("Alone", "Slow", "Two/a", "Two/b")]


@looped(
    ("search", "names", "ran"),
    [
        (Search(Only("Alone")), TWO_EACH[:1], ["Alone"]),
        # Planned benchmarks are run only to list their sub-benchmarks.
        (Search(known=PLAN, new=False), TWO_EACH[:3], ["Two"]),
        (Search(known=PLAN), TWO_EACH, ["Two"]),
        (Search(known=known("Two/a", "Two/b", "Slow")), TWO_EACH, ["Alone", "Two"]),
        (Search(Only("Alone|Two/b"), known=OTHER), OF_OTHER, ["Two"]),
    ],
)
def test_only_requested_and_unknown_benchmarks_are_run(
    search: Search, names: list[str], ran: list[str], binary: Binary
) -> None:
    assert sorted(binary.names(search)) == names
    assert sorted(binary.looked_into) == ran


def test_a_hanging_benchmark_is_left_out_and_reported(binary: Binary) -> None:
    told: list[str] = []
    names = binary.names(Search(seconds=0.3, tell=told.append))
    assert names == [TWO_EACH[0], *TWO_EACH[2:]]
    assert told[-1] == (
        "BenchmarkSlow of p.test is left out: it did not run once in 0.3 s; allow more with "
        "--list-timeout 1.2, or select others with --only"
    )


def test_a_number_in_a_name_is_no_number_of_processors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    alone = Binary(tmp_path, Sized=printed("Sized/size-8"))
    assert alone.names(Search()) == ["Sized/size-8"]


def test_a_panicking_benchmark_is_listed_and_hides_no_other(tmp_path: Path) -> None:
    script = Binary(tmp_path, Bad="echo 'panic: oh no' >&2; exit 2", Good=printed("Good-2"))
    names = script.names(Search())
    assert names == ["Bad (2 processors)", "Good (2 processors)"]


def test_a_binary_that_cannot_list_is_left_out(tmp_path: Path, binary: Binary) -> None:
    fails = "#!/bin/sh\necho no database >&2; exit 1\n"
    bad = written(tmp_path / "other", {"q.test": fails}) / "q.test"
    told: list[str] = []
    found = discover([bad, binary.path], Search(Only("Alone"), tell=told.append))
    assert [len(shown.seconds) for shown in found.values()] == [0, 1]
    assert told == ["q.test is left out: its process ended with code 1: no database"]


def test_ctrl_c_ends_all_processes(binary: Binary, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(futures: Any, **_: object) -> Any:
        if "Slow" in binary.looked_into:
            raise KeyboardInterrupt
        return wait(futures, timeout=0.01)

    monkeypatch.setattr("steady.harness.go.run.discovery.wait", interrupted)
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):  # not after the thousand seconds of its sleep
        GoRuns().benchmarks(Version("base", binary.path))
    assert threading.active_count() == threads


def test_the_nearest_benchmarks_run_first_and_alone_without_time(binary: Binary) -> None:
    places = {"BenchmarkTwo": 1.0, "BenchmarkAlone": 2.0}

    def place(_: str, top: str) -> tuple[float, float]:
        return places.get(top, 9.0), 0.0

    discover([binary.path], Search(Only("Two|Alone")), place)
    assert binary.looked_into == ["Two", "Alone"]
    late: list[Identity] = []
    binary.ran.unlink()
    found = discover([binary.path], Search(left=lambda: 0.0, late=late.append), place)[binary.path]
    assert binary.looked_into == ["Two"]
    assert [one.name for one in found.seconds] == ["p.BenchmarkTwo/a", "p.BenchmarkTwo/b"]
    assert sorted(one.name for one in late) == ["p.BenchmarkAlone", "p.BenchmarkSlow"]
    assert not found.whole


def test_functions_are_listed_without_running_them(binary: Binary) -> None:
    search = Search(known=known("Two/a", "Two/b"))
    found = discover([binary.path], search, functions=True)[binary.path]
    assert binary.looked_into == []
    names = ["p.BenchmarkAlone", "p.BenchmarkTwo/a", "p.BenchmarkTwo/b", "p.BenchmarkSlow"]
    assert [one.name for one in found.seconds] == names


def test_identical_packages_are_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, head = (Binary(tmp_path / name, Two=printed("Two/a-2")) for name in ("base", "head"))
    monkeypatch.setattr("steady.harness.go.run.go_runs.package_of", lambda _: "p")
    runs = GoRuns()
    versions = [Version(x.path.parent.name, x.path.parent) for x in (base, head)]
    runs.check(versions)
    for same, ran in ((True, []), (False, ["Two"])):
        monkeypatch.setattr(GoBuilds, "runs_same_code", lambda *_, same=same: same)
        seen = [list(runs.benchmarks(version)) for version in versions]
        assert seen[0] == seen[1] == list(known("Two/a"))
        assert head.looked_into == ran
