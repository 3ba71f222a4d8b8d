"""The two results that a command compares: two words, or given by ``--base`` and ``--head``."""

from dataclasses import replace
from typing import TypeVar

from steady.errors import InputError
from steady.options.compare_options import Comparing
from steady.suggestions.two_results import SIDES, both_results, suggest_for_one_result

ComparingT = TypeVar("ComparingT", bound=Comparing)


def settled(arguments: ComparingT) -> ComparingT:
    """Return the command with the results of each side as its base and head.

    Raises
    ------
    InputError
        If it is not clear which two results are meant; the message says what to type.
    """
    pair = arguments.pair
    if pair and (arguments.base or arguments.head):
        raise InputError("give two results as OLD NEW, or by --base and --head, but not both")
    if pair:
        base, head = _of_words(pair)
        return replace(arguments, pair=(), base=base, head=head)
    if not (arguments.base and arguments.head):
        missing = " and ".join(f"--{side}" for side in SIDES if not getattr(arguments, side))
        raise InputError(
            "give two results, as in `steady compare OLD NEW`"
            + (f"; {missing} is missing" if len(missing) == len("--base") else "")
        )
    return arguments


def _of_words(pair: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if len(pair) > len(SIDES):
        raise InputError(
            f"{len(pair)} results were given; give two, the older one first, or several of each "
            "side by --base and --head"
        )
    if len(pair) == 1:
        found = both_results(pair[0])
        if found is None:
            raise InputError(suggest_for_one_result(pair[0]), source=pair[0])
        return (found["base"],), (found["head"],)
    for word in pair:
        found = both_results(word)
        if found is not None:
            raise InputError(
                f"holds results of base and of head; name one of them, such as {found['head']}, or "
                "give this folder alone to compare both",
                source=word,
            )
    old, new = pair
    return (old,), (new,)
