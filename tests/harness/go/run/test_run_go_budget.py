"""Time limits of a run apply to lists of names, first operations and interleaved processes."""

import json
import re
import time
from pathlib import Path

import pytest

from steady.cli import main
from steady.compare import compare
from steady.engine.request import RunRequest
from steady.engine.run_outcome import RunOutcome
from steady.engine.whole_run import Lines, run_request
from tests.harness.go.building import build
from tests.harness.pair_texts import SIDES, pairs_in, side_of
from tests.harness.program_trials import written

pytestmark = pytest.mark.needs("go")

BUDGET = 15.0
MOST = 4 * BUDGET
"""A run on a machine that others use, with the start of everything. What hangs takes minutes."""

CODE = {part.title: part.text for part in pairs_in(Path(__file__).with_name("slow.txt"))}


def package(folder: Path, *parts: str, head: bool = False) -> Path:
    """Build a package of some parts, with a different version in head."""
    whole = "".join(CODE[part] for part in ("always", *parts))
    module = "module example.com/slow\n\ngo 1.18\n"
    written(folder, {"go.mod": module, "slow_test.go": side_of(whole, SIDES[head])})
    return build(folder)


def timed(
    base: Path, head: Path, out: Path, budget: float = BUDGET
) -> tuple[float, RunOutcome, list[str]]:
    said: list[str] = []
    request = RunRequest.of(base=base, head=head, out=out, time_budget=budget)
    begin = time.monotonic()
    outcome = run_request(request, Lines(said.append))
    return time.monotonic() - begin, outcome, said


@pytest.mark.thorough
def test_interleaved_processes_that_hang_end_at_the_time_limit(tmp_path: Path) -> None:
    base = package(tmp_path / "base", "later")
    head = package(tmp_path / "head", "later", head=True)
    seconds, outcome, _ = timed(base, head, tmp_path / "out")
    assert seconds < MOST
    assert compare(outcome.suites["base"], outcome.suites["head"]).verdict == "incomplete"


@pytest.mark.thorough
def test_a_hanging_benchmark_uses_only_its_part_of_the_discovery(tmp_path: Path) -> None:
    base = package(tmp_path / "base", "quick", "at_once")
    head = package(tmp_path / "head", "quick", "at_once", head=True)
    seconds, _, _ = timed(base, head, tmp_path / "out")
    assert seconds < MOST
    assert "example.com/slow.BenchmarkQuick" in (tmp_path / "out" / "journal.jsonl").read_text()


def test_a_binary_that_hangs_while_listing_does_not_use_up_the_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = package(tmp_path / "base", "quick", "names")
    head = package(tmp_path / "head", "quick", "names", head=True)
    begin = time.monotonic()
    run = ["run", f"--base={base}", f"--head={head}", f"--out={tmp_path / 'out'}"]
    assert main([*run, "--time-budget=15s"]) == 2
    assert time.monotonic() - begin < MOST
    said = " ".join(capsys.readouterr().err.split())
    limits = re.findall(r"did not list its benchmarks in (\S+) s", said)
    assert limits, said
    assert all(0 < float(limit) <= BUDGET for limit in limits), said


def test_nothing_is_run_if_nothing_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, head = (package(tmp_path / name, "quick", "at_once") for name in SIDES)
    for side, text in ((base, "one"), (head, "two")):
        (side / "README.md").write_text(text)
    _, _, said = timed(base, head, tmp_path / "out", 600.0)
    (line,) = said
    assert line.startswith("2 of 2 benchmarks run the same code in base and head; none of them")
    assert len(json.loads((tmp_path / "out" / "same-code.json").read_text())["same"]) == 2
    assert main(["compare", str(tmp_path / "out"), "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "same code"
