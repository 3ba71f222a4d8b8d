"""Several files of one run: forks that come together, logs beside JSON, the sidecar."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError
from steady.model import Suite
from steady.readers import load
from steady.readers.joined_suites import join
from tests.jmh_records import jmh_record


class Run:
    """Writes the JSON and the log of runs of JMH into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def json(self, file: str, *records: dict[str, Any]) -> Path:
        """Write JSON results."""
        path = self.folder / file
        path.write_text(json.dumps(records))
        return path

    def log(self, file: str, *texts: str) -> Path:
        """Write a log."""
        path = self.folder / file
        path.write_text("".join(texts), encoding="utf-8")
        return path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a folder for one run."""
    return Run(tmp_path)


def record(rows: list[list[float]], name: str = "org.B.get", **changes: Any) -> dict[str, Any]:
    """Return a JMH record."""
    java = {"jvmArgs": [], "jdkVersion": "17", "vmName": "VM", "vmVersion": "17+1"}
    return jmh_record(name, rows, warmup=2, seconds="1 s", **(java | changes))


def text(
    rows: list[list[float]], name: str = "org.B.get", params: str = "", unit: str = "ns/op"
) -> str:
    """Return the log of one benchmark: two warm-up scores a fork, then those of `rows`."""
    lines = [
        "# JMH version: 1.37",
        "# VM version: JDK 17, VM, 17+1",
        "# VM options: <none>",
        "# Warmup: 2 iterations, 1 s each",
        f"# Measurement: {len(rows[0])} iterations, 1 s each",
        "# Threads: 1 thread, will synchronize iterations",
        "# Benchmark mode: Average time, time/op",
        f"# Benchmark: {name}",
        *([f"# Parameters: ({params})"] if params else []),
    ]
    for number, row in enumerate(rows, start=1):
        lines.append(f"# Fork: {number} of {len(rows)}")
        warmup = [10 * row[0], 5 * row[0]]
        lines += [f"# Warmup Iteration {i:3d}: {v:.3f} {unit}" for i, v in enumerate(warmup, 1)]
        lines += [f"Iteration {i:3d}: {v:.3f} {unit}" for i, v in enumerate(row, 1)]
    return "\n".join([*lines, "", ""])


ONE = [[1.00012, 2.00034], [3.00056, 4.00078]]
TWO = [[5.0009, 6.0001], [7.0002, 8.0003]]


def test_different_benchmarks_are_put_together(run: Run) -> None:
    suite = load([run.json("b.json", record(ONE, "b")), run.json("a.json", record(TWO, "a"))])
    assert [identity.name for identity in suite] == ["b", "a"]
    assert [Path(source).name for source in suite.sources] == ["b.json", "a.json"]
    assert suite.harness_version == "1.37"


def test_the_same_benchmark_gets_further_forks(run: Run) -> None:
    files = [run.json(f"{n}.json", record([row])) for n, row in enumerate([*ONE, *TWO])]
    benchmark = load(files)["org.B.get"]
    assert benchmark.measurements.tolist() == ONE + TWO
    assert benchmark.configuration is not None
    assert benchmark.configuration.forks == 4


def test_shorter_forks_are_filled_up(run: Run) -> None:
    files = [
        run.json("a.json", record([[1.0]], measurementIterations=2)),
        run.json("b.json", record(ONE)),
    ]
    suite = load(files)
    np.testing.assert_array_equal(suite["org.B.get"].measurements, [[1.0, np.nan], *ONE])
    assert len(suite.failures) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"primaryMetric": {"scoreUnit": "us/op", "rawData": TWO}},
            "unit: 'ns/op' in one, 'us/op' in the other",
        ),
        (
            {"measurementTime": "2 s"},
            "iteration seconds: '1.0' in one, '2.0' in the other",
        ),
        ({"warmupIterations": 3}, "warmup iterations: '2' in one, '3' in the other"),
        ({"jdkVersion": "21"}, "jdk: '17' in one, '21' in the other"),
        ({"jvmArgs": ["-Xint"]}, "jvm args: '()' in one"),
    ],
)
def test_files_that_disagree(run: Run, changes: dict[str, Any], said: str) -> None:
    files = [run.json("a.json", record(ONE)), run.json("b.json", record(TWO, **changes))]
    with pytest.raises(InputError) as error:
        load(files)
    assert str(error.value).startswith(f"{files[0]} and {files[1]}: disagree about 'org.B.get': ")
    assert said in str(error.value)


def test_copies_are_refused_and_named(run: Run) -> None:
    files = [
        run.json("a.json", record(ONE), record(TWO, "b")),
        run.json("c.json", record(TWO, "c")),
        run.json("copy.json", record(ONE)),
    ]
    with pytest.raises(
        InputError, match=r"a\.json and .*copy\.json: hold the very same measurements"
    ):
        load(files)


def test_copies_with_missing_iterations_are_refused(run: Run) -> None:
    ragged = [[1.0, 2.0], [3.0]]
    files = [run.json(name, record(ragged)) for name in ("a.json", "b.json")]
    with pytest.raises(InputError, match=r"the very same measurements of 'org.B.get'"):
        load(files)


def test_series_on_a_single_level_cannot_be_joined() -> None:
    one, two = (Suite.of({"a": values}, unit="ns/op") for values in ([1.0, 2.0], [3.0]))
    with pytest.raises(InputError, match="no common outer level"):
        join([one, two])


def test_different_harnesses_are_refused(run: Run) -> None:
    series = run.folder / "s.json"
    series.write_text(
        '{"steady_series": 1, "unit": "s/op", "levels": [{"name": "iteration"}],'
        ' "benchmarks": [{"name": "x", "measurements": [1]}]}'
    )
    with pytest.raises(InputError, match=r"come from different harnesses \(series, jmh\)"):
        load([series, run.json("a.json", record(ONE))])
    with pytest.raises(InputError, match=r"r\.log: is JMH's log, and .*s\.json is not of JMH"):
        load([series, run.log("r.log", text(ONE))])


def with_warmup(rows: list[list[float]]) -> list[list[float]]:
    """Return what the log puts in front of measurements."""
    return [[round(10 * row[0], 3), round(5 * row[0], 3), *row] for row in rows]


def test_log_beside_json(run: Run) -> None:
    suite = load([run.json("r.json", record(ONE)), run.log("r.log", text(ONE))])
    benchmark = suite["org.B.get"]
    assert benchmark.measurements.tolist() == with_warmup(ONE)
    assert benchmark.warmup == 2
    assert [Path(source).name for source in suite.sources] == ["r.json", "r.log"]
    assert suite.failures == ()


def test_forks_are_matched_by_their_scores_whatever_the_order_of_files(run: Run) -> None:
    files: list[Path] = []
    for number, rows in enumerate((ONE, TWO)):
        files += [run.json(f"{number}.json", record(rows), record([[9.0 + number]], "other"))]
    files += [run.log("z.log", text(TWO), text([[10.0]], "other"))]
    files += [run.log("a.log", text([[9.0]], "other"), text(ONE))]
    random.Random(3).shuffle(files)
    suite = load(files)
    expected = with_warmup(ONE) + with_warmup(TWO)
    assert sorted(suite["org.B.get"].measurements.tolist()) == sorted(expected)
    assert suite["other"].warmup == 2


def test_forks_that_look_alike_are_used_once_each(run: Run) -> None:
    """Three decimals do not tell these forks apart; their order does."""
    rows = [[1.0001, 2.0], [1.0002, 2.0]]
    suite = load([run.json("r.json", record(rows)), run.log("r.log", text(rows))])
    assert suite["org.B.get"].measurements[:, 0].tolist() == [10.001, 10.002]


def test_parameters_that_differ_in_what_old_jmh_spoils(run: Run) -> None:
    values = ("a;b", "a,b", "<", "[")
    rows = [[[float(number)]] for number in range(1, 5)]
    files = [
        run.json(
            "r.json",
            *(record(r, params={"p": v}) for r, v in zip(rows, values, strict=True)),
        ),
        run.log("r.log", *(text(r, params=f"p = {v}") for r, v in zip(rows, values, strict=True))),
    ]
    assert [b.measurements[0, 0] for b in load(files).values()] == [10.0, 20.0, 30.0, 40.0]


def test_log_of_some_of_the_benchmarks(run: Run) -> None:
    suite = load([run.json("r.json", record(ONE), record(TWO, "b")), run.log("r.log", text(ONE))])
    assert [benchmark.warmup for benchmark in suite.values()] == [2, 0]


def test_log_of_another_run(run: Run) -> None:
    other = [[1.00012, 2.00034], [3.00056, 4.0018]]  # differs in the third decimal
    files = [run.json("r.json", record(ONE)), run.log("r.log", text(other))]
    with pytest.raises(InputError) as error:
        load(files)
    assert str(error.value).startswith(
        f"{files[1]}, line 8: no fork here has the scores of fork 2 of 'org.B.get' in {files[0]}; "
    )


@pytest.mark.parametrize(
    ("changes", "unit", "said"),
    [
        ({"warmupIterations": 7}, "ns/op", "ran 2 warm-up iterations here, and 7 in the JSON"),
        ({}, "us/op", "is in us/op here, and in ns/op in the JSON"),
    ],
)
def test_log_that_contradicts_the_json(
    run: Run, changes: dict[str, Any], unit: str, said: str
) -> None:
    files = [run.json("r.json", record(ONE, **changes)), run.log("r.log", text(ONE, unit=unit))]
    with pytest.raises(InputError, match=said):
        load(files)


def test_what_only_the_log_knows_is_a_failure(run: Run) -> None:
    dead = text([[1.0]], "org.B.dead", params="n = 1").replace(
        "Iteration   1: 1.000 ns/op", "Iteration   1: <forked VM failed with exit code 1>"
    )
    files = [
        run.json("r.json", record(ONE)),
        run.log("r.log", text(ONE), dead, text(TWO, "org.B.lost")),
    ]
    suite = load(files)
    assert list(suite) == [suite["org.B.get"].identity]
    assert [(failure.identity.label, failure.reason) for failure in suite.failures] == [
        ("org.B.dead [n=1]", "forked VM failed with exit code 1"),
        ("org.B.lost", f"it stands in {files[1]}, but not in the JSON results"),
    ]


def test_all_failed(run: Run) -> None:
    dead = text([[1.0]]).replace(
        "Iteration   1: 1.000 ns/op", "Iteration   1: <failure>\n\nError: no"
    )
    empty, log = run.json("r.json"), run.log("r.log", dead)
    for paths in ([log], [empty, log]):
        with pytest.raises(
            InputError, match=r"no benchmark gave a usable result: 'org.B.get' \(the"
        ):
            load(paths)


def test_parameters_that_old_jmh_spoils_in_its_json(run: Run) -> None:
    """1.21 writes a comma as a comma and a new line, and '<' as '[' (seen in recorded/1.21)."""
    params = {"text": "a = b,\n            [c] | d"}
    files = [
        run.json("r.json", record(ONE, params=params), record(TWO, params={"text": "plain"})),
        run.log(
            "r.log", text(ONE, params="text = a = b, <c> | d"), text(TWO, params="text = plain")
        ),
    ]
    suite = load(files)
    assert [benchmark.warmup for benchmark in suite.values()] == [2, 2]
    assert suite.failures == ()


SIDECAR = {"steady_environment": 1, "cpu": "EPYC 7763", "os": "Linux 6.8"}


def test_sidecar_fills_in_the_processor(run: Run) -> None:
    result, log = run.json("r.json", record(ONE)), run.log("r.log", text(ONE))
    (run.folder / "environment.json").write_text(json.dumps(SIDECAR))
    for paths in (result, log, [result, log], run.folder, str(run.folder / "*.json")):
        environment = load(paths)["org.B.get"].environment
        assert (environment.cpu, environment.os, environment.jdk) == (
            "EPYC 7763",
            "Linux 6.8",
            "17",
        )


def test_different_processors_are_different_environments(run: Run) -> None:
    for name, cpu, rows in (("a", "EPYC", ONE), ("b", "Xeon", TWO)):
        (run.folder / name).mkdir()
        run.json(f"{name}/r.json", record(rows))
        (run.folder / name / "environment.json").write_text(json.dumps({**SIDECAR, "cpu": cpu}))
    with pytest.raises(InputError, match="cpu: 'EPYC' in one, 'Xeon' in the other"):
        load(str(run.folder / "*" / "r.json"))


def test_sidecar_changes_nothing_that_is_known(run: Run) -> None:
    path = run.folder / "s.json"
    path.write_text(
        '{"steady_series": 1, "unit": "s/op", "levels": [{"name": "iteration"}],'
        ' "environment": {"cpu": "Xeon"}, "benchmarks": [{"name": "x", "measurements": [1]}]}'
    )
    (run.folder / "environment.json").write_text(json.dumps(SIDECAR))
    environment = load(path)["x"].environment
    assert (environment.cpu, environment.os) == ("Xeon", "Linux 6.8")


@pytest.mark.parametrize("content", ['{"production": true}', "not json", "", "[1]"])
def test_environment_of_somebody_else_is_left_alone(run: Run, content: str) -> None:
    result = run.json("r.json", record(ONE))
    (run.folder / "environment.json").write_text(content)
    assert load(result)["org.B.get"].environment.cpu == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"steady_environment": 2},
            "steady_environment: is version 2; this release reads version 1",
        ),
        ({"steady_environment": "1"}, "steady_environment: expected a whole number"),
        ({"cpu": 3}, "cpu: expected a text, found a number"),
    ],
)
def test_spoilt_sidecar(run: Run, changes: dict[str, Any], said: str) -> None:
    result = run.json("r.json", record(ONE))
    (run.folder / "environment.json").write_text(json.dumps(SIDECAR | changes))
    with pytest.raises(InputError, match=said):
        load(result)


def test_sidecar_alone(run: Run) -> None:
    path = run.folder / "environment.json"
    path.write_text(json.dumps(SIDECAR))
    with pytest.raises(InputError, match=r"only environment\.json was named"):
        load(path)
