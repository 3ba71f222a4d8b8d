import re
import subprocess
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from steady.harness.jmh.configure.command_lines import CommandLine, command_lines, include_pattern
from steady.harness.jmh.configure.plan_rendering import argument_file
from steady.model import ExecutionConfiguration, Identity
from tests.harness.planned import SMALL, planned, planned_as

CONFIGURATIONS = [SMALL, replace(SMALL, forks=2), replace(SMALL, iterations=9)]


def simulate(
    line: CommandLine, annotated: dict[str, dict[str, list[str]]]
) -> list[tuple[Identity, ExecutionConfiguration]]:
    """Interpret the arguments as JMH does, from its source: a literal oracle.

    `CommandLineOptions` parses, `BenchmarkList.find` selects, `Runner.explodeAllParams` combines.
    """
    options: dict[str, str] = {}
    params: dict[str, list[str]] = {}
    includes: list[str] = []
    arguments = iter(line.arguments)
    for argument in arguments:
        if argument == "-p":
            key, _, values = next(arguments).partition("=")
            params.setdefault(key, []).extend(java_split(values))
        elif argument.startswith("-"):
            options[argument] = next(arguments)
        else:
            includes.append(argument)
    ran = []
    for name, own in annotated.items():
        if any(java_match(include, name) for include in includes):
            for combination in product(*(params.get(key) or own[key] for key in sorted(own))):
                chosen = tuple(zip(sorted(own), combination, strict=True))
                identity = Identity(name, options["-bm"], chosen, int(options["-t"]))
                ran.append((identity, line.configuration))
    return ran


def java_split(text: str) -> list[str]:
    """``String.split(",")``: trailing empty strings are dropped, unless there is no comma."""
    parts = text.split(",")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts if parts != [""] or "," not in text else []


METHODS: dict[str, dict[str, list[str]]] = {
    "p.B.none": {},
    "p.B.nones": {},
    "p.B.one": {"n": ["1", "2", "3"]},
    "p.B.other": {"n": ["1", "2"]},
    "p.B.two": {"n": ["1", "2"], "text": ["", "a b", "-x"]},
}
ALL = [
    Identity(name, mode, tuple(zip(params, values, strict=True)), threads)
    for name, params in METHODS.items()
    for mode in ("avgt", "thrpt")
    for threads in (1, 4)
    for values in product(*params.values())
]


@given(st.dictionaries(st.sampled_from(ALL), st.sampled_from(CONFIGURATIONS), max_size=len(ALL)))
def test_every_benchmark_runs_once_as_planned_and_no_other(
    plan: dict[Identity, ExecutionConfiguration],
) -> None:
    benchmarks = [planned_as(*one) for one in sorted(plan.items(), key=str)]
    ran = Counter(run for one in command_lines(benchmarks) for run in simulate(one, METHODS))
    assert ran == Counter(plan.items())


def test_equal_configurations_and_parameters_share_a_run() -> None:
    benchmarks = [planned_as(identity, CONFIGURATIONS[0]) for identity in ALL]
    # For each mode and number of threads: a run of none and nones; runs of one and other with n=1
    # and n=2, of one with n=3, and of two with each of its six combinations.
    assert len(command_lines(benchmarks)) == 2 * 2 * (1 + 3 + 6)
    lines = command_lines(
        [planned("p.B.plain"), planned("p.B.a", n="1"), planned("p.B.c"), planned("p.B.b", n="1")]
    )
    assert [(one.names, one.params) for one in lines] == [
        (("p.B.plain", "p.B.c"), ()),
        (("p.B.a", "p.B.b"), (("n", "1"),)),
    ]


def test_arguments_are_complete() -> None:
    (one,) = command_lines([planned("p.B.a", n="1", text="x y")])
    assert one.arguments == (
        *("-bm", "avgt", "-t", "1", "-f", "1", "-wi", "2", "-w", "100ms", "-wbs", "1"),
        *("-i", "3", "-r", "200ms", "-bs", "1", "-p", "n=1", "-p", "text=x y"),
        r"^\Qp.B.a\E$",
    )
    # Single-shot mode has no times.
    once = ExecutionConfiguration(1, 2, 3, 0.0, 0.0, 4, 5)
    (one,) = command_lines([planned("p.B.a", once, "ss")])
    assert one.arguments[:-1] == (
        *("-bm", "ss", "-t", "1", "-f", "1", "-wi", "2", "-wbs", "4", "-i", "3", "-bs", "5"),
    )


NAMES = ["p.B.a", "p.B.ab", "a\\E.*", "\\Q\\E", "\\", "\\\\E", "é", "ü🙂", "$^", "(", "a b", "E\\"]


@pytest.mark.needs("java", "javac")
def test_java_matches_only_the_quoted_name(tmp_path: Path) -> None:
    source = Path(__file__).with_name("Match.java")
    (tmp_path / "names").write_text("\n".join(NAMES), encoding="utf-8")
    command = ["java", str(source), str(tmp_path / "names"), *map(include_pattern, NAMES)]
    done = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C"}, check=True)
    rows = done.stdout.split()
    assert rows == ["0" * i + "1" + "0" * (len(NAMES) - i - 1) for i in range(len(NAMES))]


@settings(max_examples=300)
@given(st.text(), st.text())
@example("\\E", "E")
def test_patterns_are_ascii_and_quote_everything(name: str, other: str) -> None:
    pattern = include_pattern(name)
    assert pattern.isascii()
    assert bool(java_match(pattern, name))
    assert bool(java_match(pattern, other)) == (name == other)


def java_match(pattern: str, text: str) -> re.Match[str] | None:
    """Match with the quoting of ``java.util.regex.Pattern`` translated to Python's."""
    assert pattern[0] == "^"
    assert pattern[-1] == "$"
    result, rest = "", pattern[1:-1]
    while rest:
        if rest.startswith("\\Q"):
            quoted, _, rest = rest[2:].partition("\\E")
            result += re.escape(quoted)
        elif rest.startswith("\\x{"):
            code, _, rest = rest[3:].partition("}")
            result += re.escape(chr(int(code, 16)))
        else:
            assert rest.startswith("\\\\E")  # would end the quotation
            result += "\\\\E"
            rest = rest[3:]
    return re.fullmatch(result, text, re.DOTALL)


ODD = [
    *("", " a  b ", "it's", '"quoted" \\ back\\n', "#", "a#b", "@a", "-cp", "\\", "ends \\", '"'),
    *(
        "line\nend\r\n",
        "tab\tfeed\f\v",
        "$(touch canary) `touch canary` *?[a]{};|<>",
        "\x1f",
        "ü🙂",
    ),
    *("ü🙂", r"^\Qorg.Bench.get\E$"),
]


def test_plain_arguments_are_not_quoted() -> None:
    assert argument_file([r"^\Qp.B.a\E$", "n=x y", "\\ \"\n'"], "run me").decode() == (
        '# run me\n^\\Qp.B.a\\E$\n"n=x y"\n"\\\\ \\"\\n\'"\n'
    )


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_each_argument_has_its_own_line(arguments: list[str]) -> None:
    lines = argument_file(arguments, "comment").decode().split("\n")
    assert len(lines) == len(arguments) + 2
    assert not any("\r" in line or "\f" in line for line in lines)


@pytest.mark.needs("java", "javac")
def test_java_reads_argument_files(tmp_path: Path) -> None:
    echo = str(Path(__file__).with_name("Echo.java"))
    (tmp_path / "odd.args").write_bytes(argument_file([echo, *ODD], "a comment"))
    done = subprocess.run(
        ["java", "@odd.args", "@added", "-x"],
        cwd=tmp_path, env={"LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    arrived = ["".join(chr(int(c)) for c in line.split()) for line in done.stdout.splitlines()]
    assert arrived == [*ODD, "@added", "-x"]
