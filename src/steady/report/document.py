"""The content of a report as a tree, in reading order and without markup.

`steady.report.content` builds the tree. It is the only input of the renderers for Markdown,
terminals and HTML. No text in it is escaped: names and messages come from the code under test.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

from steady.compare.summary import Summary
from steady.model import Identity
from steady.text.numbers import listed

Tone = Literal["worse", "better", "open", "same"]
"""The meaning of a result for the reader; ``open`` requires attention."""


@dataclass(frozen=True, slots=True)
class Name:
    """A benchmark's name, and its distinguishing details: parameters, mode."""

    text: str
    details: str = ""

    @property
    def label(self) -> str:
        """Name and details on one line."""
        return f"{self.text} {self.details}" if self.details else self.text


@dataclass(frozen=True, slots=True)
class Names:
    """Benchmarks with the same statement; a renderer can list some and count the others."""

    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Literal text: a message of the harness, or a command to type."""

    text: str
    command: bool = False


Piece = str | Names | Code
Words = Piece | tuple[Piece, ...]
"""A sentence or part of one: plain words, literal text and names."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table.

    Parameters
    ----------
    text : Words
        Content of the cell.
    remark : str
        Meaning of the content in one word: ``slower``.
    small : str
        Small print below; in a folded table, only the page shows it.
    aside, hover : str
        Additional detail: a few words for a terminal, and a sentence for a page.
    """

    text: Words
    remark: str = ""
    small: str = ""
    aside: str = ""
    hover: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    title : str
        Heading.
    kind : {"text", "name", "number", "picture"}
        Numbers are aligned to the right and never broken. Only the page shows pictures, which it
        draws itself: the cells of their columns are empty.
    role : {"", "lead", "detail", "under"}
        ``lead`` is the first column of a comment and the first number on a terminal, and has the
        tone of its section. ``detail`` is omitted in
        a comment's folded tables, and so is ``under``, which a page shows as small print of the
        next column.
    word : str
        The title in one word; by default its first.
    """

    title: str
    kind: Literal["text", "name", "number", "picture"] = "text"
    role: Literal["", "lead", "detail", "under"] = ""
    word: str = ""

    @property
    def key(self) -> str:
        """The heading on a terminal: the title in one word, in lower case."""
        return self.word or self.title.partition(" ")[0].lower()


METHOD_PAGE = "docs/methods-compare.md of steady"
BENCHMARK = Column("Benchmark", "name")
AT_MOST = "at most"
"""The heading of the upper bound of a change."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table, or one item of a list, which has one cell.

    Parameters
    ----------
    cells : tuple of Cell
        One for each column.
    line : Words
        The row as a sentence, for a terminal; by default, its cells separated by commas.
    identities : tuple of Identity
        Benchmarks of the row. Columns of pictures show the first one.
    muted : bool
        Whether a page shows the row in grey, because it needs no attention.
    """

    cells: tuple[Cell, ...]
    line: Words = ""
    identities: tuple[Identity, ...] = ()
    muted: bool = False


@dataclass(frozen=True, eq=False)
class LazyRows(Sequence[Row]):
    """Rows that are created on access, because often only the first of very many are shown.

    Parameters
    ----------
    make : callable
        Function that returns the row of an item.
    items : sequence
        Items, one for each row.
    """

    make: Callable[[Any], Row]
    items: Sequence[Any]
    _made: dict[int, Row] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(len(self))[index])
        if index not in self._made:
            self._made[index] = self.make(self.items[index])
        return self._made[index]


@dataclass(frozen=True, slots=True)
class Section:
    """A table or a list with its heading; it is omitted if it has no rows.

    Parameters
    ----------
    title : str
        Heading.
    noun, plural : str
        Nouns with which omitted rows are counted.
    rows : sequence of Row
        Rows, most important first.
    columns : tuple of Column
        Columns; empty for a list.
    intro : tuple of Words
        Sentences above the rows.
    folded : bool
        Whether it is collapsed, in outputs that support it.
    detailed : bool
        Whether its rows keep their small print if it is folded.
    page_only : bool
        Whether only the page includes it, because of its size.
    chapter : str
        Heading on the page, if several sections share one table.
    tone : {"worse", "better", "open", "same"}
        Tone of all rows.
    is_lead : bool
        Whether a comment omits it, because the comment's first table contains the same rows.
    as_list : bool
        Whether a comment shows each row as a sentence, because the columns would be too wide.
    """

    title: str
    noun: str
    plural: str
    rows: Sequence[Row]
    columns: tuple[Column, ...] = ()
    intro: tuple[Words, ...] = ()
    folded: bool = False
    detailed: bool = False
    page_only: bool = False
    chapter: str = ""
    tone: Tone = "same"
    is_lead: bool = False
    as_list: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A whole report.

    Parameters
    ----------
    title : str
        The suite's name.
    sections : tuple of Section
        Sections, most important first and folded ones last.
    summary : Summary
        The counts and states of the comparison.
    line, others : str
        The verdict, and the other outcomes.
    sentences : tuple of Words
        Additional sentences, with the next step if the verdict is unclear.
    warnings : tuple of str
        Reasons to doubt the verdict.
    cost, names : str
        The cost of a run, and the parts that are omitted from all names.
    method : str
        The rule and its settings in brief; see `METHOD_PAGE`.
    pages : str
        URL of the folder with that page; empty if unknown.
    decision : tuple of str
        The rule and its settings in detail, for a page.
    facts : str
        Commits, JDK, processor and time, in one line.
    overview : Section
        All changes, narrow enough for a phone.
    lost : Section
        Benchmarks that were not compared: a sentence for each reason, which wraps on a phone.
    rerun : Code
        Command that runs lost benchmarks again; its text may be empty.
    not_warm : Words
        Sentence about benchmarks that did not reach steady state; may be empty.
    """

    title: str
    sections: tuple[Section, ...]
    _: KW_ONLY
    summary: Summary
    line: str
    others: str
    sentences: tuple[Words, ...]
    warnings: tuple[str, ...]
    cost: str
    names: str
    method: str
    pages: str
    decision: tuple[str, ...]
    facts: str
    overview: Section
    lost: Section
    rerun: Code
    not_warm: Words


@dataclass(frozen=True, slots=True)
class WordFormat:
    """The markup of `Words` in one output.

    Parameters
    ----------
    text, code, name : callable
        Functions that escape a piece of each kind.
    most : int, optional
        Maximum number of names of a `Names` to list; the others are counted.
    """

    text: Callable[[str], str]
    code: Callable[[Code], str]
    name: Callable[[Name], str]
    most: int | None = None

    def __call__(self, words: Words) -> str:
        """Return the words as markup."""
        pieces = words if isinstance(words, tuple) else (words,)
        return "".join(map(self._piece, pieces))

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return self.text(piece)
        if isinstance(piece, Code):
            return self.code(piece)
        names = [*map(self.name, piece.names)]
        return listed(names, len(names) if self.most is None else self.most)


def with_commands(sentence: str) -> tuple[Piece, ...]:
    """Return a sentence with its commands, which are enclosed in backticks, as `Code`.

    >>> with_commands("Try `steady demo`.")
    ('Try ', Code(text='steady demo', command=True), '.')
    """
    pieces = sentence.split("`")
    if len(pieces) % 2 == 0:  # untrusted text may contain one
        return (sentence,)
    return tuple(
        Code(text, command=True) if index % 2 else text for index, text in enumerate(pieces)
    )
