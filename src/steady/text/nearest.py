"""Suggestions of known words for misspelled ones, such as ``compare`` for ``comprae``."""

from collections.abc import Iterable

_ALIKE = 0.6
_LONGEST = 200  # characters; the comparison takes quadratic time


def nearest(word: str, known: Iterable[str], *, most: int = 1) -> list[str]:
    """Return the known words that are most similar to a word, most similar first.

    Parameters
    ----------
    word : str
        Word to look up.
    known : iterable of str
        Known words.
    most : int
        Maximum number of words to return.

    Returns
    -------
    list of str
        Similar words, ignoring case; empty if there are none.

    Examples
    --------
    >>> nearest("comprae", ["compare", "report"])
    ['compare']
    """
    from difflib import get_close_matches  # only needed after a mistake

    by_lower: dict[str, str] = {}
    for text in known:
        by_lower.setdefault(text.lower()[:_LONGEST], text)
    found = get_close_matches(word.lower()[:_LONGEST], by_lower, n=most, cutoff=_ALIKE)
    return [by_lower[text] for text in found]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that suggests the most similar word, or an empty string.

    Examples
    --------
    >>> did_you_mean("comprae", ["compare", "report"])
    "; did you mean 'compare'?"
    """
    found = nearest(word, known)
    return f"; did you mean {found[0]!r}?" if found else ""
