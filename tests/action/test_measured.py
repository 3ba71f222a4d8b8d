"""An artifact's files are read as suites, and no files remain."""

import gzip
import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from fork_scenario import measured, one, packed, raw, results
from written_runs import NAMES, record, series

from steady.action import measured_elsewhere as module
from steady.action.measured_elsewhere import suites_of
from steady.errors import InputError
from tests.looped import looped

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


def test_results_and_their_environment_are_read(temporary: Path) -> None:
    machine = '{"steady_environment": 1, "cpu": "A CPU", "os": "An OS"}'
    base, head = suites_of(packed(results(environment=machine, run="no JSON at all")), "it")
    assert (base.sources, head.sources) == (("base.json",), ("head.json",))
    assert {benchmark.identity.name for benchmark in head.benchmarks} == set(NAMES)
    assert {benchmark.environment.cpu for benchmark in base.benchmarks} == {"A CPU"}
    base, head = suites_of(packed({"base.txt": GO, "head.txt": GO}), "it")
    assert (base.harness, head.sources) == ("go", ("head.txt",))
    base, _ = suites_of(packed(results(base=gzip.compress(measured().encode()))), "it")
    assert len(base) == len(NAMES)
    assert list(temporary.iterdir()) == []


HOSTILE: list[tuple[Mapping[str, str | bytes] | bytes, str]] = [
    (results() | {"../../../evil.json": "[]"}, "is unexpected"),
    (results() | {"plan.json": "{}"}, "is unexpected"),
    ({f"{n}.json": "" for n in range(2000)}, "contains more than the 8 files"),
    (results(head=b"[" + b" " * (33 * 2**20)), "is too large when unpacked"),
    (results(base=gzip.compress(b"[" + b" " * (33 * 2**20))), "is larger than 32 MiB"),
    (b"<html><script>alert(1)</script></html>", "is not a zip archive"),
    ({"base.json": measured()}, "contains neither of head.json and head.txt"),
    (results() | {"head.txt": "x"}, "contains both of head.json and head.txt"),
    (results(head=""), "head.json: is empty"),
    (results(head="[" * 200_000 + "]" * 200_000), "nested far deeper"),
    (results(head=f"[{'9' * 5000}]"), "head.json"),
    (results(head=b"\xff\xfe\x00\x00PK\x03\x04"), "head.json"),
    (results(head=one(steadyBlocks=["1"] * 99)), "has 99 steadyBlocks for 3 forks"),
    (results(head=one(forks=-1)), "a whole number of at least 0"),
    (results(head=one(mode="\ud800")), "an incomplete character"),
    (results(environment='{"steady_environment": 9}'), "environment.json"),
    (results(environment=f'"{"x" * 70_000}"'), "environment.json"),
]


@looped(("files", "words"), HOSTILE)
def test_invalid_artifacts_are_rejected_in_one_sentence(
    temporary: Path, files: Mapping[str, str | bytes] | bytes, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        suites_of(files if isinstance(files, bytes) else packed(files), "it")
    assert words in str(caught.value)
    assert str(caught.value).startswith("it: ")
    assert str(temporary) not in str(caught.value)
    assert list(temporary.iterdir()) == []


def test_too_many_benchmarks_or_cells_are_rejected(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = record("org.Bench.failed", [[float("nan")]])
    rows = [*json.loads(measured()), failed]
    assert len(suites_of(packed(results(head=json.dumps(rows))), "it", most=4)[1]) == 3
    with pytest.raises(InputError, match=r"head\.json: contains more than 3 benchmarks"):
        suites_of(packed(results(head=json.dumps(rows))), "it", most=3)
    monkeypatch.setattr(module, "MOST_CELLS", 1_000)
    uneven = packed(results(head=raw([[1.0] * 100, *[[1.0]] * 40])))
    with pytest.raises(InputError, match=r"head\.json: needs arrays of more than 1,000 cells"):
        suites_of(uneven, "it")


def text_of(rows: str) -> str:
    """Return a record whose measurements are written as `rows`."""
    return raw([[1.0]]).replace('"rawData": [[1.0]]', f'"rawData": {rows}')


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (text_of(f"[{'[1],' * 3_700_000}[1]]"), "contains more than 500,000 lists and objects"),
        (text_of(f"[[{'1,' * 4_000_001}1]]"), "contains more than 4,000,000 values"),
        (
            gzip.compress(text_of(f"[[{'1,' * 4_000_001}1]]").encode()),
            "contains more than 4,000,000",
        ),
        (GO + "\n" * 4_000_001, "contains more than 4,000,000 values"),
    ],
    ids=["forks", "iterations", "packed", "lines"],
)
def test_texts_too_slow_to_parse_are_rejected_before_parsing(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, head: str | bytes, words: str
) -> None:
    read = []
    monkeypatch.setattr(module, "load", lambda path, limit: read.append(path.name))
    monkeypatch.setattr(module, "SIDES", ("head",))
    ending = "txt" if head[:4] == GO[:4] else "json"
    noise = random.Random(1).randbytes(200_000)  # so that the unpacked size is within the limit
    with pytest.raises(InputError, match=words) as caught:
        suites_of(packed({f"head.{ending}": head, "run.json": noise}), "it")
    assert str(caught.value).startswith(f"it: head.{ending}: ")
    assert read == []


@looped("value", [0.0, 1e101, 1e-101, 5e-324, 1.7e308])
def test_impossible_values_are_rejected(temporary: Path, value: float) -> None:
    rows = series(1, 3, 20).tolist()
    rows[1][8] = value
    archive = packed(results(head=raw(rows)))
    if value == 0.0:
        assert len(suites_of(archive, "it")[1]) == 1
    else:
        with pytest.raises(InputError, match="contains an impossible value"):
            suites_of(archive, "it")
