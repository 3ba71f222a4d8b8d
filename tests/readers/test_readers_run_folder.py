"""The folder that `steady run` writes, read as results, and the rounds that it notes in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steady
from steady.errors import InputError
from steady.model import Identity, SameCode
from steady.readers import load
from steady.samecode.decision import Decision
from steady.samecode.file import SameCodeFile, read_same_code
from tests.jmh_records import jmh_record

GET = Identity("org.Bench.get")


def record(values: list[list[float]], **told: Any) -> list[dict[str, Any]]:
    return [jmh_record(GET.name, values, warmup=1, seconds="1 s", **told)]


RECORD = record([[1.0, 2.0]])


def write(folder: Path, name: str, data: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(data))
    return path


def test_its_header_is_passed_over_and_its_sidecar_is_read(tmp_path: Path) -> None:
    write(tmp_path, "results.json", RECORD)
    write(tmp_path, "run.json", {"steady_run": 1})
    write(tmp_path, "environment.json", {"steady_environment": 1, "cpu": "A processor"})
    for paths in (tmp_path, f"{tmp_path}/*.json"):
        suite = load(paths)
        assert list(suite) == [GET]
        assert suite[GET].environment.cpu == "A processor"


def test_what_was_not_measured_is_kept_with_the_suite(tmp_path: Path) -> None:
    one, two, three = Identity("org.Bench.one"), Identity("org.Bench.two"), Identity("org.Bench.b")
    file = SameCodeFile(1, (one, two), (GET,), (Decision(three, "why"),))
    (tmp_path / "same-code.json").write_text(file.text(), encoding="utf-8")
    write(tmp_path, "results.json", RECORD)
    suite = load(tmp_path)
    assert list(suite) == [GET]
    assert suite.same_code == SameCode((one, two), (GET,))
    assert read_same_code(tmp_path) == file


def test_a_list_of_another_form_is_the_users_mistake(tmp_path: Path) -> None:
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


def test_nothing_else_is_no_result(tmp_path: Path) -> None:
    write(tmp_path, "run.json", {"steady_run": 1})
    with pytest.raises(InputError, match=r"only environment\.json was named, or run\.json"):
        load(tmp_path)


def test_each_fork_knows_its_round_and_several_runs_keep_theirs_apart(tmp_path: Path) -> None:
    path = write(
        tmp_path, "base.json", record([[1.0, 2.0], [3.0, 4.0]], steadyBlocks=["a:0", "a:1"])
    )
    assert load(path)[GET].blocks == ("a:0", "a:1")
    first = write(tmp_path, "1.json", record([[1.0, 2.0]], steadyBlocks=["a:0"]))
    second = write(tmp_path, "2.json", record([[5.0, 6.0]], steadyBlocks=["b:0"]))
    plain = write(tmp_path, "3.json", record([[8.0, 9.0]]))
    assert load([first, second, plain])[GET].blocks == ("a:0", "b:0", "")
    assert load(plain)[GET].blocks == ()
    for blocks, message in (
        (["a:0"], "has 1 steadyBlocks for 2 forks"),
        ([1, 2], "Expected `str`, got `int`"),
        ("a", "Expected `array`, got `str`"),
    ):
        write(tmp_path, "base.json", record([[1.0, 2.0], [3.0, 4.0]], steadyBlocks=blocks))
        with pytest.raises(InputError, match=message):
            load(path)


def test_rounds_pair_the_forks_whatever_their_order(tmp_path: Path) -> None:
    """Head is 10 % slower in every round, while the machine slows down by half."""
    machine = [[m, m + 1] for m in (100.0, 110.0, 120.0, 130.0, 150.0)]
    slower = [[1.1 * one for one in row] for row in machine]
    rounds = [f"a:{number}" for number in range(5)]
    base = load(write(tmp_path, "base.json", record(machine, steadyBlocks=rounds)))
    turned = record(slower[::-1], steadyBlocks=rounds[::-1])
    head = load(write(tmp_path, "head.json", turned))
    told, untold = steady.compare(base, head), steady.compare(base, head, rule="moderated-t")
    assert [change.outcome for change in told.changes] == ["regression"]
    assert [change.outcome for change in untold.changes] == ["unclear"]
