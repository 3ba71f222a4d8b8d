"""The folder that `steady run` writes, read as results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steady.errors import InputError
from steady.model import Identity, SameCode
from steady.readers import load
from steady.samecode.decision import Decision
from steady.samecode.file import SameCodeFile, read_same_code

RECORD = {
    "benchmark": "org.Bench.get",
    "mode": "avgt",
    "threads": 1,
    "primaryMetric": {"scoreUnit": "us/op", "rawData": [[1.0, 2.0]]},
}


def write(folder: Path, name: str, data: object) -> None:
    (folder / name).write_text(json.dumps(data))


def test_its_header_is_passed_over_and_its_sidecar_is_read(tmp_path: Path) -> None:
    write(tmp_path, "results.json", [RECORD])
    write(tmp_path, "run.json", {"steady_run": 1})
    write(tmp_path, "environment.json", {"steady_environment": 1, "cpu": "A processor"})
    for paths in (tmp_path, f"{tmp_path}/*.json"):
        suite = load(paths)
        assert list(suite) == [Identity("org.Bench.get")]
        assert suite[Identity("org.Bench.get")].environment.cpu == "A processor"


def test_what_was_not_measured_is_kept_with_the_suite(tmp_path: Path) -> None:
    one, two, three = Identity("org.Bench.one"), Identity("org.Bench.two"), Identity("org.Bench.b")
    file = SameCodeFile(1, (one, two), (Identity("org.Bench.get"),), (Decision(three, "why"),))
    (tmp_path / "same-code.json").write_text(file.text(), encoding="utf-8")
    write(tmp_path, "results.json", [RECORD])
    suite = load(tmp_path)
    assert list(suite) == [Identity("org.Bench.get")]
    assert suite.same_code == SameCode((one, two), (Identity("org.Bench.get"),))
    assert read_same_code(tmp_path) == file


def test_a_list_of_another_form_is_the_users_mistake(tmp_path: Path) -> None:
    write(tmp_path, "results.json", [RECORD])
    write(tmp_path, "same-code.json", {"steady_same_code": 2, "same": []})
    with pytest.raises(InputError, match=r"same-code\.json.*expected a list of benchmarks"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["run.json", "environment.json", "same-code.json"])
def test_a_file_of_the_name_without_the_mark_is_read_as_results(name: str, tmp_path: Path) -> None:
    write(tmp_path, name, [RECORD])
    assert list(load(tmp_path)) == [Identity("org.Bench.get")]
    write(tmp_path, name, {"steady_environment" if name != "environment.json" else "steady_run": 1})
    with pytest.raises(InputError, match="is not a result file"):
        load(tmp_path)


def test_nothing_else_is_no_result(tmp_path: Path) -> None:
    write(tmp_path, "run.json", {"steady_run": 1})
    with pytest.raises(InputError, match=r"only environment\.json was named, or run\.json"):
        load(tmp_path)
