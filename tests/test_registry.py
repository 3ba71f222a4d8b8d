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


def test_lazy_entries_return_the_imported_object() -> None:
    entry: Registered[Callable[[float], float]] = Registered(
        "root", "s", "p", OnRequest("math:sqrt")
    )
    assert entry.value is math.sqrt
    broken: Registered[object] = Registered("none", "s", "p", OnRequest("steady.nowhere:none"))
    with pytest.raises(ModuleNotFoundError):
        _ = broken.value


def test_additional_entries_are_loaded_once_on_first_access() -> None:
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
def test_every_entry_can_be_imported(registry: Registry[Any]) -> None:
    assert all(
        (callable(entry.value) or isinstance(entry.value, Rule)) and entry.summary and entry.source
        for entry in registry.values()
    )


@looped("registry", REGISTRIES)
def test_the_default_is_the_first_entry(registry: Registry[Any]) -> None:
    late = [isinstance(entry.held, OnRequest) for entry in registry.values()]
    assert late == sorted(late)
