"""Cases of one test as a loop, which is faster than parametrization by pytest."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def looped(
    names: str | tuple[str, ...], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for each case, like `pytest.mark.parametrize`, but as one test.

    The error of a failing case has a note with the case. Cases must not modify a shared fixture,
    such as `tmp_path`.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    rows = [dict(zip(keys, case if len(keys) > 1 else [case], strict=True)) for case in cases]
    assert rows, "a test without cases proves nothing"

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def of_all(*others: Any, **given: Any) -> None:
            for row in rows:
                try:
                    test(*others, **given, **row)
                except BaseException as error:
                    error.add_note(f"in this case: {row!r}")
                    raise

        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in keys]
        of_all.__dict__["__signature__"] = signature.replace(parameters=kept)
        return of_all

    return decorated
