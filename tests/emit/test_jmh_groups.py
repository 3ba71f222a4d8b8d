from __future__ import annotations

import re
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.emit.jmh_groups import Invocation, group, include_pattern, split_names
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.plan import BenchmarkPlan

CONFIGURATIONS = [
    ExecutionConfiguration(1, 2, 3, 0.1, 0.2),
    ExecutionConfiguration(2, 2, 3, 0.1, 0.2),
    ExecutionConfiguration(1, 2, 9, 0.1, 0.2),
]


def planned(
    name: str,
    configuration: ExecutionConfiguration = CONFIGURATIONS[0],
    mode: str = "avgt",
    threads: int = 1,
    **params: str,
) -> BenchmarkPlan:
    return planned_as(Identity(name, mode, tuple(params.items()), threads), configuration)


def planned_as(identity: Identity, configuration: ExecutionConfiguration) -> BenchmarkPlan:
    return BenchmarkPlan(identity, configuration, configuration, 1.0, 1.0, "full", "")


def simulate(
    invocation: Invocation, annotated: dict[str, dict[str, list[str]]]
) -> list[tuple[Identity, ExecutionConfiguration]]:
    """Do what JMH does with the arguments, from its source: a literal oracle.

    `CommandLineOptions` parses, `BenchmarkList.find` selects, `Runner.explodeAllParams` combines.
    """
    options: dict[str, str] = {}
    params: dict[str, list[str]] = {}
    includes: list[str] = []
    arguments = iter(invocation.arguments)
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
        if any(re.search(as_python(include), name) for include in includes):
            keys = sorted(own)
            for combination in product(*(params.get(key) or own[key] for key in keys)):
                identity = Identity(
                    name,
                    options["-bm"],
                    tuple(zip(keys, combination, strict=True)),
                    int(options["-t"]),
                )
                ran.append((identity, invocation.configuration))
    return ran


def java_split(text: str) -> list[str]:
    """``String.split(",")``: empty strings at the end are dropped, unless there is no comma."""
    parts = text.split(",")
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts if parts != [""] or "," not in text else []


def as_python(pattern: str) -> str:
    quoted = re.fullmatch(r"\^\\Q(.*)\\E\$", pattern)
    assert quoted is not None
    return f"^{re.escape(quoted[1])}$"


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


@given(
    st.dictionaries(st.sampled_from(ALL), st.sampled_from(CONFIGURATIONS), max_size=len(ALL)),
)
def test_every_benchmark_runs_once_as_planned_and_no_other(
    plan: dict[Identity, ExecutionConfiguration],
) -> None:
    benchmarks = [planned_as(*one) for one in sorted(plan.items(), key=str)]
    invocations, notes = group(benchmarks)
    ran = Counter(run for one in invocations for run in simulate(one, METHODS))
    assert ran == Counter(plan.items())
    assert notes == ()


def test_a_suite_of_one_configuration_takes_two_starts_a_mode_and_thread_count() -> None:
    benchmarks = [planned_as(identity, CONFIGURATIONS[0]) for identity in ALL]
    invocations, _ = group(benchmarks)
    # "one" has more values of n than the others, so it runs on its own
    assert len(invocations) == 2 * 2 * 2


def test_the_arguments_say_everything() -> None:
    (one,), _ = group([planned("p.B.a", n="1", text="x y")])
    assert one.arguments == (
        *("-bm", "avgt", "-t", "1", "-f", "1", "-wi", "2", "-w", "100ms", "-wbs", "1"),
        *("-i", "3", "-r", "200ms", "-bs", "1", "-p", "n=1", "-p", "text=x y"),
        r"^\Qp.B.a\E$",
    )


def test_single_shot_mode_has_no_times() -> None:
    configuration = ExecutionConfiguration(1, 2, 3, 0.0, 0.0, 4, 5)
    (one,), _ = group([planned("p.B.a", configuration, "ss")])
    assert "-w" not in one.arguments
    assert "-r" not in one.arguments
    assert one.arguments[4:12] == ("-f", "1", "-wi", "2", "-wbs", "4", "-i", "3")


def test_equal_configurations_share_a_start_where_their_parameters_agree() -> None:
    benchmarks = [
        planned("p.B.plain"),
        planned("p.B.a", n="1"),
        planned("p.B.b", n="1"),
        planned("p.B.c", n="2"),
        planned("p.B.d", m="1"),
    ]
    invocations, _ = group(benchmarks)
    assert [(one.names, one.params) for one in invocations] == [
        (("p.B.plain", "p.B.a", "p.B.b", "p.B.d"), (("n", ("1",)), ("m", ("1",)))),
        (("p.B.c",), (("n", ("2",)),)),
    ]


def test_a_method_stands_once_in_a_start() -> None:
    invocations, _ = group([planned("p.B.a"), planned("p.B.a", n="1")])
    assert [(one.names, one.params) for one in invocations] == [
        (("p.B.a",), ()),
        (("p.B.a",), (("n", ("1",)),)),
    ]


def test_values_with_commas_run_together_with_the_largest_configuration() -> None:
    small, _, large = CONFIGURATIONS
    benchmarks = [
        planned("p.B.a", small, n="1", text="a,b"),
        planned("p.B.a", large, n="1", text="c"),
        planned("p.B.a", small, n="2", text="a,b"),
        planned("p.B.a", small, n="2", text="c"),
        planned("p.B.b", small, n="2", text="c"),
    ]
    invocations, notes = group(benchmarks)
    assert [(one.names, one.params, one.configuration) for one in invocations] == [
        (("p.B.a",), (("n", ("1",)),), large),
        (("p.B.a",), (("n", ("2",)),), small),
        (("p.B.b",), (("n", ("2",)), ("text", ("c",))), small),
    ]
    assert notes == (
        "p.B.a (avgt): a value of parameter 'text' holds a comma, at which JMH's command line "
        "splits it; all of its annotated values run together, with the largest of their "
        "configurations",
    )


def test_values_with_commas_and_one_configuration_lose_nothing() -> None:
    _, notes = group([planned("p.B.a", text="a,b"), planned("p.B.a", text="c")])
    assert notes[0].endswith("all of its annotated values run together")


def test_long_command_lines_are_split() -> None:
    names = [f"p.{'x' * 90}.b{number}" for number in range(5000)]
    runs = list(split_names(names))
    assert [name for run in runs for name in run] == names
    assert 1 < len(runs) < 10
    assert max(sum(len(include_pattern(n)) + 1 for n in run) for run in runs) <= 100_000
    assert list(split_names([])) == []


NAMES = ["p.B.a", "p.B.ab", "a\\E.*", "\\Q\\E", "\\", "\\\\E", "é", "ü🙂", "$^", "(", "a b", "E\\"]


@pytest.mark.needs("java", "javac")
def test_java_matches_each_name_and_no_other(tmp_path: Path) -> None:
    source = tmp_path / "Match.java"
    source.write_text(
        """
        import java.nio.charset.StandardCharsets;
        import java.nio.file.*;
        import java.util.*;
        import java.util.regex.Pattern;

        public class Match {
            public static void main(String[] args) throws Exception {
                List<String> names = Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8);
                for (int i = 1; i < args.length; i++) {
                    for (String name : names) {
                        System.out.print(Pattern.compile(args[i]).matcher(name).find() ? 1 : 0);
                    }
                    System.out.println();
                }
            }
        }
        """
    )
    (tmp_path / "names").write_text("\n".join(NAMES), encoding="utf-8")
    command = ["java", str(source), str(tmp_path / "names"), *map(include_pattern, NAMES)]
    done = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C"}, check=True)
    rows = done.stdout.split()
    assert rows == ["0" * i + "1" + "0" * (len(NAMES) - i - 1) for i in range(len(NAMES))]


@settings(max_examples=300)
@given(st.text(), st.text())
def test_patterns_are_ascii_and_quote_everything(name: str, other: str) -> None:
    pattern = include_pattern(name)
    assert pattern.isascii()
    assert bool(java_match(pattern, name))
    assert bool(java_match(pattern, other)) == (name == other)


def java_match(pattern: str, text: str) -> re.Match[str] | None:
    """Match with the quoting of ``java.util.regex.Pattern`` turned into Python's."""
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
            assert rest.startswith("\\\\")
            result += "\\\\"
            rest = rest[2:]
    return re.fullmatch(result, text, re.DOTALL)
