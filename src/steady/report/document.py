"""The tree of a report: everything it says, in its order, without any markup.

`steady.report.content` builds the tree; the renderers for Markdown, terminals and HTML know
nothing else. No text in it is escaped: names and messages are as the code under test left them.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

from steady.compare.summary import Summary
from steady.model import Identity
from steady.text.numbers import listed

Tone = Literal["worse", "better", "open", "same"]
"""How a reader should take something; `open` is what somebody has to look at."""


@dataclass(frozen=True, slots=True)
class Name:
    """A benchmark's name, and what tells it from others of that name: parameters, mode."""

    text: str
    details: str = ""

    @property
    def label(self) -> str:
        """Both on one line."""
        return f"{self.text} {self.details}" if self.details else self.text


@dataclass(frozen=True, slots=True)
class Names:
    """Benchmarks of which the same is said; a renderer may show the first and count the others."""

    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A text to be shown letter by letter: a harness's message, or a command to type."""

    text: str
    command: bool = False


Piece = str | Names | Code
Words = Piece | tuple[Piece, ...]
"""A sentence, or part of one. Strings in it are words; see `Code` and `Names` for the rest."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table.

    Parameters
    ----------
    text : Words
        What it says.
    remark : str
        What that means, in one word: ``slower``.
    small : str
        Small print below; where a table is folded, only the page shows it.
    aside, hover : str
        One thing more in few words, for a terminal, and in a sentence, for a page.
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
        What stands above it.
    kind : {"text", "name", "number", "picture"}
        Numbers are aligned to the right and never broken. Pictures are the page's own: their
        cells are empty, and only the page has the column.
    role : {"", "lead", "detail", "under"}
        ``lead`` comes first on a terminal, and has the tone of its section. ``detail`` is left
        out of a comment's folded tables. ``under`` is small print of the next column on a page,
        and left out there too.
    word : str
        The title in one word; by default its first.
    """

    title: str
    kind: Literal["text", "name", "number", "picture"] = "text"
    role: Literal["", "lead", "detail", "under"] = ""
    word: str = ""

    @property
    def key(self) -> str:
        """The title in one word, in small letters: a terminal's heading."""
        return self.word or self.title.partition(" ")[0].lower()


METHOD_PAGE = "docs/methods-compare.md of steady"
BENCHMARK = Column("Benchmark", "name")
AT_MOST = "at most"
"""The heading of the size beyond which a change is excluded."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table, or one item of a list, which has one cell.

    Parameters
    ----------
    cells : tuple of Cell
        One for each column.
    line : Words
        The same as a sentence, for a terminal; by default the cells with commas between them.
    identities : tuple of Identity
        Which benchmarks it is about. A page draws the first of them in columns of pictures.
    muted : bool
        Whether a page shows it in grey: nothing becomes of it.
    """

    cells: tuple[Cell, ...]
    line: Words = ""
    identities: tuple[Identity, ...] = ()
    muted: bool = False


@dataclass(frozen=True, eq=False)
class RowsOnDemand(Sequence[Row]):
    """Rows that are made when they are looked at: of very many, readers are shown the first.

    Parameters
    ----------
    make : callable
        Makes the row of an item.
    items : sequence
        What the rows are about.
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
    """A table or a list with its heading. Without a row nothing of it is shown.

    Parameters
    ----------
    title : str
        Its heading.
    noun, plural : str
        What its rows are, to count those for which there is no room.
    rows : sequence of Row
        The most important first.
    columns : tuple of Column
        None: a list.
    intro : tuple of Words
        Sentences above the rows.
    folded : bool
        Whether readers see it only when they ask for it, where that is possible.
    detailed : bool
        Whether its rows keep their small print although they are folded.
    page_only : bool
        Whether it takes so much room that only a page has it.
    chapter : str
        The heading of a page under which this section shares one table with others.
    tone : {"worse", "better", "open", "same"}
        Of all rows.
    is_lead : bool
        Whether the first table of a comment says the same in fewer words.
    as_list : bool
        Whether a comment, which has no room for its columns, shows the sentences of its rows.
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
        The most important first, the folded ones last.
    summary : Summary
        All counts.
    line, others : str
        The verdict, and the other outcomes.
    known : tuple of Words
        Facts beside the verdict, and the next step if the verdict is unclear.
    warnings : tuple of str
        Reasons to doubt the verdict.
    cost, names : str
        The cost of a run, and the part that is left out of all names.
    method : str
        The rule and its settings, in short; `METHOD_PAGE` says more.
    pages : str
        Address of the folder of that page; empty if it is not known.
    decision : tuple of str
        The same at length, for a page.
    facts : str
        Commits, JDK, processor and time, in one line.
    glance : Section
        All changes, narrow enough for a telephone.
    lost : Section
        Benchmarks that were not compared: a sentence for each reason, which a telephone can break.
    rerun : Code
        The command that runs lost benchmarks again; its text may be empty.
    not_warm : Words
        A sentence on benchmarks that were not warm; may be empty.
    """

    title: str
    sections: tuple[Section, ...]
    _: KW_ONLY
    summary: Summary
    line: str
    others: str
    known: tuple[Words, ...]
    warnings: tuple[str, ...]
    cost: str
    names: str
    method: str
    pages: str
    decision: tuple[str, ...]
    facts: str
    glance: Section
    lost: Section
    rerun: Code
    not_warm: Words


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one renderer writes `Words`.

    Parameters
    ----------
    text, code, name : callable
        Escape a piece of each kind.
    most : int, optional
        Most names that are written of a `Names`; the others are counted.
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
    """Return a sentence in which commands stand between backticks.

    >>> with_commands("Try `steady demo`.")
    ('Try ', Code(text='steady demo', command=True), '.')
    """
    pieces = sentence.split("`")
    if len(pieces) % 2 == 0:  # a stranger's text may hold one
        return (sentence,)
    return tuple(
        Code(text, command=True) if index % 2 else text for index, text in enumerate(pieces)
    )
