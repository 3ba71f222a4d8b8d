"""The full run of a library: its recording, its noise, and the errors of plans."""

import gzip
import json
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import steady
from benchmarks.record_demo import paths_in
from benchmarks.record_full_run import Started
from steady.demo import recording
from steady.demo.library import FACTS, HALVES, HeldOut, Library, distances, judge
from steady.files import read_json
from steady.optimize.planner import data_digest

# The recording.


MOST_BYTES = 3_000_000
"""Maximum size of all recordings in the package."""
ROUNDS, ITERATIONS = 10, 300
FORKS = 5
CONTROL = "BenchmarkXxHash64.xxhash64"

DECLARED: Mapping[str, tuple[int, int, int, float]] = {
    "BenchmarkHashCode.hash": (5, 5, 10, 0.5),
    "BenchmarkMurmur3Hash128.guava": (5, 5, 10, 0.5),
    "BenchmarkMurmur3Hash128.hash": (5, 5, 10, 0.5),
    "BenchmarkMurmur3Hash32.guava": (5, 5, 10, 0.5),
    "BenchmarkSlice.compareTo": (5, 5, 10, 1.0),
    "BenchmarkSlice.equalsObject": (5, 5, 10, 1.0),
    "BenchmarkXxHash64.xxhash64": (5, 5, 10, 0.5),
    "SliceUtf8Benchmark.benchmarkToLowerCase": (1, 4, 5, 0.5),
}
"""Forks, warm-up and measurement iterations, and their seconds: the annotations in the sources of
airlift/slice 2.4, ``src/test/java/io/airlift/slice``."""


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    with recording() as recorded:
        yield recorded.library


@pytest.fixture(scope="module")
def held_out(library: Library) -> HeldOut:
    return HeldOut.of(library.halves)


def raw(path: Path) -> list[dict[str, Any]]:
    """Return the records of a packed file."""
    records: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    return records


def short(name: str) -> str:
    return ".".join(name.split(".")[-2:])


def test_both_runs_are_complete_with_declared_configurations(library: Library) -> None:
    for half in library.halves:
        assert {short(identity.name) for identity in half} == set(DECLARED)
        for benchmark in half.benchmarks:
            assert benchmark.measurements.shape == (FORKS, ITERATIONS)
            assert benchmark.warmup == 0
            declared = benchmark.declared
            assert declared is not None
            numbers = declared.forks, declared.warmup_iterations, declared.iterations
            assert (*numbers, declared.iteration_seconds) == DECLARED[
                short(benchmark.identity.name)
            ]
            assert declared.warmup_seconds == declared.iteration_seconds
            assert len(benchmark.spent) == FORKS
    assert library.halves[0].keys() == library.halves[1].keys()
    blocks = [half.benchmarks[0].blocks for half in library.halves]
    rounds = range(1, FORKS + 1), range(FORKS + 1, ROUNDS + 1)
    assert blocks == [tuple(map(str, part)) for part in rounds]


def test_forks_ran_one_at_a_time_in_rounds(library: Library) -> None:
    path = library.folder / "forks.json"
    forks = read_json(path, list[Started], what="the recorded forks", remedy="record again")
    controls = forks[0], forks[-1]
    assert all(CONTROL in fork.benchmark for fork in controls)
    forks = sorted(forks, key=lambda fork: fork.start)
    rounds = [fork.round for fork in forks if fork not in controls]
    assert rounds == sorted(rounds)
    for number in range(1, ROUNDS + 1):
        names = [short(fork.benchmark).split(" ")[0] for fork in forks if fork.round == number]
        assert sorted(names) == sorted(DECLARED)
    assert len(forks) == ROUNDS * len(DECLARED) + 2
    starts = [datetime.fromisoformat(fork.start) for fork in forks]
    for (fork, start), (_, after) in pairwise(zip(forks, starts, strict=True)):
        # Starts are in whole seconds, so their distances have an error of up to one second.
        assert start + timedelta(seconds=fork.seconds - 1) <= after
    assert library.about.started == forks[0].start
    ended = starts[-1] + timedelta(seconds=forks[-1].seconds)
    assert library.about.ended == ended.isoformat(timespec="seconds")
    spent = [
        one.seconds for half in library.halves for b in half.benchmarks for one in b.spent if one
    ]
    assert sorted(spent) == sorted(fork.seconds for fork in forks if fork not in controls)


def test_the_recordings_are_small_and_contain_no_path(library: Library) -> None:
    folder = library.folder.parent
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    for path in library.folder.glob("*.json*"):
        assert list(paths_in(path)) == []
        if path.suffix == ".gz":
            packed = path.read_bytes()
            assert packed[4:8] == bytes(4), "a time in the file"


def test_the_readme_describes_the_origin(library: Library) -> None:
    text = (library.folder / "README.md").read_text(encoding="utf-8")
    about = library.about
    for fact in (about.name, about.version, about.commit, about.license, about.java, about.jmh):
        assert fact in text
    assert about.processor in text
    assert about.started[:10] in text
    assert re.fullmatch("[0-9a-f]{40}", about.commit)


def test_a_recording_without_its_facts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / FACTS).write_text("{}")
    with pytest.raises(steady.errors.InputError, match="record again"):
        _ = Library(tmp_path).about


def test_unpacking_restores_the_files(library: Library, tmp_path: Path) -> None:
    for half, path in zip(library.halves, library.unpack(tmp_path), strict=True):
        assert path.stem in HALVES
        for one, other in zip(half.benchmarks, steady.load(path).benchmarks, strict=True):
            assert one.measurements.tolist() == other.measurements.tolist()


# The noise of the recording, by a literal oracle.


def levels(library: Library) -> dict[str, list[float]]:
    """Return the median of the second half of each of the ten forks, straight from the files."""
    found: dict[str, list[float]] = {}
    for path in library.packed:
        for record in raw(path):
            for row in record["primaryMetric"]["rawData"]:
                times = [1 / one for one in row] if record["mode"] == "thrpt" else row
                level = statistics.median(times[len(times) // 2 :])
                found.setdefault(short(record["benchmark"]), []).append(level)
    return found


def apart(forks: Sequence[float]) -> list[float]:
    """Return the distance of each fork from the median of all forks."""
    middle = statistics.median(forks)
    return [abs(one / middle - 1) for one in forks]


def test_distances_of_forks_equal_a_literal_computation(library: Library) -> None:
    expected = {name: apart(forks) for name, forks in levels(library).items()}
    differing = distances(library.halves)
    assert {short(i.name): one.tolist() for i, one in differing.items()} == {
        name: pytest.approx(forks, rel=1e-9, abs=1e-12) for name, forks in expected.items()
    }
    found = {name: max(forks) for name, forks in expected.items()}
    assert {name: round(100 * value, 1) for name, value in found.items()} == QUIETNESS
    text = (library.folder / "README.md").read_text(encoding="utf-8")
    stated = {
        name: float(v) for name, v in re.findall(r"\| `([\w.]+)[^|]*` \|.*\| ([\d.]+) % \|", text)
    }
    assert stated == QUIETNESS


def test_no_fork_had_to_wait_for_a_processor(library: Library) -> None:
    """The share of a processor of each round's forks, by a literal oracle."""
    text = (library.folder / "README.md").read_text(encoding="utf-8")
    stated = list(map(float, re.findall(r"([\d.]+) %", re.findall(r"\| share \|(.*)", text)[0])))
    assert len(stated) == ROUNDS
    assert min(stated) > 99
    shares = [
        statistics.mean(
            statistics.mean(row[len(row) // 2 :])
            for row in (b.metrics["steady.cpu"].values[fork].tolist() for b in half.benchmarks)
        )
        for half in library.halves
        for fork in range(FORKS)
    ]
    assert stated == [round(one, 1) for one in shares]


def test_most_forks_are_within_three_percent_of_their_benchmarks_median(library: Library) -> None:
    every = [apart(forks) for forks in levels(library).values()]
    assert sum(one <= 0.03 for forks in every for one in forks) >= 0.75 * ROUNDS * len(every)
    assert sum(statistics.median(forks) <= 0.03 for forks in every) > 0.75 * len(every)


def test_the_machine_was_equally_fast_at_the_end(library: Library) -> None:
    (record,) = raw(library.control)
    assert short(record["benchmark"]) == CONTROL
    first, last = (
        statistics.median(row[len(row) // 2 :]) for row in record["primaryMetric"]["rawData"]
    )
    assert (round(first / 1e6, 3), round(last / 1e6, 3)) == CONTROLS
    assert abs(last / first - 1) < 0.03


QUIETNESS: Mapping[str, float] = {
    "BenchmarkHashCode.hash": 0.4,
    "BenchmarkMurmur3Hash128.guava": 3.8,
    "BenchmarkMurmur3Hash128.hash": 2.4,
    "BenchmarkMurmur3Hash32.guava": 1.2,
    "BenchmarkSlice.compareTo": 4.8,
    "BenchmarkSlice.equalsObject": 14.1,
    "BenchmarkXxHash64.xxhash64": 0.7,
    "SliceUtf8Benchmark.benchmarkToLowerCase": 5.6,
}
CONTROLS = (2.208, 2.205)


# Plans judged on held-out forks.


def oracle(entry: steady.BenchmarkPlan, seen: steady.Benchmark, unseen: steady.Benchmark) -> float:
    """Return the true error, by a loop over iterations."""
    end = entry.warmup + entry.iterations
    measured: list[list[float]] = unseen.fork_times.tolist()
    full: list[list[float]] = seen.fork_times.tolist()
    results = [statistics.median(fork[entry.warmup : end]) for fork in measured[: entry.forks]]
    truths = [statistics.median(fork[len(fork) // 2 :]) for fork in full]
    return abs(statistics.median(results) / statistics.median(truths) - 1)


FULL_AFTER_HALF = steady.ExecutionConfiguration(FORKS, ITERATIONS // 2, ITERATIONS // 2, 0.1, 0.1)
"""The level of the second half of the full run."""


def test_true_errors_equal_those_of_held_out_forks(library: Library, held_out: HeldOut) -> None:
    first, second = library.halves
    for plan, (seen, unseen), way in zip(
        held_out.plans, ((first, second), (second, first)), held_out.judged, strict=True
    ):
        assert plan.data_digest == data_digest(seen)
        for one in way:
            identity = one.entry.identity
            assert one.entry == plan[identity]
            assert one.error == pytest.approx(oracle(one.entry, seen[identity], unseen[identity]))
            same = oracle(one.entry, unseen[identity], unseen[identity])
            assert one.same_forks == pytest.approx(same)
            whole = replace(one.entry, configuration=FULL_AFTER_HALF)
            full = oracle(whole, seen[identity], unseen[identity])
            assert one.full_run == pytest.approx(full)
    for identity in first:
        both = [
            one.error for way in held_out.judged for one in way if one.entry.identity == identity
        ]
        assert held_out.error(identity) == pytest.approx(sum(both) / 2)


def test_the_error_of_a_full_plan_is_the_difference_of_the_runs() -> None:
    times = {"a.B.c": [[5.0] * 20, [7.0] * 20, [6.0] * 20]}
    slower = {"a.B.c": [[12.0] * 20, [10.0] * 20, [20.0] * 20]}
    seen, unseen = (
        steady.Suite.of(one, unit="ns/op", iteration_seconds=0.1) for one in (times, slower)
    )
    (one,) = judge(steady.optimize(seen, min_forks=3), seen, unseen)
    assert one.error == pytest.approx(1.0)
    assert one.same_forks == 0.0
    assert one.full_run == pytest.approx(1.0)


def test_plans_from_both_runs_are_short_and_accurate(held_out: HeldOut) -> None:
    for plan in held_out.plans:
        assert plan.today_seconds is not None
        assert plan.seconds < 0.3 * plan.today_seconds
    identities = list(held_out.plans[0])
    full_run, error, expected = (
        statistics.median(map(of, identities))
        for of in (held_out.full_run, held_out.error, held_out.expected_error)
    )
    assert full_run < 0.02
    assert error < 0.03
    assert error < expected
