"""JMH's text log: generated from numbers, with prefixes of CI services, truncated and damaged."""

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError
from steady.harness.jmh.read.log_parser import lines_of, parse_score
from steady.model import Failure, Identity, Suite
from steady.readers import FORMATS, Document, load
from tests.harness.pair_texts import SIDES, pairs_in, side_of
from tests.looped import looped

HEADING = Path(__file__).with_name("heading.log")
SCORES = st.integers(1, 10**12).map(lambda n: f"{n / 1000:.3f}")


def log_of(
    rows: list[tuple[list[str], list[str]]],
    *,
    name: str = "org.Bench.get",
    parameters: str = "",
    unit: str = "ns/op",
    threads: str = "1 thread",
) -> str:
    """Write the log of one benchmark, one pair of warm-up and measured scores a fork."""
    warmup, measured = map(len, rows[0])
    lines = HEADING.read_text(encoding="utf-8").splitlines()
    lines += [f"# Warmup: {warmup} iterations, 100 ms each" if warmup else "# Warmup: <none>"]
    lines += [f"# Measurement: {measured} iterations, 1 s each, 7 calls per op"]
    lines += [f"# Threads: {threads}, will synchronize iterations", f"# Benchmark: {name}"]
    lines += [f"# Parameters: ({parameters})", ""] if parameters else [""]
    for number, (before, after) in enumerate(rows, start=1):
        lines += [
            "# Run progress: 0.00% complete, ETA 00:00:01",
            f"# Fork: {number} of {len(rows)}",
        ]
        lines += [f"# Warmup Iteration {i:3d}: {s} {unit}" for i, s in enumerate(before, start=1)]
        lines += [f"Iteration {i:3d}: {s} {unit}" for i, s in enumerate(after, start=1)]
        lines += [""]
    return "\n".join([*lines, "", f'Result "{name}":', f"  1.000 {unit}", ""])


def read(text: str) -> Suite:
    """Read the text of a log."""
    return FORMATS["jmh-log"].value.read(Document(Path("r.log"), text))


def message(text: str) -> str:
    """Return the one line that is said of a log."""
    with pytest.raises(InputError) as error:
        read(text)
    said = str(error.value)
    assert said.startswith("r.log, line ")
    assert "\n" not in said
    return said


PLAIN = log_of([(["9.500", "8.250"], ["4.125", "4.250"]), (["9.000", "8.000"], ["4.375", "4.500"])])
VALUES = [[9.5, 8.25, 4.125, 4.25], [9.0, 8.0, 4.375, 4.5]]


def test_parsing_long_parameters_is_linear() -> None:
    lines = "x\n" * 200_000
    (failure,) = read(PLAIN.partition("# Run progress")[0] + f"# Parameters: (a = {lines}").failures
    assert failure.identity.params == (("a", lines.rstrip()),)


def test_invalid_scores() -> None:
    for score, shown in (("-4.375", "-4.375"), ("Infinity", "inf")):
        suite = read(PLAIN.replace("4.375", score))
        assert suite.benchmarks == ()
        assert suite.failures[0].reason == f"iteration 1 of fork 2 is {shown}, not a measurement"
    assert "a warm-up score is negative" in message(PLAIN.replace("8.250", "-8.250"))


@given(
    st.integers(0, 3).flatmap(
        lambda w: st.lists(
            st.tuples(
                st.lists(SCORES, min_size=w, max_size=w), st.lists(SCORES, min_size=2, max_size=2)
            ),
            min_size=1,
            max_size=3,
        )
    ),
    st.sampled_from(["ns/op", "us/op", "ms/op", "s/op", "min/op", "ops/s", "ops/us", "ops/day"]),
    st.booleans(),
)
def test_values_are_read_back(
    rows: list[tuple[list[str], list[str]]], unit: str, comma: bool
) -> None:
    text = log_of(rows, unit=unit)
    if unit.startswith("ops"):
        text = text.replace("Average time, time/op", "Throughput, ops/time")
    benchmark = read(text.replace(".", ",") if comma else text)
    (only,) = benchmark.values()
    assert only.measurements.tolist() == [[float(s) for s in (*w, *m)] for w, m in rows]
    assert only.warmup == len(rows[0][0])
    assert only.unit == unit


DRESSES = [
    "2024-05-01T12:00:00.1234567Z {}",  # GitHub Actions
    "build\tRun benchmarks\t2024-05-01T12:00:00.1234567Z {}",  # gh run view --log
    "2024-05-01T12:00:00.123456Z 01O {}",  # GitLab
    "[2024-05-01T12:00:00.123Z] {}",  # Jenkins
    "12:00:00 {}",
    "12:34,5 00O  {}",
    "[INFO] {}",  # Maven
    "     [java] {}",  # Ant
    "bench_1  | {}",  # Compose
    "\x1b[32m{}\x1b[0m",
    "\x1b[36;1m12:00:00.123\x1b[0m {}",
    "{}\r",
]


@looped("dress", DRESSES)
def test_prefixes_of_ci_services(dress: str, tmp_path: Path) -> None:
    text = "\n".join(dress.format(line) for line in PLAIN.split("\n"))
    assert read(text)["org.Bench.get"].measurements.tolist() == VALUES
    path = tmp_path / "r.log"
    path.write_text(text, encoding="utf-8", newline="")
    assert load(path)["org.Bench.get"].measurements.tolist() == VALUES


@looped(
    ("text", "expected"),
    [
        ("0.075 us/op", (0.075, 3)),
        ("0,075 us/op", (0.075, 3)),
        ("12 ops/s", (12.0, 0)),
        ("3768.320 ±(99.9%) 3693.475 us/op", (3768.32, 3)),
        ("3768,320 ?(99.9%) 3693,475 us/op", (3768.32, 3)),
        ("3768.320 \ufffd(99.9%) NaN us/op", (3768.32, 3)),
        ("(benchmark timed out, interrupted 1 times) 2.5 s/op", (2.5, 1)),
        *((text, None) for text in ("", "1.0", "ns/op", "1.0 MB/s", "one ns/op")),
        *((text, None) for text in ("1.0 ns/op more", "1.2.3 s/op")),
    ],
)
def test_scores(text: str, expected: tuple[float, int] | None) -> None:
    score = parse_score(text)
    assert (score and (score.value, score.decimals)) == expected
    assert score is None or not score.rounded


@looped("text", ["≈ 10⁻³ us/op", "≈ 0 ops/s", "? 10?? s/op", "\ufffd 10\ufffd s/op"])
def test_orders_of_magnitude(text: str) -> None:
    score = parse_score(text)
    assert score is not None
    assert score.rounded
    assert "-Djmh.scorePrecision=9" in message(PLAIN.replace("8.250 ns/op", text))


@looped(
    ("printed", "params"),
    [
        ("n = 10", [("n", "10")]),
        ("n = 10, kind = a", [("n", "10"), ("kind", "a")]),
        ("kind = a, b, n = 1", [("kind", "a, b"), ("n", "1")]),
        ("kind = x = y", [("kind", "x = y")]),
        ("kind = (a)", [("kind", "(a)")]),
        ("kind = ", [("kind", "")]),
        ("kind = first\nsecond line", [("kind", "first\nsecond line")]),
        ("kind = # Benchmark: evil", [("kind", "# Benchmark: evil")]),
        ("kind = @everyone <b>|</b> ../ ::error::", [("kind", "@everyone <b>|</b> ../ ::error::")]),
    ],
)
def test_parameters_and_groups_of_threads(printed: str, params: list[tuple[str, str]]) -> None:
    threads = '3 threads (1 group; 1x "reader", 2x "writer" in each group)'
    (identity,) = read(log_of([([], ["1.000"])], parameters=printed, threads=threads))
    assert identity == Identity("org.Bench.get", params=tuple(params), threads=3)


def test_a_truncated_log_names_the_missing_results() -> None:
    cut = PLAIN[: PLAIN.index("Iteration   2: 4.500")]
    suite = read(cut)
    np.testing.assert_array_equal(
        suite["org.Bench.get"].measurements, [VALUES[0], [9.0, 8.0, 4.375, np.nan]]
    )
    assert [failure.reason for failure in suite.failures] == ["fork 2 gave 1 of 2 iterations"]
    nothing = read(PLAIN[: PLAIN.index("Iteration   1: 4.125")])
    assert len(nothing) == 0
    assert nothing.failures[0].reason == "the log ends before its first result"


def test_a_crashed_jvm_discards_the_benchmark() -> None:
    """JMH drops the forks before it too (`Runner.runSeparate`)."""
    died = (
        "Iteration   2: <forked VM failed with exit code 137>\n"
        "<stdout last='20 lines'>\n</stdout>\n"
        "<stderr last='20 lines'>\njava.lang.OutOfMemoryError: Java heap space\n</stderr>\n"
    )
    text = PLAIN.replace("Iteration   2: 4.500 ns/op\n", died) + log_of(
        [([], ["1.000"])], name="org.Bench.put"
    )
    suite = read(text)
    assert [identity.name for identity in suite] == ["org.Bench.put"]
    reason = "forked VM failed with exit code 137: java.lang.OutOfMemoryError: Java heap space"
    assert suite.failures == (Failure(Identity("org.Bench.get"), reason),)


def test_notices_on_a_line_of_their_own() -> None:
    died = "<failed to invoke the VM, caught IOException: no>\n"
    suite = read(PLAIN.replace("# Fork: 2 of 2\n", f"# Fork: 2 of 2\n{died}"))
    assert len(suite) == 0
    assert suite.failures[0].reason.startswith("failed to invoke the VM, caught IOException: no")
    waiting = "<JMH had finished, but forked VM did not exit, are there stray running threads?>\n"
    assert read(PLAIN.replace("# Fork: 2", waiting + "# Fork: 2")).failures == ()


def test_forks_of_several_starts_are_joined() -> None:
    again = PLAIN.replace("4.125", "5.125")
    benchmark = read(PLAIN + again)["org.Bench.get"]
    assert benchmark.measurements.shape == (4, 4)
    assert benchmark.configuration is not None
    assert benchmark.configuration.forks == 4


@looped("own", [True, False])
def test_others_may_warm_up_in_another_unit_and_too_fast(own: bool) -> None:
    others = "# Warmup Iteration   1: 7.000 s/op\n# Warmup Iteration   2: 7.000 s/op\n\n"
    text = log_of([(["9.500"] if own else [], ["4.125"])])
    if not own:
        others = others.replace("7.000", "≈ 10⁻³")
    first = "# Warmup Iteration   1: 9.5" if own else "Iteration   1"
    (benchmark,) = read(text.replace(first, others + first)).values()
    assert benchmark.measurements.tolist() == [[9.5, 4.125] if own else [4.125]]


def test_spoilt_logs_name_the_line() -> None:
    for pair in pairs_in(Path(__file__).with_name("spoilt.txt")):
        old, new = (side_of(pair.text.rstrip("\n"), side) for side in SIDES)
        assert old in PLAIN
        assert pair.title in message(PLAIN.replace(old, new, 1))


def test_log_without_any_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "r.log"
    path.write_text("# JMH version: 1.37\nNo matching benchmarks. Miss-spelled regexp?\n")
    with pytest.raises(InputError, match="contains no benchmark: none matched"):
        load(path)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    """Java before 18 writes the platform's encoding: ``±`` is one byte in Windows-1252."""
    path = tmp_path / "r.log"
    path.write_bytes(PLAIN.replace("4.125", "4.125 ±(99.9%) 0.100").encode("cp1252"))
    assert load(path)["org.Bench.get"].measurements.tolist() == VALUES


def test_a_clock_with_a_million_digits_is_parsed_fast() -> None:
    begin = time.process_time()
    kinds = [line.kind for line in lines_of("# JMH version: 1.37\n00:00." + "1" * 1_000_000)]
    assert kinds == ["JMH version", "text"]
    assert time.process_time() - begin < 10  # 64,000 digits took 158 seconds
