"""How much of real suites can be left out from version to version, and whether it is safe.

Usage: python -m evaluation.selection FOLDER [--javap] [--audit N] [--only REGEX]
                                      [--combinations N] [--one-in N]

FOLDER holds a folder for each library, with the benchmark jars of its successive versions in
alphabetical order. For each two neighbours, `steady.changed` decides which benchmarks run the same
code.
What base loads is found out as ``steady changed`` does, by a fork of one short iteration, unless
the benchmark ran the same code in the version before; ``NAME.loaded.json`` beside the jar keeps
it. With ``--combinations N``, only the first N combinations of a benchmark's parameters count; with
``--one-in N``, only one of N benchmarks, which the checksum of its name decides.

The seconds are those that the benchmarks declare: forks, iterations and their times, and half a
second for the start of each fork.

With ``--javap``, all classes that the left-out benchmarks load, as far as their bytes differ, are
printed by ``javap`` without lines. Where that differs in more than methods, the class is named, and
whether any of these benchmarks uses it, by the log of its JVM. The methods that differ are counted:
steady says that they cannot run.

The audit takes up to N of the benchmarks that are left out in each pair, at random, first those
that load a class of which ``javap`` prints a method in another way. A fork of base and one of head
are run by JMH alone, with a JVM that lists all methods which ran (Java 9 to 20). None of these may
belong to a class of which ``javap`` prints more than methods in another way, or be a method that it
prints in another way. This asks neither for what steady recorded nor for how it compares classes.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from steady.harness.jmh.samecode.class_log import Loaded
from steady.harness.jmh.samecode.jar_index import JarIndex
from steady.harness.jmh.samecode.reasons import Reasons

from evaluation._jmh_forks import touched_methods
from evaluation._markdown import Number, Table
from steady.engine import HarnessSettings, Version
from steady.harness.jmh.configure.declared import Declared
from steady.harness.jmh.run.jar import BenchmarkJar
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.difference import Difference
from steady.model import Identity
from steady.samecode.decision import Decision, decided
from steady.text.counting import count

START_SECONDS = 0.5
LONG = ("-wi", "1", "-i", "2", "-w", "500ms", "-r", "500ms")
SEED = 1
FOR_DEBUGGERS = re.compile(
    r"\s*(?:line \d+: \d+|#\d+ = .*|(?:LineNumber|LocalVariable|LocalVariableType)Table:"
    r"|Start +Length +Slot +Name +Signature|(?:\d+ +){3}(?!Class )\S+ +\S+|Constant pool:"
    r"|(?:SourceFile|Compiled from|Last modified|MD5 checksum|SHA-256 checksum):? .*)"
)
"""Lines of ``javap -v`` that say nothing about what runs; constants show where they are used."""
INDEX = re.compile(r"#\d+|(?:methods|attributes): \d+|(?<=//) ")
THIS = re.compile(r"this_class: #\d+ +// (\S+)")
MEMBER = re.compile(r"^(?=  \S.*;\n    descriptor: )", re.MULTILINE)
DECLARED = re.compile(r"  (\S.*);\n    descriptor: (\S+)")
LISTS = re.compile(r"^(?:NestMembers|InnerClasses|BootstrapMethods):\n(?:  .*\n?)*", re.MULTILINE)
BOOTSTRAPS = re.compile(r"^BootstrapMethods:\n((?:  .*\n?)*)", re.MULTILINE)
BOOTSTRAP = re.compile(r"^  (\d+): (.*(?:\n   .*)*)", re.MULTILINE)
DYNAMIC = re.compile(r"(?<=Dynamic )#(\d+):")


@dataclass(frozen=True)
class Chosen:
    """Which benchmarks count.

    Parameters
    ----------
    only : str
        A regular expression that is found in their names.
    combinations : int
        How many combinations of parameters of each benchmark count, the first ones; 0 for all.
    one_in : int
        One of so many benchmarks counts, by the checksum of its name.
    """

    only: str
    combinations: int
    one_in: int = 1

    def of(self, declared: Mapping[Identity, Declared]) -> dict[Identity, Declared]:
        """Return those that count."""
        counts: Counter[tuple[str, str]] = Counter()
        chosen = {}
        for identity, one in declared.items():
            in_sample = zlib.crc32(identity.name.encode()) % self.one_in == 0
            if in_sample and re.search(self.only, identity.name):
                counts[identity.name, identity.mode] += 1
                if counts[identity.name, identity.mode] <= (self.combinations or sys.maxsize):
                    chosen[identity] = one
        return chosen


class Build:
    """A jar of one version, with what its benchmarks load.

    Parameters
    ----------
    path : Path
        The jar.
    chosen : Chosen
        Which of its benchmarks count.
    """

    def __init__(self, path: Path, chosen: Chosen) -> None:
        self.path = path
        self.index = JarIndex.of(path)
        self.declared = chosen.of(BenchmarkJar(path).declared)
        self.loaded: Mapping[Identity, Loaded] = {}

    def learn(self, known: Mapping[Identity, Loaded]) -> None:
        """Find out what its benchmarks load, but for those that are known already."""
        kept = self.path.with_suffix(".loaded.json")
        if kept.exists():
            known = {**known, **_read(kept, self.declared)}
        unknown = [identity for identity in self.declared if identity not in known]
        if unknown:
            harness, version = JmhRuns(HarnessSettings()), Version("base", self.path)
            with tempfile.TemporaryDirectory() as folder:
                shown = harness.probe(version, unknown, Path(folder))
            known = {**known, **dict.fromkeys(unknown, Loaded()), **shown}
        _write(kept, known)
        self.loaded = known

    def seconds(self, identities: Iterable[Identity]) -> float:
        """Return what some benchmarks take as they declare."""
        total = 0.0
        for identity in identities:
            declared = self.declared[identity].configuration
            iterations = declared.warmup_iterations * declared.warmup_seconds
            iterations += declared.iterations * declared.iteration_seconds
            total += declared.forks * (START_SECONDS + iterations)
        return total

    def ran(self, identity: Identity) -> frozenset[str]:
        """Return the methods that a fork runs (`touched_methods`); none if there was no fork."""
        params = [word for name, value in identity.params for word in ("-p", f"{name}={value}")]
        pattern = f"^{re.escape(identity.name)}$"
        owner, _, method = identity.name.rpartition(".")
        package, _, simple = owner.rpartition(".")
        generated = f"{package}.jmh_generated.{simple}_{method}_".replace(".", "/")
        ran = touched_methods(self.path, (*LONG, "-bm", identity.mode, *params, pattern))
        return ran if any(one.startswith(generated) for one in ran) else frozenset()

    @cached_property
    def contents(self) -> Mapping[str, bytes]:
        """The bytes of each class, by its name."""
        with zipfile.ZipFile(self.path) as jar:
            names = [name for name in jar.namelist() if name.endswith(".class")]
            return {name.removesuffix(".class"): jar.read(name) for name in names}


@dataclass(frozen=True)
class Step:
    """Two successive versions.

    Parameters
    ----------
    base, head : Build
        Their jars.
    decisions : tuple of Decision
        One for each benchmark of either.
    """

    base: Build
    head: Build
    decisions: tuple[Decision, ...]

    @classmethod
    def of(cls, base: Build, head: Build) -> Step:
        """Decide about all benchmarks."""
        benchmarks = {"base": tuple(base.declared), "head": tuple(head.declared)}
        difference = Difference(base.index, head.index)
        return cls(base, head, decided(benchmarks, Reasons(difference, base.loaded).why))

    @property
    def both(self) -> list[Identity]:
        """The benchmarks that both versions have."""
        return [i for i in self.base.declared if i in self.head.declared]

    @property
    def skipped(self) -> list[Identity]:
        """Those that run the same code."""
        return [decision.identity for decision in self.decisions if decision.same]

    @property
    def saved(self) -> float:
        """The share of the seconds that is saved."""
        whole = self.base.seconds(self.both)
        return self.base.seconds(self.skipped) / whole if whole else 0.0

    @cached_property
    def printed_otherwise(self) -> Mapping[str, frozenset[str]]:
        """For each class that left-out benchmarks load, the parts that ``javap`` prints otherwise.

        A part is a method, as in ``a/B.method:(I)V``, or the class itself, by its name.
        """
        base, head = self.base.contents, self.head.contents
        names = {name for i in self.skipped for name in self.base.loaded[i].classes}
        touched = sorted(name for name in names if base.get(name) != head.get(name))
        missing = [name for name in touched if name not in head]
        touched = [name for name in touched if name in base and name in head]
        printed = [javap([side[name] for name in touched]) for side in (base, head)]
        parts = {
            name: frozenset(
                f"{name}.{part}" if part else name
                for part in {*one, *other}
                if one.get(part) != other.get(part)
            )
            for name, one, other in zip(touched, *printed, strict=True)
        }
        return {name: own for name, own in parts.items() if own} | {
            name: frozenset({name}) for name in missing
        }

    @property
    def other_classes(self) -> dict[str, bool]:
        """The classes that left-out benchmarks load and that differ in more than methods.

        Each with whether a fork has used it.
        """
        loaded = [self.base.loaded[identity] for identity in self.skipped]
        used = frozenset[str]().union(*(one.classes - one.idle for one in loaded))
        other = [name for name, parts in self.printed_otherwise.items() if name in parts]
        return {name: name in used for name in other}

    def audit(self, number: int, chance: random.Random) -> list[tuple[Identity, str]]:
        """Return some of the skipped benchmarks, each with what ran and differs, if anything.

        Those whose fork did not start tell nothing, and are left out.
        """
        touched = self.printed_otherwise.keys()
        chosen = chance.sample(self.skipped, len(self.skipped))
        chosen.sort(key=lambda i: touched.isdisjoint(self.base.loaded[i].classes))
        audited = [(identity, self._other_part(identity)) for identity in chosen[:number]]
        return [(identity, other) for identity, other in audited if other is not None]

    def _other_part(self, identity: Identity) -> str | None:
        sides = self.base.ran(identity), self.head.ran(identity)
        if not all(sides):
            return None
        ran = sides[0] | sides[1]
        for name, parts in self.printed_otherwise.items():
            of_class = sorted(one for one in ran if one.startswith(f"{name}."))
            if of_class and name in parts:
                return name
            if shared := parts.intersection(of_class):
                return min(shared)
        return ""


def javap(contents: Sequence[bytes]) -> list[dict[str, str]]:
    """Return what ``javap`` prints of classes, without what only debuggers read.

    Returns
    -------
    list of dict of str to str
        For each class its methods, as in ``method:(I)V``, and all else by an empty text. Lists of
        classes that lie within it are left out, and what only head adds for dynamic calls.
    """
    if not contents:
        return []
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{number:06d}.class" for number in range(len(contents))]
        for file, content in zip(files, contents, strict=True):
            Path(folder, file).write_bytes(content)
        command = ["javap", "-v", "-p", *files]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    printed = re.split(r"^Classfile .*\n", done.stdout, flags=re.MULTILINE)[1:]
    if len(printed) != len(contents):
        raise ValueError(f"javap printed {len(printed)} of {len(contents)} classes")
    return [_parts(text) for text in printed]


def _parts(printed: str) -> dict[str, str]:
    own = THIS.findall(printed)[0].strip('"').replace("/", ".")
    made = dict(BOOTSTRAP.findall("".join(BOOTSTRAPS.findall(printed))))
    head, *members = MEMBER.split(LISTS.sub("", printed))
    parts, rest = {}, [head]
    for text in members:
        body, _, after = text.partition("\n}\n")
        rest.append(after)
        declared, descriptor = DECLARED.findall(body)[0]
        if descriptor.startswith("("):
            name = declared.partition("(")[0].split()[-1].rstrip("{};")
            name = {own: "<init>", "": "<clinit>"}.get(name, name)
            dynamic = DYNAMIC.sub(lambda match: made[match[1]], body)
            parts[f"{name}:{descriptor}"] = _meant(dynamic)
        else:
            rest.append(body)
    return {**parts, "": _meant("\n".join(rest))}


def _meant(printed: str) -> str:
    lines = (x for x in printed.splitlines() if x.strip() and not FOR_DEBUGGERS.fullmatch(x))
    return "\n".join(" ".join(INDEX.sub("#", line).split()) for line in lines)


def steps_of(folder: Path, chosen: Chosen) -> Iterator[Step]:
    """Yield each two neighbours of a library's versions."""
    builds = [Build(path, chosen) for path in sorted(folder.glob("*.jar"))]
    known: Mapping[Identity, Loaded] = {}
    for base, head in pairwise(builds):
        base.learn(known)
        step = Step.of(base, head)
        known = {i: base.loaded[i] for i in step.skipped}
        yield step


def row(name: str, steps: Sequence[Step], audited: Sequence[tuple[Identity, str]]) -> list[str]:
    """Return a library's row of the table."""
    benchmarks = sum(len(step.both) for step in steps)
    skipped = sum(len(step.skipped) for step in steps)
    hours = sum(step.base.seconds(step.both) for step in steps) / 3600
    saved = sum(step.base.seconds(step.skipped) for step in steps) / 3600
    median = statistics.median(step.saved for step in steps)
    return [
        name,
        Number(len(steps)),
        Number(benchmarks),
        Number(skipped),
        Number(hours, 1),
        Number(saved, 1),
        Number(100 * median, 0, " %"),
        Number(len(audited)),
        Number(sum(bool(other) for _, other in audited)),
    ]


HEADER = (
    *("library", "pairs", "benchmarks", "left out", "hours declared", "hours saved"),
    *("saved, median pair", "audited", "changed among them"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each pair, the table, and each changed benchmark that was left out."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.selection", description=__doc__.split("\n")[0]
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--audit", type=int, default=0, metavar="N")
    parser.add_argument("--javap", action="store_true")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--combinations", type=int, default=0, metavar="N")
    parser.add_argument("--one-in", type=int, default=1, metavar="N")
    given = parser.parse_args(arguments)
    chosen = Chosen(given.only, given.combinations, given.one_in)
    chance = random.Random(SEED)
    rows = []
    for folder in sorted(path for path in given.folder.iterdir() if path.is_dir()):
        steps, audited = [], []
        for step in steps_of(folder, chosen):
            steps.append(step)
            print(f"{folder.name}: {step.base.path.stem} to {step.head.path.stem}: ", end="")
            print(f"{len(step.skipped)} of {len(step.both)} left out", flush=True)
            if given.javap:
                for name, used in step.other_classes.items():
                    print(f"changed: {name}{'' if used else ' (loaded and never used)'}")
                methods = sum(map(len, step.printed_otherwise.values()))
                print(f"{count(methods, 'part')} of their classes printed otherwise")
            audited += step.audit(given.audit, chance)
        for identity, other in audited:
            if other:
                print(f"changed: {identity.label}: {other}")
        rows.append(row(folder.name, steps, audited))
    print(Table(HEADER, rows))
    return 0


def _write(path: Path, loaded: Mapping[Identity, Loaded]) -> None:
    entries = [
        [i.label, sorted(one.classes), sorted(one.elsewhere), sorted(one.idle)]
        for i, one in loaded.items()
    ]
    path.write_text(json.dumps(entries), encoding="utf-8")


def _read(path: Path, identities: Iterable[Identity]) -> dict[Identity, Loaded]:
    known = {identity.label: identity for identity in identities}
    return {
        known[label]: Loaded(*map(frozenset, parts))
        for label, *parts in json.loads(path.read_text(encoding="utf-8"))
        if label in known
    }


if __name__ == "__main__":
    sys.exit(main())
