"""The plan, run by real versions of JMH: every record must equal the plan."""

import json
import os
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from steady.emit import emit
from steady.harness.jmh.configure.benchmark_list import BenchmarkListEntry
from steady.harness.jmh.configure.benchmark_list_file import list_of_jar
from steady.model import ExecutionConfiguration as Configuration
from steady.model import Identity
from steady.plan.suite_plan import Plan
from steady.readers import load
from tests.emit.conftest import BuildJar
from tests.harness.planned import planned

pytestmark = pytest.mark.needs("java", "mvn")

VERSIONS = ["1.37", pytest.param("1.21", marks=pytest.mark.thorough)]

NUMBERS = list(product(["x", "y"], ["1", "2", "3"]))


def configured(forks: int, warmup: int, iterations: int) -> Configuration:
    return Configuration(forks, warmup, iterations, 0.01, 0.01)


ONE = configured(1, 0, 1)
SUITE = Plan(
    (
        planned("suite.Suite.twoModes", Configuration(1, 2, 3, 0.01, 0.02)),
        planned("suite.Suite.twoModes", Configuration(2, 0, 1, 0.001, 0.0015), "thrpt"),
        planned("suite.Suite.twoModesMore", configured(1, 1, 4)),
        planned("suite.Suite.once", Configuration(1, 2, 3, 0.0, 0.0, 4, 2), "ss"),
        planned("suite.Suite.threads", configured(1, 1, 1), "thrpt", 2),
        planned("suite.Suite.threads", configured(1, 1, 2), "thrpt", 1),
        planned("suite.Suite.failing", configured(1, 1, 1), "thrpt"),
        planned("suite.Suite.pair", configured(1, 1, 2), "thrpt", 3),
        planned("suite.Suite.Inner.inherited", configured(1, 0, 2), "thrpt"),
        *(planned("suite.Suite.alike", ONE, n=n, letter=letter) for letter, n in NUMBERS),
        planned("suite.Suite.different", ONE, n="1", letter="x"),
        planned("suite.Suite.different", configured(1, 0, 2), n="2", letter="x"),
    ),
    "uoptime",
)


def run(folder: Path, jar: Path) -> list[tuple[Identity, Configuration]]:
    """Run the plan as in docs/jmh-configuration.md; return the configurations in the records."""
    records: list[tuple[Identity, Configuration]] = []
    for file in sorted((folder / ".steady" / "jmh").glob("*.args")):
        results = folder / "results" / f"{file.stem}.json"
        results.parent.mkdir(exist_ok=True)
        command = ["java", "-cp", f".steady/overlay:{jar}", f"@{file}", "-rf", "json"]
        surroundings = os.environ | {"LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [*command, "-rff", str(results)], cwd=folder, env=surroundings, capture_output=True
        )
        assert done.returncode == 0, done.stderr
        records += measured(results)
    return records


def measured(results: Path) -> list[tuple[Identity, Configuration]]:
    """Return benchmark and configuration of each record, in the plan's terms."""
    suite = load(results)
    assert all(b.configuration is not None for b in suite.benchmarks)
    records = json.loads(results.read_text(encoding="utf-8"))
    assert len(records) == len(suite.benchmarks)
    return [(b.identity, b.configuration) for b in suite.benchmarks if b.configuration is not None]


def without(plan: Plan, *names: str) -> Counter[tuple[Identity, Configuration]]:
    return Counter(
        (b.identity, b.configuration) for b in plan.benchmarks if b.identity.name not in names
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_overlay_runs_as_planned_in_one_run_of_jmh(
    version: str, build_jar: BuildJar, tmp_path: Path
) -> None:
    jar = build_jar(version)
    emitted = emit(SUITE, tmp_path / ".steady", jar=jar)
    assert [path.name for path in emitted.files][:2] == ["BenchmarkList", "overlay.args"]
    # One run with threads=1, and one for each value of `different`.
    assert len(emitted.files) == 2 + 1 + 2
    assert emitted.notes == ()
    # JMH exits with code 0 even if a benchmark throws.
    assert Counter(run(tmp_path, jar)) == without(SUITE, "suite.Suite.failing")
    records = json.loads((tmp_path / "results" / "overlay.json").read_text())
    assert {record["jmhVersion"] for record in records} == {version}


@pytest.mark.thorough
def test_unusual_parameter_values_reach_the_benchmark(build_jar: BuildJar, tmp_path: Path) -> None:
    values = [
        *("", " a  b ", "it's", '"quoted" \\ back', "$(touch canary) `touch canary`"),
        *("*?[a]{};|<>", "x=y", "-wi"),
    ]
    odd = [planned("suite.Odd.odd", ONE, value=value, comma="c") for value in values]
    jar = build_jar("1.37")
    # Without a list, argument files also support the empty value.
    for benchmarks, own in ((odd[1:], jar), ((odd[-1], odd[0]), None)):
        plan, folder = Plan(tuple(benchmarks), "uoptime"), tmp_path / str(len(benchmarks))
        emit(plan, folder / ".steady", jar=own)
        assert Counter(run(folder, jar)) == without(plan)
    assert not list(tmp_path.rglob("canary"))


@pytest.mark.parametrize("version", VERSIONS)
def test_records_of_real_lists_round_trip(version: str, build_jar: BuildJar) -> None:
    lines = list_of_jar(build_jar(version)).decode().splitlines()
    records = [BenchmarkListEntry.parse(line) for line in lines]
    assert [str(record) for record in records] == lines
    by_key = {(record.name, record.mode): record for record in records}
    numbers = [{"n": n, "letter": letter} for letter, n in NUMBERS]
    assert by_key["suite.Suite.alike", "avgt"].runs_exactly(numbers)
    assert by_key["suite.Suite.pair", "thrpt"].threads == 3
    assert ("suite.Suite.Inner.inherited", "thrpt") in by_key
