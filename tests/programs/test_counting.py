"""Counts in processes separate from the timed ones, and iterations of equal duration."""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.engine.request import RunRequest
from steady.errors import InputError
from steady.harness.runs import DEFAULTS, ForkResult, RunFacts
from steady.harness.trial import Trial, Version
from steady.harnesses import RUNNABLE
from steady.model import Benchmark, ExecutionConfiguration
from steady.programs import counting
from steady.programs.counting import Counter
from steady.programs.entries_format import COUNTS
from steady.programs.fork_entries import iterations_of
from steady.programs.process import Program
from steady.readers import load
from tests.harness.program_trials import program, written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs of Linux")

SHORT = ExecutionConfiguration(1, 1, 2, 0.01, 0.01)

SCRIPT = """\
import pyperf

pyperf.Runner().bench_func("work", lambda: [*range({size})])
"""

AWK = ("awk", "-f", "count.awk")
PYTEST = (sys.executable, "-m", "pytest")


def counted(
    harness: str,
    folder: Path,
    command: tuple[str, ...],
    *count: str,
    number: int = 0,
    last: int = 9,
) -> list[Benchmark]:
    """Run benchmarks of a folder once, up to the last one, and read the merged results."""
    settings = replace(DEFAULTS, command=(*command,), count=count)
    runs = RUNNABLE[harness].value.make(settings)
    version, forks = Version("base", folder), []
    identities = runs.benchmarks(version)[:last]
    with runs.open([version], folder) as session:
        for place, identity in enumerate(identities):
            trial = Trial(place, number, "base", identity, SHORT, 1.0, 300.0)
            session.measure(trial, folder / f"{place}.json")
            forks.append(ForkResult(trial, "run:0", folder / f"{place}.json"))
    merged = folder / "merged.json"
    merged.write_bytes(runs.merge(forks, RunFacts(dict.fromkeys(identities, 1))))
    assert COUNTS not in json.loads(merged.read_bytes())
    return [*load(merged).values()]


def values(benchmark: Benchmark) -> Mapping[str, float]:
    assert all(one.values.shape == benchmark.measured.shape for one in benchmark.metrics.values())
    return {name: float(one.values.max()) for name, one in benchmark.metrics.items()}


def of_calls(
    folder: Path, *count: str, size: int = 1_000, last: int = 9
) -> list[Mapping[str, float]]:
    """Return what is counted of calls of pytest-benchmark."""
    target = written(folder, {"test_it.py": program("counted").replace("SIZE", str(size))})
    return [*map(values, counted("pytest-benchmark", target, PYTEST, *count, last=last))]


@pytest.mark.needs("valgrind", "cc")
def test_only_calls_of_pytest_benchmark_are_counted(tmp_path: Path) -> None:
    both = [of_calls(tmp_path / str(n), "allocations", size=n) for n in (1_000, 10_000)]
    for base, head in zip(*both, strict=True):
        assert 8_000 < base["allocations"] < 60_000
        assert 5 < head["allocations"] / base["allocations"] < 12
    # Of one call, where pytest takes a thousand million to begin with.
    (call,) = of_calls(tmp_path / "call", "instructions", last=1)
    assert 10_000 < call["instructions"] < 400_000


@pytest.mark.thorough
@pytest.mark.needs("valgrind", "cc")
def test_instructions_are_reproducible_and_grow_with_the_work(tmp_path: Path) -> None:
    found = [
        of_calls(tmp_path / str(number), "instructions", size=size)
        for number, size in enumerate((1_000, 1_000, 10_000))
    ]
    for one, again, larger in zip(*found, strict=True):
        assert 10_000 < one["instructions"] < 400_000
        assert again["instructions"] == pytest.approx(one["instructions"], rel=0.01)
        assert 2 < larger["instructions"] / one["instructions"] < 12


@pytest.mark.needs("pyperf")
def test_allocations_of_pyperf_are_counted(tmp_path: Path) -> None:
    found = []
    for size in (10_000, 100_000):
        folder = written(tmp_path / str(size), {"bench.py": SCRIPT.format(size=size)})
        (one,) = counted("pyperf", folder, (sys.executable, "bench.py"), "allocations")
        assert one.metrics["allocations"].unit == "B"
        found.append(values(one)["allocations"])
    assert 5 < found[1] / found[0] < 12


@pytest.mark.needs("valgrind", "awk")
def test_instructions_of_a_command_are_counted_in_the_first_rounds(tmp_path: Path) -> None:
    text = "BEGIN { for (i = 0; i < 100000; i++) x += i }"
    folder = written(tmp_path / "c", {"count.awk": text})
    (one,) = counted("command", folder, AWK, "instructions")
    assert one.metrics["instructions"].unit == "instr/op"
    assert values(one)["instructions"] > 1_000_000
    (late,) = counted("command", folder, AWK, "instructions", number=5)
    assert "instructions" not in late.metrics
    assert late.left_out == ()


def test_failed_counts_are_none_and_a_missing_tool_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import tracemalloc\n\ndef test_it(benchmark):\n    benchmark(tracemalloc.stop)\n"
    folder = written(tmp_path / "p", {"test_it.py": text})
    (one,) = counted("pytest-benchmark", folder, PYTEST, "allocations")
    assert values(one) == {"allocations": 0.0}
    counter = Counter(("allocations",), tmp_path)
    for word in ("false", "true", "no-such-program"):
        counter.begin(10.0)
        assert counter.counts(0, lambda *_, own=word: Program((own,))) == (("allocations", None),)
    counter.begin(10.0)
    pipe = counter.counts(0, lambda _, file: Program(("mkfifo", str(file))))
    assert pipe == (("allocations", None),), "nobody waits for who never writes"
    monkeypatch.setenv("PATH", str(tmp_path))
    counting._has_perf.cache_clear()
    with pytest.raises(InputError, match="needs valgrind; install it"):
        Counter(("instructions",), tmp_path, whole=True)


def test_perf_counts_commands_if_the_processor_has_a_counter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    perf = tmp_path / "perf"
    perf.write_text(
        '#!/bin/sh\nline="# began\n\n1234,,instructions:u,1,100.00,,"\n'
        'while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done\n'
        '[ "$out" ] && echo "$line" > "$out" || echo "1,,instructions:u" >&2\n'
    )
    perf.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    counting._has_perf.cache_clear()
    counter = Counter(("instructions",), tmp_path, whole=True)
    counter.begin(10.0)
    assert counter.counts(0, lambda *_: Program(("true",))) == (("instructions", 1234.0),)
    counting._has_perf.cache_clear()


def test_harnesses_refuse_unsupported_counts() -> None:
    for harness, what, title in (
        ("jmh", "allocations", "JMH"),
        ("pyperf", "instructions", "pyperf"),
        ("command", "allocations", "a command"),
    ):
        with pytest.raises(InputError, match=f"^--count {what} is not for {title}$"):
            RunRequest(count=(what,)).harness_settings(harness)


def literal(samples: list[float], count: int) -> list[float]:
    """Return the same, sample by sample: each belongs to the iteration in which it begins."""
    if len(samples) <= count:
        return samples
    whole = sum(samples)
    groups: dict[int, list[float]] = {}
    passed = 0.0
    for sample in samples:
        groups.setdefault(min(int(passed / whole * count + 1e-9), count - 1), []).append(sample)
        passed += sample
    return [sum(own) / len(own) for own in groups.values()]


@given(st.lists(st.integers(1, 50).map(float), min_size=1, max_size=60), st.integers(1, 12))
def test_iterations_have_about_equal_durations(samples: list[float], count: int) -> None:
    found = iterations_of(np.array(samples), count)
    assert found.tolist() == pytest.approx(literal(samples, count))


def test_few_samples_are_unchanged_and_a_long_one_is_an_iteration() -> None:
    assert iterations_of(np.array([3.0, 1.0]), 4).tolist() == [3.0, 1.0]
    found = iterations_of(np.array([1.0, 1.0, 1.0, 7.0, 1.0, 1.0]), 4)
    assert found.tolist() == [1.0, 7.0, 1.0]
