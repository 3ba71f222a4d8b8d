"""Many cases of one test as a loop: what pytest does for a test of its own takes longer."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def looped(
    names: str | tuple[str, ...], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for each case, as `pytest.mark.parametrize` does, but within one test.

    The case that fails is a note below its error. Only for tests that share nothing which one
    of them changes, such as `tmp_path`.
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
