import math
from collections.abc import Callable
from typing import Any

import pytest

from steady.compare import RULES
from steady.compare.rule import Rule
from steady.errors import UnknownNameError
from steady.optimize import STRATEGIES
from steady.registry import OnRequest, Registered, Registry
from steady.similarity import METHODS as SIMILARITY
from steady.stats import METRICS
from steady.steadystate import METHODS, ONLINE
from tests.looped import looped

CV, RMAD = (Registered(name, "s", "p", number) for name, number in (("cv", 1), ("rmad", 2)))


def test_entries_keep_their_order_and_are_found_by_name() -> None:
    table = Registry("metric", CV, RMAD)
    assert list(table) == ["cv", "rmad"]
    assert table["rmad"].value == 2
    assert None not in table
    for name in ("", "CV", None, ["cv"]):
        with pytest.raises(UnknownNameError, match=r"unknown metric .*; expected one of: cv, rmad"):
            table[name]  # type: ignore[index]


def test_what_is_imported_on_request_is_the_thing_itself() -> None:
    entry: Registered[Callable[[float], float]] = Registered(
        "root", "s", "p", OnRequest("math:sqrt")
    )
    assert entry.value is math.sqrt
    broken: Registered[object] = Registered("none", "s", "p", OnRequest("steady.nowhere:none"))
    with pytest.raises(ModuleNotFoundError):
        _ = broken.value


def test_further_entries_are_fetched_once_and_when_the_table_is_read() -> None:
    calls = []

    def further() -> list[Registered[int]]:
        calls.append(1)
        return [RMAD]

    table = Registry("metric", CV, further=further)
    assert not calls
    assert list(table) == ["cv", "rmad"]
    assert table["rmad"].value == len(table) == 2
    assert len(calls) == 1


def test_two_entries_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match="share a name"):
        Registry("metric", CV, CV)
    with pytest.raises(ValueError, match="share a name"):
        len(Registry("metric", CV, further=lambda: [CV]))


REGISTRIES: list[Registry[Any]] = [METHODS, SIMILARITY, METRICS, STRATEGIES, RULES]


@looped("registry", [*REGISTRIES, ONLINE])
def test_what_every_entry_names_is_there(registry: Registry[Any]) -> None:
    assert all(
        (callable(entry.value) or isinstance(entry.value, Rule)) and entry.summary and entry.source
        for entry in registry.values()
    )


@looped("registry", REGISTRIES)
def test_what_runs_by_default_comes_first(registry: Registry[Any]) -> None:
    late = [isinstance(entry.held, OnRequest) for entry in registry.values()]
    assert late == sorted(late)
