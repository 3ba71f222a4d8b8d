"""Merging of shards into the results of one run."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jmh_forks import fork
from scripted_harness import NAMES, ScriptedHarness, run, workloads

from steady.engine import RunFacts
from steady.engine.machine import Machine
from steady.engine.shards import Joined, join_shards, plan_digest
from steady.errors import InputError
from steady.harness.go.run.go_runs import GoRuns
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan
from steady.readers import load

ONE = ExecutionConfiguration(1, 2, 3, 1.0, 1.0)
PLAN = Plan(
    tuple(BenchmarkPlan(Identity(n), ONE, ONE, 5.5, 5.5, "reduced", "") for n in NAMES), "uoptime"
)


def identities() -> list[Identity]:
    return [
        *(Identity("org.A.get", "avgt", (("n", n), ("text", "a,b;"))) for n in ("1", "10", "2")),
        Identity("org.A.get", "thrpt", (("n", "1"), ("text", "a"))),
        Identity("org.A.put", "avgt", (), 4),
        Identity("org.B.once", "ss"),
        Identity("org.B.sampled", "sample"),
    ]


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(count=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_joining_shards_of_jmh_gives_the_bytes_of_one_merge(
    count: int, seed: int, tmp_path: Path
) -> None:
    generator = random.Random(seed)
    suite = identities()
    generator.shuffle(suite)
    rows: dict[str, list[Any]] = {"sample": [[[1.0, 2], [2.5, 1]]]}
    results = [
        fork(tmp_path, n, i, rows.get(i.mode, [generator.random(), "NaN", 1e-9]))
        for n, i in enumerate(suite * 2)
    ]
    shard_of = {identity: generator.randrange(count) for identity in suite}
    harness = JmhRuns()
    planned = dict.fromkeys(suite, 2)
    parts = []
    for number in range(count):
        own = [r for r in results if shard_of[r.trial.identity] == number]
        if own:
            path = tmp_path / f"shard-{number}.json"
            path.write_bytes(harness.merge(own, RunFacts(planned)))
            parts.append(path)
            assert set(harness.measured(path)) == {r.trial.identity for r in own}
    assert harness.join(parts) == harness.merge(results, RunFacts(planned))


def test_joining_shards_of_go_gives_the_bytes_of_one_merge(tmp_path: Path) -> None:
    harness = GoRuns()
    results = []
    for number, name in enumerate(("A", "A", "B", "B")):
        one = fork(tmp_path, number, Identity(f"lab.Benchmark{name}"), [1.0])
        text = f"goos: linux\npkg: lab\nBenchmark{name}\t       2\t{number + 1.5} ns/op\n"
        one.path.write_text(text)
        results.append(one)
    planned = {one.trial.identity: 2 for one in results}
    parts = [tmp_path / "shard-0.txt", tmp_path / "shard-1.txt"]
    for part, own in zip(parts, (results[:2], results[2:]), strict=True):
        part.write_bytes(harness.merge(own, RunFacts(planned)))
    joined = tmp_path / "joined.txt"
    joined.write_bytes(harness.join(parts))
    assert joined.read_bytes() == harness.merge(results, RunFacts(planned))
    held = [identity for path in parts for identity in harness.measured(path)]
    assert [*load(joined)] == held == [*planned]


def shard(
    folder: Path,
    names: Sequence[str],
    part: str = "",
    *,
    script: dict[int, str] | None = None,
    cpu: str = "A processor",
    plan: str = plan_digest(PLAN),
    harness: str = "scripted",
    versions: tuple[str, ...] = ("base", "head"),
    only: str = "",
) -> Path:
    """Run some benchmarks of the scripted harness into a separate folder."""
    changes = {
        "plan": plan,
        "harness": harness,
        "described": ({"shard": part} if part else {}) | ({"only": only} if only else {}),
        "machine": Machine(cpu, "An os", 2, ""),
    }
    suite = workloads(names, [2] * len(names), versions)
    run(folder, ScriptedHarness(script), suite, changes=changes)
    return folder


def join(folders: Sequence[Path], out: Path, plan: Plan | None = None) -> Joined:
    return join_shards(folders, out, lambda _: ScriptedHarness(), plan)


def test_every_version_gets_one_file(tmp_path: Path) -> None:
    folders = [
        shard(tmp_path / "1", NAMES[:3], "1/2", cpu="Z processor"),
        shard(tmp_path / "2", NAMES[3:], "2/2", cpu="A processor"),
    ]
    out = tmp_path / "out"
    joined = join(folders, out, PLAN)
    assert joined == Joined((out / "base.json", out / "head.json"), ())
    for path in joined.files:
        data = json.loads(path.read_text())
        assert data["planned"] == dict.fromkeys(NAMES, 2)
        assert {entry[1] for entry in data["forks"]} == {path.stem}
        assert len(data["forks"]) == 8
    sidecar = (out / "environment.json").read_text()
    assert json.loads(sidecar) == {
        "steady_environment": 1, "cpu": "A processor; Z processor", "os": "An os",
    }  # fmt: skip
    # Their order is no difference between machines.
    join(folders[::-1], out, PLAN)
    assert (out / "environment.json").read_text() == sidecar


def test_a_killed_merge_leaves_no_apparently_complete_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [shard(tmp_path / f"{n}", NAMES[n : n + 1], f"{n + 1}/2") for n in range(2)]
    cut = [shard(tmp_path / "cut", NAMES[:1], script={0: "crash", 1: "crash"})]
    usual = {path.name: path.read_bytes() for path in (tmp_path / "cut").glob("*.json")}
    left = []
    for kill_at in range(1, 9):
        out, writes = tmp_path / f"out {kill_at}", iter(range(1, kill_at))
        join(whole, out)

        def written(path: Path, content: Any, own: Any = writes) -> Path:
            if next(own, None) is None:
                raise KeyboardInterrupt
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            return path

        with monkeypatch.context() as patch:
            patch.setattr("steady.engine.shards.write_bytes", written)
            patch.setattr("steady.engine.shards.write_text", written)
            try:
                join(cut, out)
            except KeyboardInterrupt:
                left.append({path.name for path in out.iterdir()})
            else:
                break
    assert usual.keys() >= {"environment.json", "head.json", "not-run.json"}
    assert left[0] == {"environment.json"}
    assert all("not-run.json" in names for names in left if "head.json" in names)
    assert sum("head.json" in names for names in left) <= 1
    assert {path.name for path in out.iterdir()} >= {"head.json", "not-run.json"}


def test_only_missing_parts_are_reported(tmp_path: Path) -> None:
    first = shard(tmp_path / "1", NAMES[:2], "1/3", script={0: "crash"})
    third = shard(tmp_path / "3", NAMES[3:], "3/3")
    assert join([first, third], tmp_path / "out", PLAN).gaps == (
        f"{first} is incomplete: some forks produced no result",
        "shard 2/3 is missing",
        f"no shard contains {NAMES[2]} of the plan",
    )
    narrowed = shard(tmp_path / "narrowed", NAMES[:2], "1/1", only="alpha|beta")
    assert join([narrowed], tmp_path / "out", PLAN).gaps == ()
    path = narrowed / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "outcome": None}))  # it was killed
    assert len(join([narrowed], tmp_path / "out").gaps) == 1
    for number, part in enumerate(("\u00b2/3", "1/", "one of three", "0/0", "1/99999999999")):
        none = shard(tmp_path / f"part-{number}", NAMES[:1], part)
        assert join([none], tmp_path / "out").gaps == (), part


def test_shards_of_different_runs_are_rejected(tmp_path: Path) -> None:
    first = shard(tmp_path / "first", NAMES[:2], "1/2")
    others = {
        "different plans": shard(tmp_path / "a", NAMES[2:], "2/2", plan=""),
        "different harnesses": shard(tmp_path / "b", NAMES[2:], "2/2", harness="go"),
        "different versions": shard(tmp_path / "c", NAMES[2:], "2/2", versions=("results",)),
        "different numbers of shards": shard(tmp_path / "d", NAMES[2:], "2/3"),
        "different expressions for --only": shard(tmp_path / "f", NAMES[2:], "2/2", only="a"),
        f"both contain '{NAMES[1]}'": shard(tmp_path / "e", NAMES[1:], "2/2"),
    }
    for message, other in others.items():
        with pytest.raises(InputError, match=message):
            join([first, other], tmp_path / "out")
    with pytest.raises(InputError, match="did not follow the plan"):
        join([others["different plans"]], tmp_path / "out", PLAN)
    assert not (tmp_path / "out").exists()


def test_only_folders_of_runs_are_joined_into_a_new_one(tmp_path: Path) -> None:
    first = shard(tmp_path / "first", NAMES)
    for again in (first, first.parent / "x" / ".." / "first"):
        (first.parent / "x").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=r"first: is given twice; give each shard once"):
            join([first, again], tmp_path / "out")
    with pytest.raises(InputError, match=r"nowhere: does not contain run\.json"):
        join([tmp_path / "nowhere"], tmp_path / "out")
    with pytest.raises(InputError, match="is the folder of a run itself"):
        join([first], first)
    (first / "run.json").write_text("{}")
    with pytest.raises(InputError, match="expected the header of a run"):
        join([first], tmp_path / "out")
