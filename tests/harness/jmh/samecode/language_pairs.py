"""Pairs of small programs in Kotlin and Scala, with the jars of the languages' libraries.

Files in ``pairs`` contain them (see `reach_pairs`): the source, in a package with the pair's name,
and further sources. The class ``B`` has two benchmarks: the code path of ``run`` differs in head,
that of ``still`` is identical. After the name of a pair, these words are allowed: ``scala2`` or
``scala3`` (only for this compiler), ``option:`` with an option of the compiler, and ``with-`` with
the name of a library on the class path.
"""

import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from made_jars import QUICK, record
from reach_pairs import MANIFEST, pairs_of

from steady.harness.builds import Decision
from steady.harness.jmh.samecode.class_path import ClassPath, Entries, PathElement, entries_of
from steady.harness.jmh.samecode.decide import JarComparison
from steady.model import Identity
from tests.harness.pair_texts import SIDES, PairText, side_of

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>none</groupId><artifactId>none</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>{}</dependencies></project>
"""
DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
)
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath"
METHODS = {"run": "Run", "still": "Still"}


@dataclass(frozen=True)
class Language:
    """A language.

    Parameters
    ----------
    pairs : str
        The file of its pairs.
    compiler : str
        The main class of its compiler.
    artifacts : sequence of str
        What Maven finds it with.
    libraries : sequence of str
        Which of the jars a program has by itself.
    options : sequence of str
        For each run of the compiler.
    stub : str
        In place of what JMH generates for a benchmark.
    """

    pairs: str
    compiler: str
    artifacts: Sequence[str]
    libraries: Sequence[str]
    options: Sequence[str]
    stub: str


_SCALA_STUB = "class {1}_jmhTest {{ def {0}_AverageTime(): Any = new B().{0} }}\n"
LANGUAGES = {
    "kotlin": Language(
        "kotlin",
        "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
        (
            "org.jetbrains.kotlin:kotlin-compiler-embeddable:2.0.21",
            "org.jetbrains.kotlin:kotlin-reflect:2.0.21",
        ),
        ("kotlin-stdlib-",),
        ("-no-stdlib", "-no-reflect", "-nowarn", "-jvm-target", "11"),
        "class {1}_jmhTest {{ fun {0}_AverageTime(): Any? = B().{0}() }}\n",
    ),
    "scala2": Language(
        "scala",
        "scala.tools.nsc.Main",
        ("org.scala-lang:scala-compiler:2.13.14",),
        ("scala-library-",),
        ("-nowarn", "-release", "11"),
        _SCALA_STUB,
    ),
    "scala3": Language(
        "scala",
        "dotty.tools.dotc.Main",
        ("org.scala-lang:scala3-compiler_3:3.3.4",),
        ("scala-library-", "scala3-library_3-"),
        ("-nowarn", "-release", "11"),
        _SCALA_STUB,
    ),
}


def pairs_in_language(name: str) -> list[PairText]:
    """Return the pairs in a language."""
    other = {"scala2": "scala3", "scala3": "scala2"}.get(name, "")
    return [pair for pair in pairs_of(LANGUAGES[name].pairs) if other not in pair.notes]


@dataclass(frozen=True)
class Programs:
    """The compiled programs of a language.

    Parameters
    ----------
    folder : Path
        Where they lie.
    language : Language
        Theirs.
    jars : sequence of Path
        The compiler with all that it needs.
    """

    folder: Path
    language: Language
    jars: Sequence[Path]

    def libraries(self, pair: PairText) -> tuple[Path, ...]:
        """Return the libraries of a program."""
        more = {"with-coroutines": "kotlinx-coroutines-core-", "with-reflect": "kotlin-reflect-"}
        names = (*self.language.libraries, *(more[n] for n in pair.notes if n in more))
        return tuple(jar for jar in self.jars if jar.name.startswith(names))

    def place(self, pair: PairText, side: str) -> Path:
        """Return the folder of a program's classes."""
        return self.folder / side / _group(pair)

    def build(self, pairs: Sequence[PairText]) -> dict[tuple[str, str, str], str]:
        """Compile and run both sides of all programs in one JVM, and return their results."""
        words, runs = [], []
        for side in SIDES:
            sources = defaultdict[Path, list[str]](list)
            for pair in pairs:
                sources[self.place(pair, side)] += self._sources(pair, side)
                places = (self.place(pair, side), *self.libraries(pair))
                runs.append("\t".join((pair.name, side, *map(str, places))))
            for place, files in sources.items():
                place.mkdir(parents=True)
                own = [note.partition(":")[2] for note in place.name.split() if ":" in note]
                known = ":".join(map(str, self.jars))
                line = (*self.language.options, *own, "-classpath", known, "-d", str(place), *files)
                words.append("\t".join(line))
        (self.folder / "words").write_text("\n".join(words), encoding="utf-8")
        (self.folder / "runs").write_text("\n".join(runs), encoding="utf-8")
        known = ":".join(map(str, self.jars))
        program = str(Path(__file__).with_name("Languages.java"))
        command = ["java", *QUICK, "-Xss8m", "-cp", known, program, self.language.compiler]
        command += ["words", "runs"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        lines = (line.split("\t", 4) for line in done.stdout.splitlines())
        return {(p[1], p[2], p[3]): p[4] for p in lines if p[0] == "RESULT"}

    def _sources(self, pair: PairText, side: str) -> list[str]:
        stubs = "".join(self.language.stub.format(*own) for own in METHODS.items())
        ending = self.language.pairs.replace("kotlin", "kt")
        text = f"package {pair.name}\n{side_of(pair.text, side)}\n{stubs}"
        files = {f"B.{ending}": text, **pair.files(side)}
        folder = self.folder / "src" / side / pair.name
        folder.mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
        return [str(folder / name) for name in files]

    def decide(self, pair: PairText, known: dict[Path, Entries]) -> dict[str, Decision]:
        """Decide for both benchmarks of a program; the entries of each jar are read once."""
        held = {name: Identity(f"{pair.name}.{owner}.{name}") for name, owner in METHODS.items()}
        entries: dict[str, tuple[bytes, ...]] = {}
        for jar in self.libraries(pair):
            if jar not in known:
                known[jar] = entries_of(jar)
            entries |= known[jar]
        entries[MANIFEST] = (b"Manifest-Version: 1.0\r\n\r\n",)
        listed = "\n".join(record(one.name) for one in held.values())
        entries["META-INF/BenchmarkList"] = (listed.encode(),)
        base, head = (
            ClassPath((PathElement("", entries | self._classes(pair, side)),)) for side in SIDES
        )
        both = dict.fromkeys(SIDES, tuple(held.values()))
        found = JarComparison(base, head, both).decisions()
        return dict(zip(held, found, strict=True))

    def _classes(self, pair: PairText, side: str) -> Entries:
        place = self.place(pair, side)
        found = sorted(path for path in (place / pair.name).rglob("*") if path.is_file())
        return {path.relative_to(place).as_posix(): (path.read_bytes(),) for path in found}


def _group(pair: PairText) -> str:
    """Return the sources that compile together."""
    return "_".join(("classes", *(n for n in pair.notes if n.startswith("option:"))))


def jars_of(language: Language, folder: Path) -> list[Path]:
    """Return the jars of a compiler; skip the test if Maven does not find them."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = "".join(DEPENDENCY.format(*one.split(":")) for one in language.artifacts)
    (folder / "pom.xml").write_text(POM.format(wanted))
    command = ["mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=jars"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        pytest.skip(f"Maven does not find {language.artifacts[0]}")
    return [Path(one) for one in (folder / "jars").read_text().strip().split(":")]
