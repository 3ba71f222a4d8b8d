"""One name for each benchmark in base, head, plan and earlier runs.

The name of a benchmark may depend on the other benchmarks of its file. A reader sees one file, so
names are aligned here, where both are known.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from steady.harnesses import harness_named
from steady.model import ByIdentity, Identity, SameCode, Suite
from steady.model.by_name import Identified

Names = Mapping[Identity, Identity]
"""The aligned names of benchmarks, by those of their files."""

_Entry = TypeVar("_Entry", bound=Identified)
_Plan = TypeVar("_Plan", bound=ByIdentity[Any])


def renames(base: Suite, head: Suite) -> Names:
    """Return the aligned names of benchmarks whose names differ between the files.

    Names that another benchmark of the same run has already are left out.
    """
    find = harness_named(head.harness).renames
    if find is None or base.harness != head.harness:
        return {}
    sides = (frozenset(base), frozenset(head))
    return {
        old: new
        for old, new in find(base, head).items()
        if not any(old in side and new in side for side in sides)
    }


def renamed(suite: Suite, names: Names) -> Suite:
    """Return a suite with other names for some of its benchmarks."""
    same = suite.same_code
    kinds = (same.not_measured, same.controls, same.far)
    return replace(
        suite,
        benchmarks=_renamed(suite.benchmarks, names),
        failures=_renamed(suite.failures, names),
        not_run=_renamed(suite.not_run, names),
        same_code=SameCode(*(tuple(names.get(one, one) for one in kind) for kind in kinds)),
    )


def renamed_plan(plan: _Plan, names: Names) -> _Plan:
    """Return a plan with other names for some of its benchmarks."""
    return replace(plan, benchmarks=_renamed(plan.benchmarks, names))  # type: ignore[type-var]


def _renamed(entries: tuple[_Entry, ...], names: Names) -> tuple[_Entry, ...]:
    return tuple(
        replace(one, identity=names[one.identity]) if one.identity in names else one  # type: ignore[type-var]
        for one in entries
    )
