"""The contract of every harness: steady's own, and that of `examples/own-harness`."""

import re
import runpy
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from steady.cli import main
from steady.errors import InputError, SteadyError
from steady.harness import Harness, Running
from steady.harness.contract import Format
from steady.harness.fork_facts import VERSION
from steady.harness.runs import DEFAULTS, ForkResult, RunFacts, Runs, Turn
from steady.harness.search import Search
from steady.harness.trial import Trial, TrialError, Version
from steady.harnesses import HARNESSES, builds_of
from steady.model import ExecutionConfiguration, Identity, Spent, Suite
from steady.optimize import read_plan
from steady.readers import Document, load, open_document
from steady.registry import OnRequest
from steady.report.output_formats import PAGE
from steady.report.plan_files import FILES as OF_PLAN
from steady.samecode.choice import SameCodeChoice
from tests.harness.facts_in_files import facts_in_file
from tests.harness.program_trials import PYTEST, plan_of, program, written
from tests.harness.texts import FOLDER, TEXTS
from tests.looped import looped

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests" / "readers" / "recorded"
SHORT = ExecutionConfiguration(1, 1, 2, 0.01, 0.01)
SPENT = Spent(1.5, 1.25)


@dataclass(frozen=True)
class Case:
    """What a harness is tried with.

    Parameters
    ----------
    harness : Harness
        The harness.
    names : tuple of str
        Two of its benchmarks; of a command the only one.
    texts : mapping of str to str
        By format, a file that it left.
    command : tuple of str
        The words behind ``--``.
    """

    harness: Harness
    names: tuple[str, ...]
    texts: Mapping[str, str]
    command: tuple[str, ...] = ()

    @property
    def running(self) -> Running:
        assert self.harness.running is not None
        return self.harness.running

    @property
    def runs(self) -> Runs:
        return self.running.make(replace(DEFAULTS, command=self.command))


def _recorded(name: str) -> str:
    return (RECORDED / name).read_text(encoding="utf-8")


def _case(name: str, names: tuple[str, ...], *formats: str, command: tuple[str, ...] = ()) -> Case:
    """Return a program's case, with what it left."""
    texts = {one: _recorded(f"programs/{one}.json") for one in formats or (name,)}
    return Case(HARNESSES[name].value, names, texts, command)


JMH = {"jmh": _recorded("1.37/plain.json"), "jmh-log": _recorded("1.37/plain.log")}
TWO_MODES = ("suite.Suite.twoModes", "suite.Suite.twoModesMore")
GO = {"go": _recorded("go/plain.txt")}
OWN: Harness = runpy.run_path(str(ROOT / "examples" / "own-harness" / "steady_lines.py"))["LINES"]
LINES = {"lines": '# fork {"block": "0.0"}\nsort/small 7.5\n'}
OPTION = "--benchmark_min_warmup_time=0"
CASES = {
    "jmh": Case(HARNESSES["jmh"].value, TWO_MODES, JMH),
    "go": Case(HARNESSES["go"].value, ("p.BenchmarkX", "p.BenchmarkY"), GO),
    "google-benchmark": _case("google-benchmark", ("BM_x", "BM_y"), command=("./p", OPTION)),
    "criterion": _case("criterion", ("plain", "odd/a.b+c(d) [e]*/7")),
    "pytest-benchmark": _case(
        "pytest-benchmark", ("test_p.py::test_x", "test_p.py::test_y"), command=("pytest",)
    ),
    "pyperf": _case("pyperf", ("x", "y"), command=(sys.executable, "bench.py")),
    "tinybench": _case(
        "tinybench", ("x", "y"), "tinybench", "tinybench-vitest", command=("./tinybench",)
    ),
    "asv": _case("asv", ("bench.Suite.time_x(1, 'a')", "bench.time_y")),
    "benchmarkdotnet": _case("benchmarkdotnet", ("N.Type.Method(N: 10)", "N.Outer+Type.Method")),
    "kotlinx-benchmark": _case("kotlinx-benchmark", ("p.Bench.x", "p.Bench.y")),
    "command": _case("command", ("./p",), "hyperfine", command=("./p",)),
    "lines": Case(OWN, ("sort/small", "sort/large"), LINES),
}
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
NEEDS = {"jmh": ("java", "mvn"), "pyperf": ("pyperf",)}
RUNNING = {name: case for name, case in CASES.items() if case.harness.running is not None}
RUN = pytest.mark.parametrize("case", RUNNING.values(), ids=list(RUNNING))


def _really(*thorough: str, commands: bool = False) -> pytest.MarkDecorator:
    """Return the cases of a test that runs programs, some of them real ones.

    Those that have such tests in their own rooms, and take long, are thorough here. Commands know
    only what is installed.
    """
    marks = {name: [pytest.mark.needs(*NEEDS[name])] if name in NEEDS else [] for name in RUNNING}
    for name in thorough:
        marks[name].append(pytest.mark.thorough)
    cases = [
        pytest.param(case, id=name, marks=marks[name])
        for name, case in RUNNING.items()
        if not commands or name in HARNESSES
    ]
    return pytest.mark.parametrize("case", cases)


def test_every_harness_is_here() -> None:
    assert CASES.keys() - {"lines"} == set(HARNESSES)
    for name, case in CASES.items():
        assert case.harness.name == name
        assert case.harness.title or name == "command"
        assert case.harness.summary
        assert case.harness.source
        assert case.texts.keys() == {one.name for one in case.harness.formats}


def _parts(value: object) -> Iterator[object]:
    yield value
    if isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    elif is_dataclass(value) and not isinstance(value, OnRequest):
        for own in fields(value):
            yield from _parts(getattr(value, own.name))


@EVERY
def test_every_part_can_be_imported(case: Case) -> None:
    places = [part for part in _parts(case.harness) if isinstance(part, OnRequest)]
    assert all(callable(place.load()) for place in places)


# Results


def _formats() -> Mapping[str, Format]:
    return {one.name: one.value for case in CASES.values() for one in case.harness.formats}


@EVERY
def test_a_format_recognizes_and_reads_its_own_files_and_no_others(case: Case) -> None:
    for name, text in case.texts.items():
        own = case.harness.name if case.harness.title else "hyperfine"
        assert name == own or name.startswith(f"{own}-")
        document = Document(Path("f"), text)
        assert [n for n, one in _formats().items() if one.recognizes(document)] == [name]
        begun = [n for n, one in _formats().items() if one.begins and one.begins(text.encode())]
        assert begun in ([], [name])
        suite = _formats()[name].read(document)
        assert suite.harness == case.harness.name
        assert suite.sources == ("f",)
        assert len(suite) > 0
        joins = _formats()[name].joins
        assert joins is None or joins(suite, ()) == suite


@EVERY
@looped("text", ["", "nonsense", "[", "{}", "[]\n", "a 1\nb x\n", "\0\ufffd"])
def test_other_texts_are_an_error_of_one_sentence(case: Case, text: str) -> None:
    for one in case.harness.formats:
        try:
            suite = one.value.read(Document(Path("f"), text))
        except SteadyError as error:
            assert "\n" not in str(error)  # noqa: PT017 - some read it as an empty suite
        else:
            assert isinstance(suite, Suite)
    hint = case.harness.unreadable
    assert hint is None or hint(Document(Path("f"), text)) == ""


@pytest.mark.parametrize("name", TEXTS)
def test_texts_equal_the_reviewed_ones(name: str) -> None:
    """What recorded results and plans become; `python -m tests.harness.texts` writes it anew."""
    assert TEXTS[name]() == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


# Facts


@EVERY
def test_costs_of_a_run(case: Case) -> None:
    cost = case.harness.cost
    assert cost.fork_seconds > 0
    assert cost.start_seconds >= 0
    assert cost.turning_share >= 0
    assert cost.between_runs > 0
    operation = np.array([[1e-6, 0.3], [2.0, np.nan]])
    lasting = cost.lasting(1.0, operation, 1)
    assert lasting.shape == operation.shape
    nominal = 1.0 if case.harness.title else 0.0  # of a command it is one execution
    assert (lasting >= np.fmax(operation, nominal) * (1 - 1e-9)).all()
    assert cost.lasting(0.0, np.array([np.nan]), 1).tolist() == [0.0]
    assert cost.lasting(0.0, np.array([0.5]), 1).tolist() == [0.5]


def test_counts_of_one_unit_agree() -> None:
    counts = [count for case in CASES.values() for count in case.harness.counts]
    assert len({count.name for count in counts}) == len(counts)
    assert len({count.unit for count in counts}) == len({(c.unit, c.least) for c in counts})
    assert all(count.least > 0 <= count.own for count in counts)


@EVERY
def test_words_for_users(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    building = case.harness.building
    assert case.harness.forks.startswith(case.harness.fork)
    assert building.target or case.harness.running is None
    assert building.usual
    assert "{" not in building.empty.replace("{ways}", "")
    assert building.built is None or list(building.built()) == []
    assert building.lacking is None or str(tmp_path) in building.lacking(tmp_path)
    assert building.lacking or building.named or not building.commands
    score = case.harness.score
    assert score is None or score.kind in ("mean", "median")


@EVERY
def test_its_own_patterns(case: Case) -> None:
    make = case.harness.own_pattern
    if make is not None:
        assert not make("(")(case.names[0])
        assert not make("X")("")
        assert all(make("Benchmark")(name) for name in case.names)


# Plans


@EVERY
def test_a_plan_becomes_its_configuration(case: Case, tmp_path: Path) -> None:
    own = case.harness.configuring
    if own is None:
        return
    planned = partial(plan_of, case.harness.name)
    rendered = own.render(planned(SHORT, *case.names), None)
    assert rendered.files
    assert all(any(fnmatch(name, pattern) for pattern in own.files) for name in rendered.files)
    nothing = own.render(planned(SHORT), None)
    assert not nothing.files
    assert nothing.notes
    with pytest.raises(InputError):
        own.render(planned(replace(SHORT, iterations=0), case.names[0]), None)
    if own.list_of is not None:
        with pytest.raises(InputError):
            own.list_of(tmp_path / "absent")


def test_the_page_on_plans_has_a_row_for_each_harness_that_is_run() -> None:
    page = (ROOT / "docs/howto/plan.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    for name, case in RUNNING.items():
        if name in HARNESSES:
            title = case.harness.title or "any command"
            [files, *_] = [row[1] for row in rows if re.search(rf"\b{re.escape(title)}\b", row[0])]
            own = () if case.harness.configuring is None else case.harness.configuring.files
            assert all(f"`{file}`" in files for file in own), name
            assert own or files == "nothing", name


@EVERY
def test_known_declarations_are_added(case: Case, tmp_path: Path) -> None:
    own = case.harness.declaring
    if own is not None:
        suite = Suite.of({case.names[0]: [[1.0]]}, unit="ns/op")
        assert own.add(suite, tmp_path / "absent") == suite


@EVERY
def test_missing_sources_are_not_annotated(case: Case, tmp_path: Path) -> None:
    own = case.harness.annotating
    if own is None:
        return
    own.ready(tmp_path)
    plan = plan_of(case.harness.name, SHORT, *case.names)
    with pytest.raises(InputError, match="does not exist"):
        own.ready(tmp_path / "absent")
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(InputError, match="give the folder of the benchmarks' sources"):
            own.patch(plan, path)


# Runs


@pytest.fixture
def target(
    case: Case, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return something with the two benchmarks of a case."""
    if case.harness.name == "jmh":
        quick = "-Djmh.ignoreLock=true -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", quick)
        build: Callable[[str], Path] = request.getfixturevalue("build_jar")
        return build("1.37")
    if case.harness.name == "criterion":
        programs: Path = request.getfixturevalue("criterion_programs")
        return Path(shutil.copy(programs / "base", tmp_path / "p"))
    files = {
        "go": {"p.test": program("go")},
        "google-benchmark": {"p/p": program("google")},
        "pytest-benchmark": {"p/test_p.py": program("pytest"), "p/.venv/bin/pytest": PYTEST},
        "pyperf": {"p/bench.py": program("pyperf")},
        "tinybench": {"p/tinybench": program("tinybench")},
        "command": {"p/p": program("command")},
        "lines": {"p.lines": program("lines")},
    }[case.harness.name]
    written(tmp_path, files)
    return tmp_path / next(iter(files)).partition("/")[0]


@RUN
def test_missing_targets_cannot_be_run(case: Case, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        assert not case.running.holds(path)
    runs = case.runs
    assert runs.name == case.harness.name
    assert runs.suffix.startswith(".")
    assert runs.start_seconds == case.harness.cost.start_seconds
    with pytest.raises(InputError):
        runs.check([Version("results", tmp_path / "absent")])


def _trial(identity: Identity, number: int, version: str = "results") -> Trial:
    return Trial(number, number, version, identity, SHORT, 1.0, 60.0)


@_really("jmh")
def test_forks_are_run_and_merged(case: Case, target: Path, tmp_path: Path) -> None:
    takes = case.running.takes
    assert case.running.holds(target) or (takes and takes(case.command, target))
    runs, version = case.runs, Version("results", target)
    runs.check([version])
    listed = runs.benchmarks(version, Search())
    held = {identity.name: identity for identity in listed if identity.mode == "avgt"}
    wanted = [held[name] for name in case.names if name in held]
    assert len(wanted) == len(case.names)
    assert runs.declared(version).keys() <= set(runs.benchmarks(version))
    described = runs.describe([version])
    assert all(isinstance(text, str) for text in (*described, *described.values()))
    results = []
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with runs.open([version], scratch) as session:
        for number, identity in enumerate((*wanted, *wanted)):
            trial = _trial(identity, number)
            path = tmp_path / f"{number}{runs.suffix}"
            seconds = session.measure(trial, path)
            assert seconds is None or seconds > 0
            block = f"run:{number // len(wanted)}"
            fork = ForkResult(trial, block, path, SPENT, in_turn=True, processor=number)
            results.append(fork)
    merged: list[Path] = []
    for identity in wanted:
        own = [one for one in results if one.trial.identity == identity]
        path = tmp_path / f"merged-{len(merged)}{runs.suffix}"
        path.write_bytes(runs.merge(own, RunFacts({identity: 2}, looks={identity: (2, 4)})))
        assert list(runs.measured(path)) == [identity]
        merged.append(path)
    whole, joined = (tmp_path / f"{name}{runs.suffix}" for name in ("whole", "joined"))
    facts = RunFacts(dict.fromkeys(wanted, 2), looks=dict.fromkeys(wanted, (2, 4)))
    whole.write_bytes(runs.merge(results, facts))
    joined.write_bytes(runs.join(merged))
    for path in (whole, joined):
        assert set(runs.measured(path)) == set(wanted)
        suite = _read(case, path)
        assert not suite.failures
        for identity in wanted:
            assert suite[identity].blocks == ("run:0", "run:1")
            assert suite[identity].measured.shape == (2, SHORT.iterations)
            assert suite[identity].in_turn == (True, True)
            assert suite[identity].spent == (SPENT, SPENT)
            assert suite[identity].looks == (2, 4)
        found = facts_in_file(path)
        assert {one["version"] for one in found if "version" in one} == {VERSION}
        assert {(one["block"], one["processor"]) for one in found} == {
            (fork.block, fork.processor) for fork in results
        }


def _read(case: Case, path: Path) -> Suite:
    document = open_document(path)
    return next(
        one.value.read(document) for one in case.harness.formats if one.value.recognizes(document)
    )


@_really("jmh", "pytest-benchmark", commands=True)
def test_a_plan_from_a_full_run_is_followed(
    case: Case, target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, full, folder, pair = case.harness.name, *(tmp_path / n for n in ("full", "plan", "pair"))
    words = ["--", *case.command] if case.command else []
    length = ["--full", "2x12", "--iteration-seconds", "0.01"]
    names = case.names[:1] if name in ("jmh", "criterion") else case.names
    # What these two run has many more.
    only = [] if names == case.names else ["--only", f"^{re.escape(names[0])}$"]
    run = ["run", "--harness", name, str(target), *length, *only, "--out", str(full)]
    assert main([*run, *words]) == 0
    loose = ["--min-forks", "1", "--budget", "90%", "--unsteady", "reduce"]
    assert main(["optimize", str(full), *loose, "--out", str(folder)]) == 0
    plan = read_plan(folder / "plan.json")
    assert plan.harness == name
    assert {identity.name for identity in plan} == set(names)
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    own = () if case.harness.configuring is None else case.harness.configuring.files
    assert all(any(fnmatch(one, of) for of in (*OF_PLAN, PAGE, *own)) for one in written)
    assert ("takes no configuration" in capsys.readouterr().err) == (not own)
    both = ["--base", str(target), "--head", str(target), "--same-code", "run", "--turns", "forks"]
    follow = ["run", "--plan", str(folder), *both, "--all-rounds", "--out", str(pair)]
    assert main([*follow, *words]) == 0
    for side in ("base", "head"):
        suite = load(pair / f"{side}{case.runs.suffix}")
        for entry in plan.benchmarks:
            ran = suite[entry.identity]
            assert ran.measured.shape == (entry.forks, entry.iterations)
            assert ran.configuration is not None
            assert ran.configuration.warmup_iterations == entry.warmup


@_really("jmh")
def test_there_is_a_decision_for_each_benchmark(case: Case, target: Path) -> None:
    """Whether it runs the same code; a harness without this part leaves nothing out."""
    runs = case.runs
    versions = [Version(side, target) for side in ("base", "head")]
    for version in versions:
        runs.benchmarks(version)
    builds = builds_of(runs, versions)
    assert (builds is not None) == bool(case.harness.same_code)
    gone, both, new = map(Identity, ("a.Gone", case.names[0], "a.New"))
    if builds is None:
        assert SameCodeChoice().measured({"base": [both]}) == {"base": {both: None}}
    else:
        decisions = builds.decisions({"base": (gone, both), "head": (new, both)})
        assert [one.identity for one in decisions] == [gone, both, new]
        assert (decisions[0].why, decisions[2].why) == ("only in base", "only in head")
        assert all(one.distance >= 0 and 0 <= one.share <= 1 for one in decisions)


@_really("jmh", "pytest-benchmark")
def test_a_fork_has_a_result_or_a_reason(case: Case, target: Path, tmp_path: Path) -> None:
    runs = case.runs
    versions = [Version(name, target) for name in ("base", "head")]
    held = runs.benchmarks(versions[0], Search())
    runs.benchmarks(versions[1], Search())
    identity = next(one for one in held if one.name == case.names[0] and one.mode == "avgt")
    paths = [tmp_path / f"{name}{runs.suffix}" for name in ("base", "head")]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with runs.open(versions, scratch) as session:
        pair = [replace(_trial(identity, n, v.name), round=0) for n, v in enumerate(versions)]
        obstacle = session.obstacle(pair)
        assert "\n" not in obstacle
        for outcome, path in zip(session.measure_in_turn(pair, paths), paths, strict=True):
            assert isinstance(outcome, Turn)
            assert path.is_file()
            path.unlink()
        if case.harness.name == "jmh":
            absent = replace(identity, name=f"{identity.name}Absent")
        else:
            absent = identity
            target.with_name(f"{target.name}.dies").touch()
        outcomes = session.measure_in_turn(
            [replace(trial, identity=absent) for trial in pair], paths
        )
        assert all(isinstance(one, TrialError) for one in outcomes)
        assert all(str(one) for one in outcomes)
        with pytest.raises(TrialError):
            session.measure(replace(pair[0], identity=absent), paths[0])
    assert not any(path.exists() for path in paths)
