"""The freshness of a plan, the command to make it again, and the update with a part."""

import shlex
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from steady.errors import InputError
from steady.harness.go.run.listing_patterns import patterns
from steady.harness.only import Only, only_these
from steady.model import Environment, ExecutionConfiguration, FloatArray, Identity, Suite
from steady.optimize import STRATEGIES, Plan, plan_from_json, plan_to_json, update_plan
from steady.optimize.freshness import OLDEST_DAYS, check_freshness
from steady.optimize.making_again import OPTIONS, replan_command
from steady.optimize.strategies import make_strategy
from steady.options.parser import forgiven, parse
from steady.plan.suite_plan import Status
from tests.optimize.small_plans import benchmark, plan_of, planned

FORKS, ITERATIONS, ERROR = 5, 10, 0.02


def reduced(count: int, status: Status = "reduced", error: float | None = ERROR) -> Plan:
    run = ExecutionConfiguration(FORKS, 5, ITERATIONS, 1, 1)
    told: dict[str, Any] = {"status": status, "expected_error": error}
    return Plan(tuple(planned(f"b{n}", run, **told) for n in range(count)), "error-budget")


def suite_of(tables: FloatArray, unit: str = "ns/op", warmup: int = 0) -> Suite:
    forks = (benchmark(t, unit, f"b{n}", warmup=warmup) for n, t in enumerate(tables))
    return Suite(tuple(forks))


def settled(
    random: np.random.Generator, count: int, fork_spread: float = ERROR * np.sqrt(FORKS)
) -> FloatArray:
    """Forks with the expected error, shape (benchmarks, forks, iterations)."""
    forks = fork_spread * random.standard_normal((count, FORKS, 1))
    return np.exp(forks + 0.02 * random.standard_normal((count, FORKS, ITERATIONS)))


def test_a_suite_as_planned_is_called_unsettled_in_one_comparison_of_a_hundred() -> None:
    random = np.random.default_rng(1)
    plan = reduced(50)
    runs = [
        check_freshness(plan, [suite_of(settled(random, 50)), suite_of(settled(random, 50))])
        for _ in range(100)
    ]
    assert all(run.checked == 50 for run in runs)
    assert sum(run.again != "nothing" for run in runs) <= 4


def test_a_benchmark_that_still_warms_up_drifts() -> None:
    rise, fall = np.linspace(1, 1.3, ITERATIONS), np.linspace(1.3, 1, ITERATIONS)
    for unit, trend in (("ns/op", fall), ("ops/s", rise)):
        tables = settled(np.random.default_rng(2), 20)
        tables[7] *= trend
        found = check_freshness(reduced(20), [suite_of(tables, unit)])
        assert (found.drifting, found.unstable) == ((Identity("b7"),), ())
        assert found.again == "some"
    # Warm-up iterations can get faster.
    tables = settled(np.random.default_rng(3), 20)
    tables[:, :, :3] *= 5
    assert check_freshness(reduced(20), [suite_of(tables, warmup=3)]).again == "nothing"


def test_a_benchmark_whose_forks_part_is_unstable() -> None:
    random = np.random.default_rng(4)
    tables = settled(random, 20)
    tables[3] = settled(random, 1, fork_spread=1.0)[0]
    found = check_freshness(reduced(20), [suite_of(tables)])
    assert (found.drifting, found.unstable) == ((), (Identity("b3"),))
    # Without an expected error, only drift is checked.
    assert check_freshness(reduced(20, error=None), [suite_of(tables)]).unstable == ()


def test_many_unsettled_benchmarks_are_the_whole_suite_and_new_ones_stand_alone() -> None:
    tables = settled(np.random.default_rng(6), 20)
    falling = suite_of(tables * np.linspace(1.3, 1, ITERATIONS))
    assert check_freshness(reduced(20), [falling]).again == "all"
    found = check_freshness(reduced(19), [suite_of(tables)])
    assert (found.unplanned, found.again) == ((Identity("b19"),), "some")


def test_an_old_plan_is_made_anew() -> None:
    fine = suite_of(settled(np.random.default_rng(8), 3))
    made = date(2026, 1, 1)
    for days, again in ((OLDEST_DAYS - 1, "nothing"), (OLDEST_DAYS, "all")):
        today = made + timedelta(days)
        found = check_freshness(reduced(3), [fine], planned_on=made, today=today)
        assert (found.age_days, found.again) == (days, again)
    old = check_freshness(reduced(3), [fine], planned_on=made, today=date(2026, 11, 21))
    assert old.advice == (
        "The plan is 324 days old.",
        "Optimise the whole suite again: `steady run --full 5x15 --jar benchmarks.jar "
        "--iteration-seconds 1 --out full && steady optimize full --jar benchmarks.jar`.",
    )


def test_unknown_states_are_not_reported() -> None:
    falling = np.ones((3, FORKS, ITERATIONS)) * np.linspace(2, 1, ITERATIONS)
    for plan, tables in (
        (reduced(3, "full"), falling),
        (reduced(3), falling[:, :2]),  # two forks
        (reduced(3), falling[:, :, :3]),  # three iterations
        (reduced(3), np.full((3, FORKS, ITERATIONS), np.nan)),
        (reduced(3), np.zeros((3, FORKS, ITERATIONS))),
    ):
        found = check_freshness(plan, [suite_of(tables)])
        assert (found.checked, found.again) == (0, "nothing")
    assert check_freshness(reduced(3), []).again == "nothing"


def test_the_advice_names_benchmarks_and_commands() -> None:
    tables = settled(np.random.default_rng(10), 20)
    tables[2:6] *= np.linspace(1.3, 1, ITERATIONS)
    plan = reduced(19)
    assert check_freshness(plan, [suite_of(tables)]).advice == (
        "4 benchmarks are no longer steady when the plan measures them (b2, b3, b4 and 1 more).",
        "1 benchmark is not in the plan (b19).",
        "Optimise these again: `steady run --full 5x15 --jar benchmarks.jar "
        "--only 'b2|b3|b4|b5|b19' --iteration-seconds 1 --out full && "
        "steady optimize full --jar benchmarks.jar --update`.",
    )
    assert check_freshness(plan, [suite_of(tables[:2])]).advice == ()


def parsed(command: str) -> Mapping[str, object]:
    """Return the options of the second of two commands; the first must be valid too."""
    words = shlex.split(command)
    middle = words.index("&&")
    assert words[0] == words[middle + 1] == "steady"
    run, make = words[1:middle], words[middle + 2 :]
    assert getattr(parse(forgiven(run)), "full", None) == (5, 60)
    return vars(parse(make))


def test_the_whole_plan_and_some_of_its_benchmarks() -> None:
    plan = plan_of(["a.B.c", "a.B.d"])
    run = "steady run --full 5x60 --jar benchmarks.jar"
    assert replan_command(plan) == (
        f"{run} --iteration-seconds 0.1 --out full && steady optimize full --jar benchmarks.jar"
    )
    assert replan_command(replace(plan, harness="go"), [Identity("a.B.d")]) == (
        "steady run benchmarks --full 5x60 --only 'a\\.B\\.d' --iteration-seconds 0.1 --out full "
        "&& steady optimize full --update"
    )
    assert replan_command(plan_of([])).startswith(run)


def test_a_plan_of_a_part_of_the_suite_stays_one() -> None:
    words = shlex.split(replan_command(plan_of(["a.B.c"], only="B|C (x)")))
    assert words[words.index("--only") + 1] == "B|C (x)"
    assert "--only" not in replan_command(plan_of(["a.B.c"], only="`id`"))


def test_it_is_planned_as_before() -> None:
    common = {"min_forks": 4, "unsteady": "reduce", "detector": "georges"}
    made: tuple[tuple[str, dict[str, Any]], ...] = (
        ("error-budget", {"budget": 0.015, "time_budget": 900.0}),
        ("detect", {"detect": 0.05, "min_change": 0.03}),
        ("detect", {"detect": 0.1, "min_change": 0.055, "power": 0.9, "confidence": 0.995}),
        ("uoptime", {"threshold": 0.03, "metric": "cv", "confidence": 0.95}),
    )
    for strategy, options in made:
        held = {**common, **vars_of(make_strategy(strategy, **options))}
        given = parsed(replan_command(plan_of(["a.B.c"], strategy, options=held)))
        usual = vars_of(make_strategy(strategy))
        chosen = {n: usual[n] if given[n] is None else given[n] for n in options}
        assert chosen == pytest.approx(options)
        assert {name: given[name] for name in common} == common
        assert given["strategy"] == ("uoptime" if strategy == "uoptime" else None)


def vars_of(strategy: object) -> dict[str, object]:
    return {name: getattr(strategy, name) for name in strategy.__slots__}  # type: ignore[attr-defined]


def test_every_option_of_a_plan_is_one_of_the_command() -> None:
    given = vars(parse(["optimize", "x"]))
    assert set(OPTIONS) <= set(given)
    kinds: list[Any] = [entry.value for entry in STRATEGIES.values()]
    own = {field.name for kind in kinds for field in fields(kind)}
    assert own - set(OPTIONS) == {"resamples", "seed"}, "the command cannot say them"
    # Defaults are omitted.
    usual = {n: given[n] for n in ("detector", "similarity", "startup_seconds", "unsteady")}
    assert replan_command(plan_of("a", options=usual)) == replan_command(plan_of("a"))


def test_untrusted_text_is_omitted() -> None:
    names = ["a`id`", "$(id)", "a b", "x" * 130, "a\n", ""]
    for name in names:
        assert only_these([Identity(name)]) is None
    plan = plan_of("a", options={"detector": "`id`", "metric": "a b", "min_forks": "1;id"})
    assert replan_command(plan) == replan_command(plan_of("a"))
    assert "--strategy" not in replan_command(plan_of("a", "`id`"))


GO = ("github.com/go-chi/chi.BenchmarkMux", "a/b.BenchmarkX/size=8", "BenchmarkTop/n=1.5")


def test_benchmarks_of_go_are_named_and_many_by_their_packages_or_classes() -> None:
    for name in GO:
        text = only_these([Identity(name)])
        assert text is not None
        assert Only(text).wants(Identity(name))
        assert not Only(text).wants(Identity("a/c.BenchmarkOther"))
        assert "--only" in replan_command(plan_of([name], harness="go"), [Identity(name)])
    names = [f"example.com/a-b.BenchmarkGet/ratio={n}.5" for n in range(5)]
    assert only_these(map(Identity, names)) == r"example\.com/a\-b\."
    others = [*names, "example.com/c.BenchmarkPut"]
    assert only_these(map(Identity, others)) == r"example\.com/a\-b\.|example\.com/c\."
    names = [f"org.{kind}.m{number}" for kind in ("A", "B") for number in range(3)]
    assert only_these(map(Identity, names)) == r"org\.A\.|org\.B\."


def test_go_runs_exactly_these_benchmarks() -> None:
    chi = "github.com/go-chi/chi"
    tops = {chi: ["BenchmarkMux", "BenchmarkTree"], "x/y": ["BenchmarkGet", "BenchmarkPut"]}
    only = Only(str(only_these([Identity(GO[0]), Identity("x/y.BenchmarkGet/size=8")])))
    assert set(patterns(only, tops, 1)) == {(chi, "BenchmarkMux"), ("x/y", "BenchmarkGet")}


def part_of(names: str, seconds: float, jdk: str = "17", **more: Any) -> Plan:
    told = {"options": {"budget": 0.03}, "data_digest": "0" * 64} | more
    entries = tuple(planned(name, seconds=seconds) for name in names)
    strategy = told.pop("strategy", "error-budget")
    return Plan(entries, strategy, environments=(Environment(jdk=jdk),), **told)


def test_a_part_replaces_its_benchmarks() -> None:
    updated = update_plan(part_of("abc", 1), part_of("db", 2, jdk="21"))
    told = [(entry.identity.name, entry.seconds) for entry in updated.benchmarks]
    assert told == [("a", 1), ("b", 2), ("c", 1), ("d", 2)]
    assert [environment.jdk for environment in updated.environments] == ["17", "21"]
    assert plan_from_json(plan_to_json(updated)) is not None
    # The digest covers both sources.
    whole, parts = part_of("ab", 1), [part_of("b", 2, data_digest=n * 64) for n in "01"]
    digests = {update_plan(whole, part).data_digest for part in parts}
    assert len(digests) == 2
    assert whole.data_digest not in digests


def test_plans_made_otherwise_are_not_mixed() -> None:
    for changes, what in (
        ({"strategy": "uoptime"}, "strategy error-budget, not uoptime"),
        ({"options": {"budget": 0.05}}, "budget 0.03, not 0.05"),
        ({"options": {}}, "budget 0.03, not None"),
        ({"harness": "go"}, "harness jmh, not go"),
        ({"options": {"budget": 0.03, "min_forks": 1}}, "min_forks None, not 1"),
    ):
        with pytest.raises(InputError, match=what):
            update_plan(part_of("ab", 1), part_of("b", 2, **changes))
