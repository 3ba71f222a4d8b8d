"""Several files of one run: joined forks, logs beside JSON, and the folder of a run."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.builds import Decision
from steady.model import Identity, SameCode, Suite
from steady.readers import load
from steady.readers.joined_suites import join
from steady.samecode.choice import SameCodeFile, read_same_code
from tests.jmh_records import jmh_record


def written(folder: Path, **files: Any) -> list[Path]:
    """Write files of a JMH run: the text of a log, or the records of its JSON."""
    paths = []
    for name, content in files.items():
        path = folder / f"{name}{'.log' if isinstance(content, str) else '.json'}"
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def read(folder: Path, **files: Any) -> Suite:
    return load(written(folder, **files))


def record(rows: list[list[float]], name: str = "org.B.get", **changes: Any) -> dict[str, Any]:
    """Return a JMH record."""
    java = {"jvmArgs": [], "jdkVersion": "17", "vmName": "VM", "vmVersion": "17+1"}
    return jmh_record(name, rows, warmup=2, seconds="1 s", **(java | changes))


def text(
    rows: list[list[float]], name: str = "org.B.get", params: str = "", unit: str = "ns/op"
) -> str:
    """Return the log of one benchmark: per fork, two warm-up scores, and those of `rows`."""
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
BOTH = (ONE, TWO)
SERIES = {
    "steady_series": 1,
    "unit": "s/op",
    "levels": [{"name": "iteration"}],
    "benchmarks": [{"name": "x", "measurements": [1]}],
}


def test_benchmarks_are_joined_and_equal_ones_get_more_forks(tmp_path: Path) -> None:
    suite = read(tmp_path, b=[record(ONE, "b")], a=[record(TWO, "a")])
    assert [identity.name for identity in suite] == ["b", "a"]
    assert [Path(source).name for source in suite.sources] == ["b.json", "a.json"]
    assert suite.harness_version == "1.37"
    files = {f"f{n}": [record([row])] for n, row in enumerate([*ONE, *TWO])}
    benchmark = read(tmp_path, **files)["org.B.get"]
    assert benchmark.measurements.tolist() == ONE + TWO
    assert benchmark.configuration is not None
    assert benchmark.configuration.forks == 4
    # Shorter forks are filled up.
    suite = read(tmp_path, a=[record([[1.0]], measurementIterations=2)], b=[record(ONE)])
    np.testing.assert_array_equal(suite["org.B.get"].measurements, [[1.0, np.nan], *ONE])
    assert len(suite.failures) == 1


def test_files_that_disagree(tmp_path: Path) -> None:
    for changes, message in (
        (
            {"primaryMetric": {"scoreUnit": "us/op", "rawData": TWO}},
            "unit: 'ns/op' in one, 'us/op'",
        ),
        ({"measurementTime": "2 s"}, "iteration seconds: '1.0' in one, '2.0' in the other"),
        ({"warmupIterations": 3}, "warmup iterations: '2' in one, '3' in the other"),
        ({"jdkVersion": "21"}, "jdk: '17' in one, '21' in the other"),
        ({"jvmArgs": ["-Xint"]}, "jvm args: '()' in one"),
    ):
        one, other = written(tmp_path, a=[record(ONE)], b=[record(TWO, **changes)])
        with pytest.raises(InputError) as error:
            load([one, other])
        assert str(error.value).startswith(f"{one} and {other}: disagree about 'org.B.get': ")
        assert message in str(error.value)


def test_copies_are_rejected_with_their_names(tmp_path: Path) -> None:
    a, c = [record(ONE), record(TWO, "b")], [record(TWO, "c")]
    with pytest.raises(InputError, match=r"a\.json and .*copy\.json: contain the same measure"):
        read(tmp_path, a=a, c=c, copy=[record(ONE)])
    ragged = [record([[1.0, 2.0], [3.0]])]  # missing iterations
    with pytest.raises(InputError, match=r"the same measurements of 'org.B.get'"):
        read(tmp_path, a=ragged, b=ragged)


def test_different_levels_and_harnesses_are_rejected(tmp_path: Path) -> None:
    one, two = (Suite.of({"a": values}, unit="ns/op") for values in ([1.0, 2.0], [3.0]))
    with pytest.raises(InputError, match="no common outer level"):
        join([one, two])
    result, log, series = written(tmp_path, a=[record(ONE)], r=text(ONE), s=SERIES)
    with pytest.raises(InputError, match=r"come from different harnesses \(series, jmh\)"):
        load([series, result])
    with pytest.raises(InputError, match=r"r\.log: is a log of JMH, but .*s\.json is not"):
        load([series, log])


def with_warmup(rows: list[list[float]]) -> list[list[float]]:
    """Return measurements preceded by the warm-up scores of the log."""
    return [[round(10 * row[0], 3), round(5 * row[0], 3), *row] for row in rows]


def test_log_beside_json(tmp_path: Path) -> None:
    suite = read(tmp_path, r=[record(ONE)], log=text(ONE))
    benchmark = suite["org.B.get"]
    assert benchmark.measurements.tolist() == with_warmup(ONE)
    assert benchmark.warmup == 2
    assert [Path(source).name for source in suite.sources] == ["r.json", "log.log"]
    assert suite.failures == ()
    # A log of some of the benchmarks.
    suite = read(tmp_path, r=[record(ONE), record(TWO, "b")], log=text(ONE))
    assert [benchmark.warmup for benchmark in suite.values()] == [2, 0]
    # These forks are equal to three decimals, so they are matched by their order.
    rows = [[1.0001, 2.0], [1.0002, 2.0]]
    suite = read(tmp_path, r=[record(rows)], log=text(rows))
    assert suite["org.B.get"].measurements[:, 0].tolist() == [10.001, 10.002]


def test_forks_are_matched_by_their_scores_whatever_the_order_of_files(tmp_path: Path) -> None:
    files = {f"f{n}": [record(rows), record([[9.0 + n]], "other")] for n, rows in enumerate(BOTH)}
    logs = {"z": text(TWO) + text([[10.0]], "other"), "a": text([[9.0]], "other") + text(ONE)}
    paths = written(tmp_path, **files, **logs)
    random.Random(3).shuffle(paths)
    suite = load(paths)
    expected = with_warmup(ONE) + with_warmup(TWO)
    assert sorted(suite["org.B.get"].measurements.tolist()) == sorted(expected)
    assert suite["other"].warmup == 2


def test_parameters_that_old_jmh_corrupts_in_its_json(tmp_path: Path) -> None:
    """JMH 1.21 writes a comma as a comma and a new line, and '<' as '[' (recorded/1.21)."""
    params = {"text": "a = b,\n            [c] | d"}
    suite = read(
        tmp_path,
        r=[record(ONE, params=params), record(TWO, params={"text": "plain"})],
        log=text(ONE, params="text = a = b, <c> | d") + text(TWO, params="text = plain"),
    )
    assert [benchmark.warmup for benchmark in suite.values()] == [2, 2]
    assert suite.failures == ()
    # Values that differ only in that.
    rows = {value: [[float(n)]] for n, value in enumerate(("a;b", "a,b", "<", "["), 1)}
    records = [record(row, params={"p": value}) for value, row in rows.items()]
    log = "".join(text(row, params=f"p = {value}") for value, row in rows.items())
    suite = read(tmp_path, r=records, log=log)
    assert [b.measurements[0, 0] for b in suite.values()] == [10.0, 20.0, 30.0, 40.0]


def test_a_log_of_another_run_or_that_contradicts_the_json_is_rejected(tmp_path: Path) -> None:
    other = [[1.00012, 2.00034], [3.00056, 4.0018]]  # differs in the third decimal
    result, log = written(tmp_path, r=[record(ONE)], log=text(other))
    with pytest.raises(InputError) as error:
        load([result, log])
    assert str(error.value).startswith(
        f"{log}, line 8: no fork here has the scores of fork 2 of 'org.B.get' in {result}; "
    )
    with pytest.raises(InputError, match="ran 2 warm-up iterations here, and 7 in the JSON"):
        read(tmp_path, r=[record(ONE, warmupIterations=7)], log=text(ONE))
    with pytest.raises(InputError, match="is in us/op here, and in ns/op in the JSON"):
        read(tmp_path, r=[record(ONE)], log=text(ONE, unit="us/op"))


def test_a_benchmark_only_in_the_log_is_a_failure(tmp_path: Path) -> None:
    score = "Iteration   1: 1.000 ns/op"
    dead = text([[1.0]], "org.B.dead", params="n = 1").replace(
        score, "Iteration   1: <forked VM failed with exit code 1>"
    )
    log = text(ONE) + dead + text(TWO, "org.B.lost")
    suite = read(tmp_path, r=[record(ONE)], log=log)
    assert list(suite) == [suite["org.B.get"].identity]
    assert [(failure.identity.label, failure.reason) for failure in suite.failures] == [
        ("org.B.dead [n=1]", "forked VM failed with exit code 1"),
        ("org.B.lost", f"it is in {tmp_path / 'log.log'}, but not in the JSON results"),
    ]
    # All failed.
    failed = text([[1.0]]).replace(score, "Iteration   1: <failure>\n\nError: no")
    empty, log_file = written(tmp_path, r=[], log=failed)
    for paths in ([log_file], [empty, log_file]):
        with pytest.raises(InputError, match=r"no benchmark gave a usable result: 'org.B.get' \(t"):
            load(paths)


SIDECAR = {"steady_environment": 1, "cpu": "EPYC 7763", "os": "Linux 6.8"}


def test_a_sidecar_adds_the_processor(tmp_path: Path) -> None:
    result, log, _ = written(tmp_path, r=[record(ONE)], log=text(ONE), environment=SIDECAR)
    folder = tmp_path / "folder"
    folder.mkdir()
    written(folder, r=[record(ONE)], environment=SIDECAR)
    for paths in (result, log, [result, log], folder, str(folder / "*.json")):
        found = load(paths)["org.B.get"].environment
        assert (found.cpu, found.os, found.jdk) == ("EPYC 7763", "Linux 6.8", "17")
    # It does not change known values.
    known, _ = written(folder, r=SERIES | {"environment": {"cpu": "Xeon"}}, environment=SIDECAR)
    found = load(known)["x"].environment
    assert (found.cpu, found.os) == ("Xeon", "Linux 6.8")
    with pytest.raises(InputError, match=r"only environment\.json or run\.json was given"):
        load(tmp_path / "environment.json")


def test_different_processors_are_different_environments(tmp_path: Path) -> None:
    for name, cpu, rows in (("a", "EPYC", ONE), ("b", "Xeon", TWO)):
        (tmp_path / name).mkdir()
        written(tmp_path / name, r=[record(rows)], environment=SIDECAR | {"cpu": cpu})
    with pytest.raises(InputError, match="cpu: 'EPYC' in one, 'Xeon' in the other"):
        load(str(tmp_path / "*" / "r.json"))


def test_a_foreign_environment_file_is_ignored_and_an_invalid_one_rejected(tmp_path: Path) -> None:
    [result] = written(tmp_path, r=[record(ONE)])
    for content in ('{"production": true}', "not json", "", "[1]"):
        (tmp_path / "environment.json").write_text(content)
        assert load(result)["org.B.get"].environment.cpu == ""
    for changes, message in (
        ({"steady_environment": 2}, "_environment: is version 2; this release reads version 1"),
        ({"steady_environment": "1"}, "steady_environment: expected a whole number"),
        ({"cpu": 3}, "cpu: expected a text, found a number"),
    ):
        written(tmp_path, environment=SIDECAR | changes)
        with pytest.raises(InputError, match=message):
            load(result)


GET = Identity("org.Bench.get")


def jmh_with_warmup(values: list[list[float]], **fields: Any) -> list[dict[str, Any]]:
    return [jmh_record(GET.name, values, warmup=1, seconds="1 s", **fields)]


RECORD = jmh_with_warmup([[1.0, 2.0]])


def write(folder: Path, name: str, data: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(data))
    return path


def test_the_run_header_is_ignored_and_the_sidecar_is_read(tmp_path: Path) -> None:
    write(tmp_path, "results.json", RECORD)
    write(tmp_path, "run.json", {"steady_run": 1})
    write(tmp_path, "environment.json", {"steady_environment": 1, "cpu": "A processor"})
    for paths in (tmp_path, f"{tmp_path}/*.json"):
        suite = load(paths)
        assert list(suite) == [GET]
        assert suite[GET].environment.cpu == "A processor"


def test_unmeasured_benchmarks_are_kept_in_the_suite(tmp_path: Path) -> None:
    one, two, three = Identity("org.Bench.one"), Identity("org.Bench.two"), Identity("org.Bench.b")
    file = SameCodeFile(1, (one, two), (GET,), (Decision(three, "why"),))
    (tmp_path / "same-code.json").write_text(file.text(), encoding="utf-8")
    write(tmp_path, "results.json", RECORD)
    suite = load(tmp_path)
    assert list(suite) == [GET]
    assert suite.same_code == SameCode((one, two), (GET,))
    assert read_same_code(tmp_path) == file


def test_an_invalid_list_is_an_input_error(tmp_path: Path) -> None:
    write(tmp_path, "results.json", RECORD)
    write(tmp_path, "same-code.json", {"steady_same_code": 2, "same": []})
    with pytest.raises(InputError, match=r"same-code\.json.*expected a list of benchmarks"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["run.json", "environment.json", "same-code.json"])
def test_a_file_of_the_name_without_the_mark_is_read_as_results(name: str, tmp_path: Path) -> None:
    write(tmp_path, name, RECORD)
    assert list(load(tmp_path)) == [GET]
    write(tmp_path, name, {"steady_environment" if name != "environment.json" else "steady_run": 1})
    with pytest.raises(InputError, match="is not a result file"):
        load(tmp_path)


def test_sidecars_alone_are_not_results(tmp_path: Path) -> None:
    write(tmp_path, "run.json", {"steady_run": 1})
    with pytest.raises(InputError, match=r"only environment\.json or run\.json was given"):
        load(tmp_path)


def test_forks_keep_their_rounds_and_runs_are_distinguished(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "base.json",
        jmh_with_warmup([[1.0, 2.0], [3.0, 4.0]], steadyBlocks=["a:0", "a:1"]),
    )
    assert load(path)[GET].blocks == ("a:0", "a:1")
    first = write(tmp_path, "1.json", jmh_with_warmup([[1.0, 2.0]], steadyBlocks=["a:0"]))
    second = write(tmp_path, "2.json", jmh_with_warmup([[5.0, 6.0]], steadyBlocks=["b:0"]))
    plain = write(tmp_path, "3.json", jmh_with_warmup([[8.0, 9.0]]))
    assert load([first, second, plain])[GET].blocks == ("a:0", "b:0", "")
    assert load(plain)[GET].blocks == ()
    for blocks, message in (
        (["a:0"], "has 1 steadyBlocks for 2 forks"),
        ([1, 2], "Expected `str`, got `int`"),
        ("a", "expected a list, found a text"),
    ):
        write(tmp_path, "base.json", jmh_with_warmup([[1.0, 2.0], [3.0, 4.0]], steadyBlocks=blocks))
        with pytest.raises(InputError, match=message):
            load(path)
