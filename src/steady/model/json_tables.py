"""JSON objects whose fields are derived from a dataclass."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

from msgspec import Struct, defstruct

Table = TypeVar("Table", bound=Struct)


def fields_of(
    kind: type[Any], limits: Mapping[Any, Any], *, complete: bool = False, **own: Any
) -> Callable[[type[Table]], type[Table]]:
    """Return a class decorator that adds the fields of a dataclass to a JSON object.

    JSON objects reject unknown fields and limit values, which requires a `msgspec.Struct`. Names,
    order, types and defaults of the fields are those of the dataclass.

    Parameters
    ----------
    kind : type
        The dataclass.
    limits : mapping of type to type
        Types to replace by types with limits: ``{int: Annotated[int, Meta(ge=0)]}``.
    complete : bool
        Whether all fields are required, including those with a default.
    **own
        Types of individual fields; they take precedence over `limits`.
    """
    known = get_type_hints(kind)
    types = {one.name: limits.get(known[one.name], known[one.name]) for one in fields(kind)} | own
    defaults = {one.name: one.default for one in fields(kind) if one.default is not MISSING}
    declared = [
        (name, typed) if complete or name not in defaults else (name, typed, defaults[name])
        for name, typed in types.items()
    ]

    def decorate(table: type[Table]) -> type[Table]:
        made: type[Any] = defstruct(
            table.__name__,
            declared,
            bases=(table,),
            namespace={"__doc__": table.__doc__},
            module=table.__module__,
            kw_only=True,
        )
        return made

    return decorate
