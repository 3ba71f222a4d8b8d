"""Go's benchmark output: recorded with real Go, and written by hand for rare cases."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.harness.go.read.benchmark_format import LEVELS, read
from steady.harness.go.read.lines import parse_result
from steady.harness.go.read.processors import ProcessorCounts, renames
from steady.model import Benchmark, ExecutionConfiguration, Identity, Suite
from steady.readers import Document, load
from tests.looped import looped

RECORDED = Path(__file__).parents[3] / "readers" / "recorded" / "go"
PACKAGE = "recorded.Recorded.work/plain"
SIZED = "Nested/size-8"
HEADER = "goos: linux\ngoarch: amd64\npkg: example.com/p\ncpu: A cpu\n"


def suite_of(text: str) -> Suite:
    return read(Document(Path("f.txt"), text))


def recorded(name: str) -> Suite:
    return load(RECORDED / f"{name}.txt")


def values(suite: Suite, name: str, threads: int = 1) -> list[list[float]]:
    found = suite[Identity(name, threads=threads)].measurements
    return [[value for value in row if not np.isnan(value)] for row in found]


def configured(benchmark: Benchmark) -> ExecutionConfiguration:
    assert benchmark.configuration is not None
    return benchmark.configuration


def reasons(suite: Suite) -> dict[str, str]:
    return {failure.identity.name: failure.reason for failure in suite.failures}


def printed_values(name: str, text: str) -> list[float]:
    """Find results the slow and literal way."""
    lines = [line.split() for line in text.splitlines()]
    return [float(line[2]) for line in lines if line and line[0] == name and line[3] == "ns/op"]


def test_every_name_that_go_can_print() -> None:
    suite = recorded("plain")
    text = (RECORDED / "plain.txt").read_text(encoding="utf-8")
    names = ["Work", *(f"Nested/{n}" for n in ("size-8", "a_b/c[d](e)|f", "x=1.5", "x=1.5#01"))]
    names += ["Nested/#00", r"Nested/ü\x01"]
    assert [i.name for i in suite] == [f"{PACKAGE}.Benchmark{name}" for name in names]
    assert suite.harness == "go"
    assert suite.failures == ()
    for name in names:
        benchmark = suite[Identity(f"{PACKAGE}.Benchmark{name}", threads=2)]
        assert benchmark.measurements.tolist() == [printed_values(f"Benchmark{name}-2", text)]
        assert benchmark.levels == LEVELS
        assert (benchmark.unit, benchmark.direction) == ("ns/op", "lower")
        assert benchmark.environment.os == "linux/amd64"
        one = configured(benchmark)
        assert (one.forks, one.warmup_iterations, one.iterations) == (1, 0, 3)


def test_every_run_appended_to_a_file_is_a_suite_run() -> None:
    (benchmark,) = recorded("appended").benchmarks
    text = (RECORDED / "appended.txt").read_text()
    expected = np.reshape(printed_values("BenchmarkWork-2", text), (3, 4))
    np.testing.assert_array_equal(benchmark.measurements, expected)
    assert configured(benchmark).forks == 3
    assert benchmark.blocks == ()


def test_the_first_metric_replaces_a_missing_time() -> None:
    suite = recorded("units")
    units = {i.name.rpartition(".")[2]: b.unit for i, b in suite.items()}
    own = {"BenchmarkUnits": "ns/op", "BenchmarkOwnUnitOnly": "apples", "BenchmarkSlow": "ns/op"}
    assert units == own
    assert values(suite, f"{PACKAGE}.BenchmarkOwnUnitOnly", 2) == [[3.0, 3.0]]


@looped("name", ["printing", "verbose"])
def test_what_a_benchmark_prints_does_not_hide_its_result(name: str) -> None:
    suite = recorded(name)
    assert Identity(f"{PACKAGE}.BenchmarkPrinting", threads=2) in suite
    assert Identity(f"{PACKAGE}.BenchmarkWork", threads=2) in suite
    assert suite.failures == ()


@looped(
    ("name", "expected"),
    [
        ("several", [("failing.BenchmarkBefore", 2), ("plain.BenchmarkWork", 2)]),
        ("processors", [(f"plain.Benchmark{n}", t) for n in ("Work", SIZED) for t in (1, 2, 8)]),
        ("one-processor", [("plain.BenchmarkWork", 1), (f"plain.Benchmark{SIZED}", 1)]),
    ],
)
def test_packages_and_processors_belong_to_the_identity(
    name: str, expected: list[tuple[str, int]]
) -> None:
    found = [(i.name.removeprefix("recorded.Recorded.work/"), i.threads) for i in recorded(name)]
    assert found == expected


def test_a_number_of_operations_is_inferred_and_a_recorded_benchtime_used() -> None:
    (benchmark,) = recorded("counted").benchmarks
    one = configured(benchmark)
    assert (one.iteration_seconds, one.batch_size) == (0, 25)
    text = f"{HEADER}benchtime: 50ms\nBenchmarkX 10 20000000 ns/op\nBenchmarkX 11 20000000 ns/op\n"
    (benchmark,) = suite_of(text).benchmarks
    assert configured(benchmark).iteration_seconds == 0.05


def test_failures_have_their_reasons_and_the_rest_is_kept() -> None:
    suite = recorded("failing")
    assert reasons(suite) == {
        "recorded.Recorded.work/failing.BenchmarkFailing": "failing_test.go:17: it is broken",
        "recorded.Recorded.work/failing.BenchmarkNested/bad": "it failed without giving a reason",
        "recorded.Recorded.work/panicking.BenchmarkPanicking": "panic: out of cheese",
        "recorded.Recorded.work/broken": "build failed",
    }
    assert {f.identity.threads for f in suite.failures if "Benchmark" in f.identity.name} == {2}
    assert "recorded.Recorded.work/panicking.BenchmarkBefore" in [i.name for i in suite]
    assert "recorded.Recorded.work/failing.BenchmarkNested/good" in [i.name for i in suite]


def test_events_are_the_same_output() -> None:
    (benchmark,) = recorded("json").benchmarks
    assert benchmark.identity == Identity(f"{PACKAGE}.BenchmarkWork", threads=2)
    assert benchmark.measurements.shape == (1, 1)
    # Half a character in an event is like a byte that is no text.
    lines = ["pkg: p\n", "BenchmarkX/\ud800a😀-4 \t 1 \t 5 ns/op\n"]
    text = "\n".join(json.dumps({"Action": "output", "Output": line}) for line in lines)
    assert list(suite_of(text)) == [Identity("p.BenchmarkX/\ufffda😀", threads=4)]


@looped(
    "lines",
    [
        ["--- FAIL: BenchmarkX{0}", "    x_test.go:1: broken"],
        ["BenchmarkX{0}-4 1 5 ns/op", "--- FAIL: BenchmarkY{0}"],
        ["pkg: p{0}", "BenchmarkX-4 1 5 ns/op", "FAIL p{0} 0.1s"],
    ],
)
def test_parsing_time_is_linear_in_the_length(lines: list[str]) -> None:
    text = HEADER + "".join(f"{line.format(i)}\n" for i in range(20_000) for line in lines)
    suite = suite_of(text)
    assert len(suite) + len(suite.failures) >= 20_000


def test_line_ends_of_windows_change_nothing() -> None:
    plain = recorded("plain")
    text = (RECORDED / "plain.txt").read_text(encoding="utf-8")
    odd = suite_of(text.replace("\n", "\r\n"))
    assert list(odd) == list(plain)
    for identity, benchmark in plain.items():
        np.testing.assert_array_equal(odd[identity].measurements, benchmark.measurements)


def test_two_files_are_two_suite_runs(tmp_path: Path) -> None:
    for name, time in (("a", 100), ("b", 110)):
        (tmp_path / f"{name}.txt").write_text(f"{HEADER}BenchmarkX-4 10000000 {time} ns/op\n")
    (benchmark,) = load([tmp_path / "a.txt", tmp_path / "b.txt"]).benchmarks
    assert benchmark.measurements.tolist() == [[100.0], [110.0]]
    assert configured(benchmark).forks == 2


MERGED = Path(__file__).with_name("merged.txt").read_text(encoding="utf-8")


def test_merged_files_keep_blocks_warmup_and_plan() -> None:
    suite = suite_of(MERGED)
    benchmark = suite[Identity("example.com/p.BenchmarkX/n-8", threads=8)]
    assert benchmark.blocks == ("ab12:0", "ab12:1")
    assert benchmark.warmup == 1
    assert benchmark.measurements.tolist() == [[900, 100, 101], [800, 102, 103]]
    assert benchmark.measured.tolist() == [[100, 101], [102, 103]]
    assert configured(benchmark) == ExecutionConfiguration(3, 1, 2, 0.02, 0.02)
    assert reasons(suite) == {benchmark.identity.name: "2 of 3 forks gave a result"}

    missing = MERGED.replace("BenchmarkX/n-8-8\t10\t103 ns/op\n", "").replace("=3", "=2")
    suite = suite_of(missing)
    assert values(suite, "example.com/p.BenchmarkX/n-8", 8) == [[900, 100, 101], [800, 102]]
    assert list(reasons(suite).values()) == ["fork 2 gave 2 of 3 iterations"]
    other = MERGED.replace("# steady warm-up: BenchmarkX/n-8-8\t10\t800 ns/op\n", "")
    assert list(reasons(suite_of(other)).values()) == [
        "its suite runs had different numbers of warm-up iterations"
    ]


def test_invalid_measurements_are_failures_with_reasons() -> None:
    """``failures.txt`` has reasons, and what Go printed; ``~`` is the end of white space."""
    text = Path(__file__).with_name("failures.txt").read_text(encoding="utf-8").replace("~\n", "\n")
    _, *cases = re.split(r"^=== (.*)\n", text, flags=re.MULTILINE)
    for reason, printed in zip(cases[::2], cases[1::2], strict=True):
        suite = suite_of(f"{HEADER}{printed}")
        assert suite.benchmarks == ()
        (failure,) = suite.failures
        of_all = "BenchmarkX" not in printed
        assert failure.identity.name == f"example.com/p{'' if of_all else '.BenchmarkX'}"
        assert failure.reason.startswith(reason)


def test_only_skipped_benchmarks_are_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_text(f"{HEADER}--- SKIP: BenchmarkX\nPASS\nok  \texample.com/p\t0.01s\n")
    with pytest.raises(InputError, match="contains no benchmark"):
        load(path)


@looped(
    ("change", "problem"),
    [
        (("cpu: A cpu", "cpu: Another"), "had a different processor or system"),
        (("benchtime=20ms", "benchtime=1s"), "had a different benchtime"),
        (("benchtime=20ms", "benchtime=fast"), "benchtime 'fast' is not a duration"),
        (("forks=3", "forks=3 looks=2,2"), "looks are not in ascending order"),
    ],
)
def test_contradictions_are_one_sentence(change: tuple[str, str], problem: str) -> None:
    first, second = MERGED.split("# steady process block=ab12:1")
    text = f"{first}# steady process block=ab12:1{second.replace(*change)}"
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        suite_of(text)
    assert str(caught.value).startswith("f.txt, line")


def test_other_keys_begin_no_suite_run() -> None:
    text = f"{HEADER}BenchmarkX 10 5 ns/op\ncommit: abc\nBenchmarkX 10 6 ns/op\nnote:\n"
    assert values(suite_of(text), "example.com/p.BenchmarkX") == [[5.0, 6.0]]


@looped(
    ("printed", "others", "expected"),
    [
        ("X-8", "", ("X", 8)),
        ("X", "", ("X", 1)),
        ("X/a-1", "", ("X/a-1", 1)),
        ("X/a-08", "", ("X/a-08", 1)),
        ("X/a-8-16", "", ("X/a-8", 16)),
        ("X/a-8", "Y", ("X/a-8", 1)),
        ("X/a-8", "X/a", ("X/a", 8)),
        ("X/a-8", "X/a-64 X/a-512", ("X/a-8", 1)),  # -cpu 1: sizes
        ("X/a-8", "X/a-64 Y/b-8 Y/b-64", ("X/a", 8)),  # -cpu 8,64
        ("X/a-8", "X/a-64 Y/b-8", ("X/a-8", 1)),
        ("X/a-8", "X/a-64 Y-8", ("X/a", 8)),  # a function has no number of its own
        ("X/a-64", "X/a-8 Y-8", ("X/a-64", 1)),
        ("X/size-2", "X/size-2-2 X/size-2-4 Y Y-2 Y-4", ("X/size-2", 1)),  # -cpu 1,2,4
        ("X/size-2-4", "X/size-2 X/size-2-2 Y Y-2 Y-4", ("X/size-2", 4)),
    ],
)
def test_processors_in_names(printed: str, others: str, expected: tuple[str, int]) -> None:
    name, *names = (f"Benchmark{one}" for one in (printed, *others.split()))
    stem, processors = expected
    assert ProcessorCounts.of([name, *names]).split(name) == (f"Benchmark{stem}", processors)


def test_an_additional_benchmark_renames_no_other() -> None:
    rows = "".join(f"BenchmarkRing/slots-{n} 10 {n} ns/op\n" for n in (64,))
    alone, beside = suite_of(HEADER + rows), suite_of(f"{HEADER}{rows}BenchmarkReset 10 5 ns/op\n")
    (wrong,) = alone
    right = Identity("example.com/p.BenchmarkRing/slots-64")
    assert wrong == Identity("example.com/p.BenchmarkRing/slots", threads=64)
    assert renames(alone, beside) == renames(beside, alone) == {wrong: right}
    assert renames(alone, alone) == {}
    # What failed at once had the number of all others.
    failed = suite_of(f"{HEADER}{rows}--- FAIL: BenchmarkX/y\n")
    healthy = suite_of(f"{HEADER}{rows}BenchmarkReset 10 5 ns/op\nBenchmarkX/y 10 5 ns/op\n")
    (lost,) = (one.identity for one in failed.failures)
    assert renames(failed, healthy)[lost] == Identity("example.com/p.BenchmarkX/y")


UNITS = st.sampled_from(["ns/op", "B/op", "allocs/op", "MB/s", "x", "ü/op", "p50-ns"])


@given(
    st.integers(1, 10**12),
    st.dictionaries(UNITS, st.floats(0, 1e300), min_size=1),
    st.sampled_from(["\t", " ", "   \t "]),
)
def test_any_result_is_read_back(n: int, metrics: dict[str, float], space: str) -> None:
    text = space.join([str(n), *(f"{value!r}{space}{unit}" for unit, value in metrics.items())])
    result = parse_result(text)
    assert result is not None
    assert (result.operations, dict(result.metrics)) == (n, metrics)


@looped(
    "text", ["", "10", "10 5", "10 5 ns/op 6", "x 5 ns/op", "10 x ns/op", "10 5 6", "0 NaN ns/op"]
)
def test_texts_that_are_no_result(text: str) -> None:
    assert parse_result(text) is None
