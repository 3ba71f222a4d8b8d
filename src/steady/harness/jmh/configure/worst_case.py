"""One configuration for several benchmarks that a harness can only run alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple

from steady.model import ExecutionConfiguration


def worst_case(configurations: Iterable[ExecutionConfiguration]) -> ExecutionConfiguration:
    """Return the smallest configuration that covers all of `configurations`.

    Every field is the largest of its kind, so that no benchmark gets fewer forks, fewer or
    shorter iterations, or a shorter warm-up than its plan says.

    Parameters
    ----------
    configurations : iterable of ExecutionConfiguration
        At least one.

    Returns
    -------
    ExecutionConfiguration
        The same one if all are equal.
    """
    columns = zip(*(astuple(configuration) for configuration in configurations), strict=True)
    return ExecutionConfiguration(*(max(column) for column in columns))
