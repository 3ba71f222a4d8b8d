"""The search for files, their compression and size limits, and unusable files."""

import gzip
import json
import os
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.errors import InputError, UnknownNameError
from steady.harness.document import Document, open_document
from steady.harness.suite_builder import FREE_CELLS, MOST_CELLS_A_VALUE, is_too_sparse
from steady.model import Environment, Failure, Identity, Metric, Suite
from steady.readers import SIZE_LIMIT, lengths, load
from steady.readers.lengths import check_lengths, limited
from steady.readers.sources import find_files
from tests.compare.small_suites import make_benchmark
from tests.jmh_records import jmh_record
from tests.looped import looped

SERIES = (
    '{"steady_series": 1, "unit": "ns/op", "levels": [{"name": "iteration"}], '
    '"benchmarks": [{"name": "a", "measurements": [1.0, 2.0]}]}'
)


def error_of(paths: str | Path | list[str | Path]) -> str:
    """Return the message for unreadable files, which is one line."""
    with pytest.raises(InputError) as error:
        load(paths)
    assert "\n" not in str(error.value)
    return str(error.value)


def series(path: Path, name: str) -> Path:
    """Write a series of one benchmark."""
    path.write_text(SERIES.replace('"a"', json.dumps(name)))
    return path


def test_patterns_are_sorted_and_lists_keep_their_order(tmp_path: Path) -> None:
    for name in ("c", "a", "b"):
        series(tmp_path / f"{name}.json", name)
    by_pattern = load(str(tmp_path / "*.json"))
    assert [identity.name for identity in by_pattern] == ["a", "b", "c"]
    assert by_pattern.sources == tuple(str(tmp_path / f"{name}.json") for name in "abc")
    by_list = load([tmp_path / "b.json", str(tmp_path / "[ac].json")])
    assert [identity.name for identity in by_list] == ["b", "a", "c"]
    (tmp_path / "x" / "y.json").mkdir(parents=True)
    deep = series(tmp_path / "x" / "y.json" / "deep.json", "deep")
    assert find_files(str(tmp_path / "x" / "**" / "*.json")) == [deep]
    # A file whose name looks like a pattern.
    assert len(load(str(series(tmp_path / "run [1].json", "a")))) == 1


def test_a_folder_stands_for_its_json_files(tmp_path: Path) -> None:
    series(tmp_path / "b.json", "b")
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(SERIES.encode()))
    (tmp_path / "notes.txt").write_text("not a result")
    (tmp_path / "sub.json").mkdir()
    assert [identity.name for identity in load(tmp_path)] == ["a", "b"]


def test_paths_without_a_file(tmp_path: Path) -> None:
    assert error_of([]) == "no result file was given; give at least one"
    assert "does not exist" in error_of(tmp_path / "r.json")
    assert "does not exist" in error_of(tmp_path / "*.json")  # a Path is not a pattern
    assert "no file matches this pattern" in error_of(str(tmp_path / "*.json"))
    (tmp_path / "README.txt").write_text("Benchmarks of ours")
    assert "is a folder without *.json files" in error_of(tmp_path)
    (tmp_path / "results.txt").write_text("goos: linux\nBenchmarkX 1 5 ns/op\n")
    assert find_files(tmp_path) == [tmp_path / "results.txt"]
    assert "r\0.json" in error_of("r\0.json")
    assert "rrr" in error_of("r" * 5000)
    path = series(tmp_path / "r.json", "a")
    twice = f"{path}: is given twice; give each result file once"
    assert error_of([path, str(tmp_path / "*.json")]) == twice


def test_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = series(tmp_path / "r.json", "a")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    assert error_of(path) == f"{path}: cannot be read (Permission denied)"


def test_byte_order_marks_and_gzip_are_recognized_by_content(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    packed = gzip.compress(SERIES.encode())
    for content in (SERIES.encode("utf-8-sig"), SERIES.encode("utf-16"), packed):
        path.write_bytes(content)
        assert len(load(path)) == 1
    for damaged in (packed[:-9], packed[:20], packed[:30] + b"\xff" * 9 + packed[39:]):
        path.write_bytes(damaged)
        assert "is a damaged gzip file" in error_of(path)


def test_the_size_limit_applies_to_unpacked_files(tmp_path: Path) -> None:
    assert SIZE_LIMIT == 512 * 2**20
    plain, packed = tmp_path / "r.json", tmp_path / "r.json.gz"
    plain.write_text(SERIES)
    packed.write_bytes(gzip.compress(SERIES.encode()))
    for path in (plain, packed):
        assert len(load(path, limit=len(SERIES))) == 1
        with pytest.raises(InputError, match=r"is larger than .* MiB, the largest size"):
            load(path, limit=len(SERIES) - 1)
    packed.write_bytes(gzip.compress(b" " * 50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="is larger than 1 MiB"):
            open_document(packed, limit=2**20)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * 2**20


def test_unusable_files_and_files_of_other_harnesses(tmp_path: Path) -> None:
    """`refused/files.json` lists contents of files with their messages."""
    listed = (Path(__file__).parent / "refused" / "files.json").read_text(encoding="utf-8")
    files = [(entry["file"].encode(), entry["says"]) for entry in json.loads(listed)]
    files += [(b"\xff\xfe\x00\xd8", "is not text in UTF-8")]
    files += [(b"\x89PNG\r\n\x1a\n\x00", "byte 0: is not text in UTF-8")]
    path = tmp_path / "results"
    for content, message in files:
        path.write_bytes(content)
        assert message in error_of(path)
        assert error_of(path).startswith(f"{path}")
    empty = tmp_path / "old.txt"
    empty.write_text("")
    assert f"{empty}: is empty, so the run that wrote it was kill" in error_of(empty)


def test_an_explicit_format(tmp_path: Path) -> None:
    path = series(tmp_path / "r.json", "a")
    assert len(load(path, format="series")) == 1
    with pytest.raises(InputError, match="expected JMH's list of results, found an object"):
        load(path, format="jmh")
    with pytest.raises(InputError, match="contains no benchmark"):
        load(path, format="jmh-log")
    with pytest.raises(
        UnknownNameError, match="unknown result format 'csv'; expected one of: jmh, "
    ):
        load(tmp_path / "absent", format="csv")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(InputError, match="expected an object, found a list"):
        load(tmp_path / "list.json", format="series")


@looped(
    "text",
    [
        *("[]", " [ ] \n", '[{"a": [1, NaN]}]', '\n[1 , "x\ty"\n,null]\r\n'),
        *("", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1] 2", "[1]]", "[1}", "{}", "1"),
        *("[INFO] # JMH version: 1.37", "[" * 100_000, f"[{'[' * 100_000}", f"[{'1' * 5_000}]"),
    ],
)
def test_items_of_a_list_equal_its_elements(text: str) -> None:
    """Items equal the elements of a list, and errors have the same message."""
    document = Document(Path("f"), text)
    whole, items = (
        _text_or_error(lambda: document.data),
        _text_or_error(lambda: list(document.items())),
    )
    if whole.startswith(("message", "[")):
        assert items == whole
    else:
        assert items.startswith("message: f, top level: expected a list")


def _text_or_error(work: Callable[[], object]) -> str:
    """Return the result as text, including NaN, or the error message."""
    try:
        return repr(work())
    except InputError as error:
        return f"message: {error}"


FINE = make_benchmark("org.Bench.fine", [[1.0]])


def suite(*identities: Identity) -> Suite:
    return Suite(tuple(replace(FINE, identity=identity) for identity in identities))


def units(count: int) -> Suite:
    return Suite(tuple(make_benchmark(f"b{n}", [[1.0]], f"unit{n}") for n in range(count)))


def on_machines(*arguments: str, machines: int = 1) -> Suite:
    environments = (Environment(cpu=f"{n}", jvm_args=arguments) for n in range(machines))
    return Suite(
        tuple(
            make_benchmark(f"b{n}", [[1.0]], environment=one) for n, one in enumerate(environments)
        )
    )


def test_one_more_than_the_limit_is_rejected() -> None:
    def of_params(*params: tuple[str, str]) -> Suite:
        return suite(Identity("n", params=params))

    one = Metric("B/op", np.ones((1, 1)))
    cases: tuple[tuple[Callable[[int], Suite], int, str], ...] = (
        (lambda n: suite(Identity("n" * n)), 2_000, "a name of more than 2,000"),
        (lambda n: of_params(("p", "x" * (n - 1))), 20_000, "parameters of 'n' have more than 20"),
        (lambda n: of_params(*((f"p{i}", "") for i in range(n))), 100, "than 100 parameters"),
        (lambda n: Suite((replace(FINE, unit="u" * n),)), 1_000, "a unit of more than 1,000"),
        (units, 100, "more than 100 different units"),
        (lambda n: suite(Identity("n", "m" * n)), 1_000, "the mode of 'n' has"),
        (lambda n: Suite((replace(FINE, metrics={"w" * n: one}),)), 1_000, "the name of a metric"),
        (lambda n: on_machines(machines=n), 1_000, "1,000 different environments"),
        (lambda n: on_machines("a" * (n - 1)), 100_000, "than 100,000 characters; give the argu"),
    )
    for make, limit, words in cases:
        check_lengths(make(limit), "head.json")
        with pytest.raises(InputError, match=words) as caught:
            check_lengths(make(limit + 1), "head.json")
        assert str(caught.value).startswith("head.json: ")


def test_all_texts_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    many = suite(*(Identity(f"name{n}") for n in range(8)))
    monkeypatch.setattr(lengths, "MOST_CHARACTERS", 40)
    check_lengths(many, "head.json")
    monkeypatch.setattr(lengths, "MOST_CHARACTERS", 39)
    with pytest.raises(InputError, match="names and parameters of more than 39 characters"):
        check_lengths(many, "head.json")


def test_a_reason_that_is_too_long_is_truncated() -> None:
    for reason, kept in (("r" * 10_000, "r" * 10_000), ("r" * 9_999 + "sx", "r" * 9_999 + "s")):
        failed = Suite((FINE,), failures=(Failure(Identity("b"), reason),))
        (failure,) = limited(failed, "head.json").failures
        assert failure.reason == kept


def test_every_command_that_reads_results_has_the_limits(tmp_path: Path) -> None:
    path = tmp_path / "series.json"
    top = {"steady_series": 1, "unit": "ns/op", "levels": [{"name": "fork"}]}
    for entry, message in (
        ({"name": "n" * 5_000_000}, "is a name of more than 2,000 characters"),
        ({"unit": "u" * 1_000_000}, "contains a unit of more than 1,000 characters"),
        ({"mode": "m" * 1_001}, "the mode of 'b' has more than 1,000 characters"),
        ({"levels": [{"name": "l" * 1_001}]}, "in the name of a level"),
    ):
        benchmark = {"name": "b", "measurements": [1.0]} | entry
        path.write_text(json.dumps(top | {"benchmarks": [benchmark]}))
        with pytest.raises(InputError, match=message) as caught:
            load(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert len(str(caught.value)) < 600


def test_long_names_of_real_languages_fit() -> None:
    scala = ".".join(["org", "example", *(f"Package{'$' * 20}Companion" for _ in range(20))])
    kotlin = f"org.example.Bench.`{'a sentence with spaces that names a case ' * 20}`"
    params = tuple((f"parameter{n}", "x" * 1_000) for n in range(19))
    check_lengths(suite(*(Identity(name, params=params) for name in (scala, kotlin))), "it")


WIDE = [[1.0] * 20_000, *[[1.0]] * 5000]
"""As an array, 25,000 values would need 100 million cells, and a small file gigabytes."""


def test_one_benchmark_that_is_too_sparse_fails_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    records = [
        jmh_record("org.Bench.wide", WIDE),
        jmh_record("org.Bench.fine", [[1.0, 2.0], [1.0]]),
    ]
    path.write_text(json.dumps(records))
    suite = load(path)
    assert [identity.name for identity in suite] == ["org.Bench.fine"]
    [failure] = [one for one in suite.failures if one.identity.name == "org.Bench.wide"]
    assert failure.reason == "the lengths of its forks differ too much, up to 20000 iterations"
    levels = [{"name": "fork"}, {"name": "iteration"}]
    series = {"steady_series": 1, "unit": "ns/op", "levels": levels}
    path.write_text(json.dumps(series | {"benchmarks": [{"name": "b", "measurements": WIDE}]}))
    with pytest.raises(InputError, match=r"contains lists whose lengths differ too much"):
        load(path)


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=MOST_CELLS_A_VALUE))
def test_few_forks_are_never_too_sparse(lengths: list[int]) -> None:
    assert not is_too_sparse(len(lengths) * max(lengths), sum(lengths))
    assert not is_too_sparse(FREE_CELLS, 1)
    assert is_too_sparse(FREE_CELLS + 1, 1)
    assert not is_too_sparse(MOST_CELLS_A_VALUE * 1000, 1000)
    assert is_too_sparse(MOST_CELLS_A_VALUE * 1000 + 1, 1000)
