"""JSON objects whose fields are derived from dataclasses."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta, Struct

from steady.model.json_tables import fields_of


@dataclass(frozen=True, slots=True)
class Run:
    """A dataclass."""

    forks: int
    seconds: float
    names: tuple[str, ...] = ()
    batch: int = 1


Count = Annotated[int, Meta(ge=0)]


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    pass


@fields_of(Run, {int: Count}, batch=Annotated[int, Meta(ge=1)])
class RunTable(_Table, frozen=True):
    """A run."""


@fields_of(Run, {}, complete=True)
class CompleteTable(_Table, frozen=True):
    """A run with all fields."""


def read(table: type[Any], **fields: Any) -> Run:
    return Run(**msgspec.structs.asdict(msgspec.convert(fields, table)))


def test_names_order_and_defaults_equal_those_of_the_dataclass() -> None:
    assert RunTable.__struct_fields__ == ("forks", "seconds", "names", "batch")
    assert (RunTable.__name__, RunTable.__doc__) == ("RunTable", "A run.")
    assert read(RunTable, forks=3, seconds=1.0) == Run(3, 1.0)
    assert read(RunTable, forks=3, seconds=1.0, names=["a"], batch=2) == Run(3, 1.0, ("a",), 2)


def test_limits_and_unknown_fields_are_checked() -> None:
    for fields, problem in (
        ({"forks": -1}, "`int` >= 0 - at `$.forks`"),
        ({"batch": 0}, "`int` >= 1 - at `$.batch`"),
        ({"turns": 1}, "unknown field `turns`"),
        ({"names": "a"}, "`array`, got `str` - at `$.names`"),
    ):
        with pytest.raises(msgspec.ValidationError, match=problem.replace("$.", r"\$\.")):
            read(RunTable, **{"forks": 1, "seconds": 1.0, **fields})


def test_complete_objects_have_no_defaults() -> None:
    assert read(CompleteTable, forks=-1, seconds=1.0, names=[], batch=1) == Run(-1, 1.0)
    with pytest.raises(msgspec.ValidationError, match="missing required field `batch`"):
        read(CompleteTable, forks=1, seconds=1.0, names=[])
