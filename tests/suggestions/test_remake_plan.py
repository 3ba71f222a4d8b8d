"""Commands that replace an outdated plan, and their reasons."""

import shlex
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date
from typing import Any

import numpy as np
import pytest

from steady.harness.go.bench_pattern import patterns
from steady.harness.only import Only, only_these
from steady.model import Identity
from steady.optimize import STRATEGIES
from steady.optimize.freshness import check_freshness
from steady.optimize.strategy import make_strategy
from steady.options.parser import corrected, parse
from steady.suggestions.remake_plan import OPTIONS, remake_plan, suggest_for_stale_plan
from tests.optimize.small_plans import plan_of
from tests.optimize.test_freshness import ITERATIONS, reduced, settled, suite_of


def test_an_old_plan_is_replaced_completely() -> None:
    fine = suite_of(settled(np.random.default_rng(8), 3))
    made = date(2026, 1, 1)
    old = check_freshness(reduced(3), [fine], planned_on=made, today=date(2026, 11, 21))
    assert tuple(suggest_for_stale_plan(old)) == (
        "The plan is 324 days old.",
        "Optimise the whole suite again: `steady run --full 5x15 --jar benchmarks.jar "
        "--iteration-seconds 1 --out full && steady optimize full --jar benchmarks.jar`.",
    )


def test_each_reason_has_a_sentence_and_partial_plans_are_suggested() -> None:
    tables = settled(np.random.default_rng(10), 20)
    tables[2:6] *= np.linspace(1.3, 1, ITERATIONS)
    plan = reduced(19)
    assert tuple(suggest_for_stale_plan(check_freshness(plan, [suite_of(tables)]))) == (
        "4 benchmarks are no longer steady when the plan measures them (b2, b3, b4 and 1 more).",
        "1 benchmark is not in the plan (b19).",
        "Optimise these again: `steady run --full 5x15 --jar benchmarks.jar "
        "--only 'b2|b3|b4|b5|b19' --iteration-seconds 1 --out full && "
        "steady optimize full --jar benchmarks.jar --update`.",
    )
    assert not [*suggest_for_stale_plan(check_freshness(plan, [suite_of(tables[:2])]))]


def parsed(command: str) -> Mapping[str, object]:
    """Return the arguments of the second command, and check that the first is valid."""
    words = shlex.split(command)
    middle = words.index("&&")
    assert words[0] == words[middle + 1] == "steady"
    run, make = words[1:middle], words[middle + 2 :]
    assert getattr(parse(corrected(run)), "full", None) == (5, 60)
    return vars(parse(make))


def test_commands_for_the_whole_plan_and_for_some_benchmarks() -> None:
    plan = plan_of(["a.B.c", "a.B.d"])
    run = "steady run --full 5x60 --jar benchmarks.jar"
    assert remake_plan(plan) == (
        f"{run} --iteration-seconds 0.1 --out full && steady optimize full --jar benchmarks.jar"
    )
    assert remake_plan(replace(plan, harness="go"), [Identity("a.B.d")]) == (
        "steady run benchmarks --full 5x60 --only 'a\\.B\\.d' --iteration-seconds 0.1 --out full "
        "&& steady optimize full --update"
    )
    assert remake_plan(plan_of([])).startswith(run)


def test_a_plan_of_part_of_the_suite_stays_partial() -> None:
    words = shlex.split(remake_plan(plan_of(["a.B.c"], only="B|C (x)")))
    assert words[words.index("--only") + 1] == "B|C (x)"
    assert "--only" not in remake_plan(plan_of(["a.B.c"], only="`id`"))


def test_the_options_of_the_plan_are_repeated() -> None:
    common = {"min_forks": 4, "unsteady": "reduce", "detector": "georges"}
    made: tuple[tuple[str, dict[str, Any]], ...] = (
        ("error-budget", {"budget": 0.015, "time_budget": 900.0}),
        ("detect", {"detect": 0.05, "min_change": 0.03}),
        ("detect", {"detect": 0.1, "min_change": 0.055, "power": 0.9, "confidence": 0.995}),
        ("uoptime", {"threshold": 0.03, "metric": "cv", "confidence": 0.95}),
    )
    for strategy, options in made:
        held = {**common, **vars_of(make_strategy(strategy, **options))}
        given = parsed(remake_plan(plan_of(["a.B.c"], strategy, options=held)))
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
    # Defaults need not be said.
    usual = {n: given[n] for n in ("detector", "similarity", "startup_seconds", "unsteady")}
    assert remake_plan(plan_of("a", options=usual)) == remake_plan(plan_of("a"))


def test_untrusted_options_are_omitted() -> None:
    names = ["a`id`", "$(id)", "a b", "x" * 130, "a\n", ""]
    for name in names:
        assert only_these([Identity(name)]) is None
    plan = plan_of("a", options={"detector": "`id`", "metric": "a b", "min_forks": "1;id"})
    assert remake_plan(plan) == remake_plan(plan_of("a"))
    assert "--strategy" not in remake_plan(plan_of("a", "`id`"))


GO = ("github.com/go-chi/chi.BenchmarkMux", "a/b.BenchmarkX/size=8", "BenchmarkTop/n=1.5")


def test_benchmarks_are_selected_by_name_package_or_class() -> None:
    for name in GO:
        text = only_these([Identity(name)])
        assert text is not None
        assert Only(text).wants(Identity(name))
        assert not Only(text).wants(Identity("a/c.BenchmarkOther"))
        assert "--only" in remake_plan(plan_of([name], harness="go"), [Identity(name)])
    names = [f"example.com/a-b.BenchmarkGet/ratio={n}.5" for n in range(5)]
    assert only_these(map(Identity, names)) == r"example\.com/a\-b\."
    others = [*names, "example.com/c.BenchmarkPut"]
    assert only_these(map(Identity, others)) == r"example\.com/a\-b\.|example\.com/c\."
    names = [f"org.{kind}.m{number}" for kind in ("A", "B") for number in range(3)]
    assert only_these(map(Identity, names)) == r"org\.A\.|org\.B\."


def test_selections_match_those_of_go() -> None:
    chi = "github.com/go-chi/chi"
    tops = {chi: ["BenchmarkMux", "BenchmarkTree"], "x/y": ["BenchmarkGet", "BenchmarkPut"]}
    only = Only(str(only_these([Identity(GO[0]), Identity("x/y.BenchmarkGet/size=8")])))
    assert set(patterns(only, tops, 1)) == {(chi, "BenchmarkMux"), ("x/y", "BenchmarkGet")}
