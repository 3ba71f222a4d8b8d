"""Objects of JSON files that have the fields of a value type, which is declared once."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

from msgspec import Struct, defstruct

Table = TypeVar("Table", bound=Struct)


def fields_of(
    kind: type[Any], limits: Mapping[Any, Any], *, complete: bool = False, **own: Any
) -> Callable[[type[Table]], type[Table]]:
    """Return a decorator that gives an object of a file the fields of a dataclass.

    A file refuses unknown fields, and has limits of its own. So it needs a `msgspec.Struct`; names,
    order, types and defaults are those of the dataclass.

    Parameters
    ----------
    kind : type
        The dataclass.
    limits : mapping of type to type
        Types that have limits in the file: ``{int: Annotated[int, Meta(ge=0)]}``.
    complete : bool
        Whether every field stands in the file, those with a default as well.
    **own
        Types of single fields, in place of those by `limits`.
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
