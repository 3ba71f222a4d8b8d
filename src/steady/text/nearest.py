"""The known word that is meant by one that is not known: ``compare`` by ``comprae``."""

from collections.abc import Iterable

_ALIKE = 0.6
_LONGEST = 200  # characters; the comparison takes time in proportion to their square


def nearest(word: str, known: Iterable[str], *, most: int = 1) -> list[str]:
    """Return the known words that are most like a word, the likest first.

    Parameters
    ----------
    word : str
        What somebody wrote.
    known : iterable of str
        What there is.
    most : int
        How many to return at most.

    Returns
    -------
    list of str
        Empty if nothing is like it. Upper and lower case are alike.

    Examples
    --------
    >>> nearest("comprae", ["compare", "report"])
    ['compare']
    """
    from difflib import get_close_matches  # only where somebody made a mistake

    by_lower: dict[str, str] = {}
    for text in known:
        by_lower.setdefault(text.lower()[:_LONGEST], text)
    found = get_close_matches(word.lower()[:_LONGEST], by_lower, n=most, cutoff=_ALIKE)
    return [by_lower[text] for text in found]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that names the nearest word; empty if nothing is like it.

    Examples
    --------
    >>> did_you_mean("comprae", ["compare", "report"])
    "; did you mean 'compare'?"
    """
    found = nearest(word, known)
    return f"; did you mean {found[0]!r}?" if found else ""
