"""An artifact's files become suites, and leave nothing behind."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from fork_scenario import measured, packed, results
from written_runs import NAMES, record, series

from steady.action import report as report_module
from steady.action.report import FILES, MOST_LISTS, suites_of
from steady.errors import InputError

GO = """\
goos: linux
pkg: example.org/fast
BenchmarkEncode-8 \t 100 \t 25.0 ns/op
BenchmarkEncode-8 \t 100 \t 26.0 ns/op
PASS
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_jmh_with_its_environment(temporary: Path) -> None:
    machine = '{"steady_environment": 1, "cpu": "A CPU", "os": "An OS"}'
    base, head = suites_of(packed(results(environment=machine, run="no JSON at all")), "it")
    assert (base.sources, head.sources) == (("base.json",), ("head.json",))
    assert {benchmark.identity.name for benchmark in head.benchmarks} == set(NAMES)
    assert {benchmark.environment.cpu for benchmark in base.benchmarks} == {"A CPU"}
    assert list(temporary.iterdir()) == []


def test_go(temporary: Path) -> None:
    base, head = suites_of(packed({"base.txt": GO, "head.txt": GO}), "it")
    assert (base.harness, head.sources) == ("go", ("head.txt",))


def test_a_mistake_names_the_file_and_not_its_place(temporary: Path) -> None:
    with pytest.raises(InputError, match=r"^it: head\.json: is empty"):
        suites_of(packed(results(head="")), "it")
    assert list(temporary.iterdir()) == []


def test_a_packed_file_counts_unpacked(temporary: Path) -> None:
    small = gzip.compress(measured().encode())
    base, _ = suites_of(packed(results(base=small)), "it")
    assert len(base) == len(NAMES)
    bomb = gzip.compress(b"[" + b" " * (33 * 2**20))
    with pytest.raises(InputError, match="holds more than 32 MiB"):
        suites_of(packed(results(base=bomb)), "it")


def test_more_benchmarks_than_anybody_has(temporary: Path) -> None:
    failed = record("org.Bench.failed", [[float("nan")]])
    rows = [*json.loads(measured()), failed]
    assert len(suites_of(packed(results(head=json.dumps(rows))), "it", most=4)[1]) == 3
    with pytest.raises(InputError, match=r"head\.json: holds more than 3 benchmarks"):
        suites_of(packed(results(head=json.dumps(rows))), "it", most=3)


def text_of(raw: str) -> str:
    """Return a record whose measurements are written as `raw`."""
    text = json.dumps([record(NAMES[0], [[1.0]])])
    return text.replace('"rawData": [[1.0]]', f'"rawData": {raw}')


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (text_of(f"[{'[1],' * 3_700_000}[1]]"), "holds more than 500,000 lists and objects"),
        (text_of(f"[[{'1,' * 4_000_001}1]]"), "holds more than 4,000,000 values"),
        (gzip.compress(text_of(f"[[{'1,' * 4_000_001}1]]").encode()), "holds more than 4,000,000"),
        (GO + "\n" * 4_000_001, "holds more than 4,000,000 values"),
    ],
    ids=["forks", "iterations", "packed", "lines"],
)
def test_more_than_can_be_read_soon_is_refused_before_it_is_read(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, head: str | bytes, words: str
) -> None:
    read = []
    monkeypatch.setattr(report_module, "load", lambda path, limit: read.append(path.name))
    monkeypatch.setattr(report_module, "SIDES", ("head",))
    ending = "txt" if head[:4] == GO[:4] else "json"
    noise = random.Random(1).randbytes(200_000)  # so that the archive unpacks to not too much
    with pytest.raises(InputError, match=words) as caught:
        suites_of(packed({f"head.{ending}": head, "run.json": noise}), "it")
    assert str(caught.value).startswith(f"it: head.{ending}: ")
    assert read == []


def test_five_thousand_benchmarks_of_ten_forks_are_far_below_the_limit(temporary: Path) -> None:
    names = [f"org.example.Bench.method{number}" for number in range(100)]
    text = json.dumps([record(name, series(1, 10, 2), params={"n": "1"}) for name in names])
    assert len(suites_of(packed(results(head=text)), "it")[1]) == len(names)
    assert (text.count("[") + text.count("{")) * 5_000 / len(names) < MOST_LISTS / 4


@pytest.mark.parametrize("value", [1e101, 1e-101, 5e-324, 1.7e308])
def test_values_that_no_measurement_has(temporary: Path, value: float) -> None:
    values = series(1, 3, 20)
    values[1, 7] = 0.0
    fine = json.dumps([record(NAMES[0], values)])
    assert len(suites_of(packed(results(head=fine)), "it")[1]) == 1
    data = json.loads(fine)
    data[0]["primaryMetric"]["rawData"][1][8] = value
    with pytest.raises(InputError, match="holds a value that no measurement has"):
        suites_of(packed(results(head=json.dumps(data))), "it")


def test_the_names_are_plain() -> None:
    assert [name for name in FILES if name != Path(name).name.lower()] == []
