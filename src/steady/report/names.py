"""Short names of benchmarks, and their anchors within a page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from steady.compare import Comparison
from steady.model import Identity
from steady.model.identity import by_method
from steady.report.document import Name, Names
from steady.text.numbers import count

_PROCESS = {"fork": "process", "forks": "processes", "Fork": "Process", "Forks": "Processes"}
_FORK = re.compile(r"\b[Ff]orks?\b")
_USUAL_MODE = "avgt"
_SHORTEST_PREFIX = 8  # characters; a shorter prefix stays


@dataclass(frozen=True, slots=True)
class ShortNames:
    """The names of benchmarks in one report, without their common parts.

    Parameters
    ----------
    prefix : str
        Common prefix of all names, which labels omit; may be empty.
    processes : bool
        Whether forks are called processes, as for Go and Python.
    mode : str
        Common mode of all benchmarks, which labels omit; empty if modes differ, or for the usual
        mode.
    threads : int
        Common number of threads, or of Go's processors, which labels omit; 1 if numbers differ.
    """

    prefix: str = ""
    processes: bool = False
    mode: str = ""
    threads: int = 1

    @classmethod
    def of(cls, identities: Iterable[Identity]) -> ShortNames:
        """Return the short names of benchmarks, without their common packages.

        Class and method remain; for Go, the last folder of the package and the function.
        """
        known = tuple(identities)
        folders = {identity.name: _folders(identity) for identity in known}
        processes = bool(known) and all(map(_in_processes, known))
        common = {"processes": processes, **_in_common(known)}
        if len(folders) < 2:
            return cls(**common)
        shared = folders[min(folders)]
        for others in folders.values():
            both = zip(shared, others, strict=False)
            shared = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], both)]
        prefix = "".join(shared)
        return cls(prefix if len(prefix) >= _SHORTEST_PREFIX else "", **common)

    @property
    def sentence(self) -> str:
        """The parts that all labels omit; may be empty."""
        unit = "processor" if self.processes else "thread"
        ran = [f"in mode {self.mode}"] if self.mode else []
        ran += [f"with {count(self.threads, unit)}"] if self.threads > 1 else []
        prefix = self.prefix[:-1]
        sentences = (
            f"Names are shown without their common prefix {prefix}." if prefix else "",
            f"All benchmarks ran {' '.join(ran)}." if ran else "",
        )
        return " ".join(filter(None, sentences))

    @property
    def runs_title(self) -> str:
        """The heading of the column of repetitions."""
        return self.words("Forks × iterations")

    def words(self, text: str) -> str:
        """Return one of steady's sentences with the harness's word for forks.

        >>> ShortNames(processes=True).words("Forks × iterations: 1 fork is too few")
        'Processes × iterations: 1 process is too few'
        """
        return _FORK.sub(lambda match: _PROCESS[match[0]], text) if self.processes else text

    def label(self, identity: Identity) -> str:
        """Return the name without the prefix, with distinguishing details; not escaped."""
        return replace(
            identity,
            name=identity.name.removeprefix(self.prefix),
            mode=_USUAL_MODE if identity.mode == self.mode else identity.mode,
            threads=1 if identity.threads == self.threads else identity.threads,
        ).label

    def named(self, *identities: Identity) -> Names:
        """Return the names of benchmarks without the prefix."""
        return Names(tuple(map(self._name, identities)))

    def methods(self, *identities: Identity) -> Names:
        """Return the methods of benchmarks, with the number of cases if there are several."""
        return Names(
            tuple(
                self._name(own[0])
                if len(own) == 1
                else Name(method.removeprefix(self.prefix), f"({len(own):,} cases)")
                for method, own in by_method(identities).items()
            )
        )

    def _name(self, identity: Identity) -> Name:
        text = identity.name.removeprefix(self.prefix)
        return Name(text, self.label(identity)[len(text) :].strip())


def _in_common(known: Sequence[Identity]) -> dict[str, Any]:
    """Return the common mode and number of threads of two or more benchmarks."""
    ran = [i for i in known if i.is_go] or known  # a Go package that failed has neither
    modes, threads = {i.mode for i in ran}, {i.threads for i in ran}
    if len(ran) < 2:
        return {}
    return {
        "mode": modes.pop() if len(modes) == 1 and modes != {_USUAL_MODE} else "",
        "threads": threads.pop() if len(threads) == 1 else 1,
    }


def _folders(identity: Identity) -> list[str]:
    """Return the parts of a name that can be omitted, each with its final separator.

    A Go package without results has a name with folders, but without a holder.
    """
    path = identity.holder or ("" if identity.is_go else identity.name)
    separator = "/" if "/" in path or identity.is_python else "."
    parts = path.split(separator)[:-1]
    # After a function's name comes its argument, which means nothing alone: BM_Price/99.
    argument = separator == "/" and not identity.holder and "." not in path.partition("/")[0]
    return [] if argument else [part + separator for part in parts]


def words_for(identity: Identity) -> Callable[[str], str]:
    """Return the function `ShortNames.words` for the harness of a benchmark."""
    return ShortNames(processes=_in_processes(identity)).words


def _in_processes(identity: Identity) -> bool:
    return identity.is_go or identity.is_python


def names_of(comparison: Comparison) -> ShortNames:
    """Return the short names of all benchmarks of a comparison, compared or not."""
    return ShortNames.of(comparison.ledger.identities)


_LONGEST = 40
_OTHERS = re.compile(r"[^A-Za-z0-9]+")


def anchor(identity: Identity) -> str:
    """Return the anchor of a benchmark, of letters, digits and hyphens.

    The hash at its end distinguishes names that differ only in other characters.

    >>> anchor(Identity("org.example.Bench.get"))
    'org-example-Bench-get-9789ce'
    """
    label = identity.label
    words = _OTHERS.sub("-", label)[-_LONGEST:].strip("-")
    digits = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{words}-{digits}" if words else f"b-{digits}"
