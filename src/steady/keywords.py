"""Keywords of a public function that a frozen class declares, each with its default.

Inside, such a function passes one value on. Outside, its keywords are written and shown as if they
stood in its own signature.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import Parameter, signature
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., object])


def keywords_of(options: type[Any]) -> Callable[[Function], Function]:
    """Return a decorator that shows the fields of a dataclass in place of ``**keywords``.

    Parameters
    ----------
    options : type
        The dataclass. `help`, notebooks and ``docs/api.md`` show its names, types and defaults.
    """

    def show(function: Function) -> Function:
        given = signature(function)
        own = [p for p in given.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        declared = [
            Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.default is MISSING else field.default,
                annotation=field.type,
            )
            for field in fields(options)
        ]
        shown = given.replace(parameters=[*own, *declared])
        function.__signature__ = shown  # type: ignore[attr-defined]
        return function

    return show
