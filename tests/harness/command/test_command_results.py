"""hyperfine's JSON, real and by hand."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.command.results import read, recognizes
from steady.model import Identity
from steady.readers import Document, load
from tests.looped import looped


def document(**entry: Any) -> Document:
    usual = {"command": "./tool", "times": [0.1, 0.2]}
    return Document(Path("f.json"), json.dumps({"results": [{**usual, **entry}]}))


def test_with_and_without_memory() -> None:
    (without,) = read(document()).values()
    assert without.measured.tolist() == [[0.1, 0.2]]
    assert without.metrics == {}
    assert without.unit == "s/op"
    (one,) = read(document(memory_usage_byte=[7, 8])).values()  # since 1.19
    assert one.metrics["memory"].values.tolist() == [[7.0, 8.0]]
    assert one.metrics["memory"].direction == "lower"
    (few,) = read(document(memory_usage_byte=[7])).values()
    assert few.metrics == {}


def test_parameters_are_those_of_the_benchmark() -> None:
    (identity,) = read(document(parameters={"n": "10", "file": "a b"}))
    assert identity == Identity("./tool", params=(("n", "10"), ("file", "a b")))


@looped(
    ("entry", "why"),
    [
        ({"times": None}, "holds no single times; export them with --export-json"),
        ({"times": "fast"}, "times"),
        ({"command": 3}, "command"),
        ({"parameters": 3}, "parameters"),
    ],
)
def test_what_it_does_not_write_is_one_sentence(entry: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(document(**entry))


@looped("text", ["[]", '{"results": []}', '{"results": [{}]}', '{"results": 3}'])
def test_other_results_are_not_its_own(text: str) -> None:
    assert not recognizes(Document(Path("f"), text))


@pytest.mark.needs("hyperfine")
def test_hyperfine_really_writes_it(tmp_path: Path) -> None:
    out = tmp_path / "h.json"
    options = ["-N", "-r", "3", "--export-json", str(out), "-L", "n", "0.01,0.02"]
    command = ["hyperfine", *options, "sleep {n}"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    suite = load(out)
    assert [one.params for one in suite] == [(("n", "0.01"),), (("n", "0.02"),)]
    for one in suite.values():
        assert one.measured.shape == (1, 3)
        assert float(np.min(one.measured)) > 0.01
