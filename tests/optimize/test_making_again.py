"""A plan again: the command that makes it, and a part of it that is put in its place."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest

from steady.errors import InputError
from steady.harness.go.run.listing_patterns import patterns
from steady.harness.only import Only, only_these
from steady.model import Environment, Identity
from steady.optimize import STRATEGIES, Plan, plan_from_json, plan_to_json, update_plan
from steady.optimize.making_again import OPTIONS, made_again
from steady.optimize.strategies import make_strategy
from steady.options.parser import parse
from tests.optimize.small_plans import plan_of, planned


def parsed(command: str) -> Mapping[str, object]:
    """Return what the second of two commands is given; the first one has to be valid too."""
    words = shlex.split(command)
    middle = words.index("&&")
    assert words[0] == words[middle + 1] == "steady"
    run, make = words[1:middle], words[middle + 2 :]
    assert getattr(parse(run), "full", None) == (5, 60)
    return vars(parse(make))


def test_the_whole_plan_and_some_of_its_benchmarks() -> None:
    plan = plan_of(["a.B.c", "a.B.d"])
    run = "steady run --full 5x60 --jar benchmarks"
    assert made_again(plan) == (
        f"{run}.jar --iteration-seconds 0.1 --out full && steady optimize full --jar benchmarks.jar"
    )
    assert made_again(replace(plan, harness="go"), [Identity("a.B.d")]) == (
        f"{run} --only 'a\\.B\\.d' --iteration-seconds 0.1 --out full && "
        "steady optimize full --update"
    )
    assert made_again(plan_of([])).startswith(f"{run}.jar")


def test_a_plan_of_a_part_of_the_suite_stays_one() -> None:
    words = shlex.split(made_again(plan_of(["a.B.c"], only="B|C (x)")))
    assert words[words.index("--only") + 1] == "B|C (x)"
    assert "--only" not in made_again(plan_of(["a.B.c"], only="`id`"))


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
        given = parsed(made_again(plan_of(["a.B.c"], strategy, options=held)))
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
    assert made_again(plan_of("a", options=usual)) == made_again(plan_of("a"))


def test_what_a_stranger_wrote_is_left_out() -> None:
    names = ["a`id`", "$(id)", "a b", "x" * 130, "a\n", ""]
    for name in names:
        assert only_these([Identity(name)]) is None
    plan = plan_of("a", options={"detector": "`id`", "metric": "a b", "min_forks": "1;id"})
    assert made_again(plan) == made_again(plan_of("a"))
    assert "--strategy" not in made_again(plan_of("a", "`id`"))


GO = ("github.com/go-chi/chi.BenchmarkMux", "a/b.BenchmarkX/size=8", "BenchmarkTop/n=1.5")


def test_benchmarks_of_go_are_named_and_many_by_their_packages_or_classes() -> None:
    for name in GO:
        text = only_these([Identity(name)])
        assert text is not None
        assert Only(text).wants(Identity(name))
        assert not Only(text).wants(Identity("a/c.BenchmarkOther"))
        assert "--only" in made_again(plan_of([name], harness="go"), [Identity(name)])
    names = [f"example.com/a-b.BenchmarkGet/ratio={n}.5" for n in range(5)]
    assert only_these(map(Identity, names)) == r"example\.com/a\-b\."
    others = [*names, "example.com/c.BenchmarkPut"]
    assert only_these(map(Identity, others)) == r"example\.com/a\-b\.|example\.com/c\."
    names = [f"org.{kind}.m{number}" for kind in ("A", "B") for number in range(3)]
    assert only_these(map(Identity, names)) == r"org\.A\.|org\.B\."


def test_what_go_itself_runs_of_them() -> None:
    chi = "github.com/go-chi/chi"
    tops = {chi: ["BenchmarkMux", "BenchmarkTree"], "x/y": ["BenchmarkGet", "BenchmarkPut"]}
    only = Only(str(only_these([Identity(GO[0]), Identity("x/y.BenchmarkGet/size=8")])))
    assert set(patterns(only, tops, 1)) == {(chi, "BenchmarkMux"), ("x/y", "BenchmarkGet")}


def part_of(names: str, seconds: float, jdk: str = "17", **more: Any) -> Plan:
    told = {"options": {"budget": 0.03}, "data_digest": "0" * 64} | more
    entries = tuple(planned(name, seconds=seconds) for name in names)
    strategy = told.pop("strategy", "error-budget")
    return Plan(entries, strategy, environments=(Environment(jdk=jdk),), **told)


def test_a_part_takes_the_place_of_what_it_holds() -> None:
    updated = update_plan(part_of("abc", 1), part_of("db", 2, jdk="21"))
    told = [(entry.identity.name, entry.seconds) for entry in updated.benchmarks]
    assert told == [("a", 1), ("b", 2), ("c", 1), ("d", 2)]
    assert [environment.jdk for environment in updated.environments] == ["17", "21"]
    assert plan_from_json(plan_to_json(updated)) is not None
    # The digest tells both sources.
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
