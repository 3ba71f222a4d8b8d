"""What is fuzzed: each kind of input that steady takes from a file, an archive or GitHub.

A target is a name, real inputs to begin with, and a function that reads one input as the product
does. `SteadyError` is how the product refuses an input; each other exception is a defect, and so
is an output in which a stranger's text is more than text (`tests/fuzz/escaping.py`).
"""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np

import steady
from steady.compare import Comparison
from steady.emit import EMITTERS
from steady.engine.journal import Journal
from steady.engine.run_file import read_run
from steady.errors import SteadyError
from steady.github import read_context
from steady.github.acceptances import commands
from steady.github.artifacts import newest_of, read_entries
from steady.github.commit_content import marked_tree
from steady.github.workflow_runs import Run, match_of, run_of
from steady.harness.jmh.configure.benchmark_list_file import list_of_jar
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.harness.trial import Version
from steady.history.entry import decode
from steady.judging import apply_settings
from steady.model import Identity, Suite
from steady.samecode.choice import FILE_NAME, read_same_code, select
from steady.settings import RepoSettings, read_settings
from steady.settings.repo_settings import Acceptance, parse_accept
from tests.fuzz.escaping import check_commands, check_log, check_markdown, check_page
from tests.fuzz.mutation import Shape
from tests.report.from_comparison import comment, html, summary, terminal, workflow_commands

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
RECORDED = ROOT / "tests" / "readers" / "recorded"

LONGEST_MESSAGE = 600
TODAY = date(2026, 6, 1)


@dataclass(frozen=True)
class Target:
    """One kind of input.

    Parameters
    ----------
    name : str
        As the command line calls it.
    seeds : tuple of bytes
        Real inputs, each of which the product takes.
    shape : {"json", "lines", "zip", "jar"}
        What mutation knows of their structure.
    read : callable
        Reads an input; gets the bytes and an empty folder's path.
    """

    name: str
    seeds: tuple[bytes, ...] = field(repr=False)
    shape: Shape
    read: Callable[[bytes, Path], None]


@cache
def targets() -> dict[str, Target]:
    """Return all targets by name."""
    recorded = sorted(RECORDED.glob("*/*"))
    logs = [path for path in recorded if path.suffix == ".log" and path.stem in _NAMES]
    results = [path for path in recorded if path.suffix == ".json" and path.stem in _NAMES]
    outputs = sorted((RECORDED / "go").glob("*.txt"))
    known = [
        Target("jmh-json", _contents(results), "json", _loaded("results.json")),
        Target("jmh-log", _contents(logs), "lines", _loaded("jmh.log")),
        Target("jmh-pair", _contents(logs), "lines", _read_pair),
        Target("go-output", _contents(outputs), "lines", _loaded("go.txt")),
        Target("series", _contents([CORPUS / "series.json"]), "json", _loaded("series.json")),
        Target("environment", (_ENVIRONMENT,), "json", _read_environment),
        Target("plan", _corpus("plan.json"), "json", _read_plan),
        Target("settings", _corpus("steady.yml"), "lines", _read_settings),
        Target("event", _corpus("event-*.json"), "json", _read_event),
        Target("github-answer", _corpus("github-answer.json"), "json", _read_answers),
        Target("artifact", _archives(), "zip", _read_artifact),
        Target("comment", _corpus("comment.md"), "lines", _read_comment),
        Target("commit-message", _corpus("commit-message.txt"), "lines", _read_message),
        Target("journal", _corpus("journal.jsonl"), "json", _laid("journal.jsonl", _check_journal)),
        Target("run-header", _corpus("run.json"), "json", _laid("run.json", _check_header)),
        Target("history-entry", _corpus("history-entry.json"), "json", _read_entry),
        Target("overlay", _corpus("BenchmarkList"), "lines", _make_overlay),
        Target("jar", _jars(), "zip", _laid("benchmarks.jar", list_of_jar)),
        Target("two-jars", _corpus("benchmarks.jar"), "jar", _read_two_jars),
        Target("verdict", _corpus("head.json"), "json", _judge(check_rendered)),
        Target("report", _corpus("head.json"), "json", _judge(lambda c: check_page(html(c)))),
    ]
    return {target.name: target for target in known}


_NAMES = ("plain", "modes", "params", "failing", "group", "cold", "noisy", "bulk-own", "aborted")
_ENVIRONMENT = b'{"steady_environment": 1, "cpu": "EPYC 7763", "os": "Linux 6.8"}\n'


def _contents(paths: list[Path]) -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(data for path in paths if (data := path.read_bytes())))


def _corpus(pattern: str) -> tuple[bytes, ...]:
    return _contents(sorted(CORPUS.glob(pattern)))


@contextmanager
def refusing(source: Path | str | None = None) -> Iterator[None]:
    """Take one sentence on one line for an answer, beginning with the file that it is about."""
    try:
        yield
    except SteadyError as error:
        message = str(error)
        _check("\n" not in message, error)
        _check(len(message) < LONGEST_MESSAGE + len(str(source)), error)
        _check(source is None or message.startswith(str(source)), error)


def _check(right: bool, error: Exception) -> None:
    """Hold a message to be one line, not too long, beginning with the file that it is about."""
    assert right, f"not the message that it should be: {str(error)[:1000]!r}"


def _check_suite(suite: Suite) -> None:
    for benchmark in suite.values():
        assert benchmark.measurements.ndim == len(benchmark.levels)
        values = benchmark.measurements[~np.isnan(benchmark.measurements)]
        assert np.isfinite(values).all(), f"a number that is not finite in {benchmark.identity}"


def _laid(name: str, read: Callable[[Path], object]) -> Callable[[bytes, Path], None]:
    """Return how a file of this name is read."""

    def lay(data: bytes, folder: Path) -> None:
        path = folder / name
        path.write_bytes(data)
        with refusing(path):
            read(path)

    return lay


def _loaded(name: str) -> Callable[[bytes, Path], None]:
    return _laid(name, lambda path: _check_suite(steady.load(path)))


def _read_pair(data: bytes, folder: Path) -> None:
    """Read a log beside the JSON of another run."""
    result, log = folder / "results.json", folder / "jmh.log"
    result.write_bytes((RECORDED / "1.37" / "plain.json").read_bytes())
    log.write_bytes(data)
    with refusing():
        _check_suite(steady.load([result, log]))


def _read_environment(data: bytes, folder: Path) -> None:
    path = folder / "results.json"
    path.write_bytes((RECORDED / "1.37" / "plain.json").read_bytes())
    (folder / "environment.json").write_bytes(data)
    with refusing(folder / "environment.json"):
        _check_suite(steady.load(path))


def _read_plan(data: bytes, folder: Path) -> None:
    """Read a plan, write it, tell JMH, and show a comparison that was to follow it."""
    path = folder / "plan.json"
    path.write_bytes(data)
    plan = None
    with refusing(path):
        plan = steady.read_plan(path)
        again = steady.write_plan(plan, folder / "again.json")  # its seconds are rounded
        twice = steady.write_plan(steady.read_plan(again), folder / "twice.json")
        assert again.read_bytes() == twice.read_bytes()
    with refusing():
        if plan is not None:
            check_markdown(comment(_comparison(), plan))
            check_markdown(summary(_comparison(), plan))
            EMITTERS["jmh"].value(plan, None)


def _read_settings(data: bytes, folder: Path) -> None:
    """Read a settings file, and show what it accepts."""
    path = folder / "steady.yml"
    path.write_bytes(data)
    try:
        settings = read_settings(path)
    except SteadyError as error:
        _check(all(line.startswith(str(path)) for line in str(error).split("\n") if line), error)
        return
    check_rendered(apply_settings(_comparison(), settings, TODAY))


def _read_event(data: bytes, folder: Path) -> None:
    path = folder / "event.json"
    path.write_bytes(data)
    for event in ("pull_request", "workflow_run", "push"):
        environ = {
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REPOSITORY": "octo/benchmarks",
            "GITHUB_SHA": "a" * 40,
        }
        context = read_context(environ)
        assert context.head == "" or set(context.head) <= set("0123456789abcdef")
        for number in (context.pull_request, context.finished_run):
            assert number is None or number > 0


_RUN = Run(99, "measure.yml", "pull_request", "success", "c" * 40, "faster", "stranger", 8)


def _read_answers(data: bytes, _: Path) -> None:
    """Read what GitHub, or somebody between, answers about runs, artifacts, pull requests."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return  # PyGithub's own affair
    answer = answer if isinstance(answer, dict) else {"run": answer, "pulls": answer}
    for question in (
        lambda: run_of(answer.get("run"), "octo/benchmarks", 99),
        lambda: match_of(answer.get("pulls"), "octo/benchmarks", _RUN),
        lambda: newest_of(answer.get("artifacts"), _RUN, "kept"),
    ):
        with refusing():
            question()


def _archives() -> tuple[bytes, ...]:
    whole = {name: (CORPUS / name).read_bytes() for name in ("base.json", "head.json")}
    return (_packed(whole), _packed({"base.json": b"[]", "head.json": b"{}"}))


def _packed(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def _read_artifact(data: bytes, _: Path) -> None:
    names = ("base.json", "head.json", "run.json")
    with refusing("the artifact"):
        assert read_entries(data, names, "the artifact").keys() <= set(names)


def _read_comment(data: bytes, _: Path) -> None:
    """Read the orders of a comment, and show what they accept."""
    accepted: list[Acceptance] = []
    for arguments, _obstacle in commands(data.decode(errors="replace")):
        try:
            accepted.append(parse_accept(arguments, "somebody"))
        except ValueError as error:
            _check(str(error).isprintable(), error)
    if accepted:
        check_rendered(apply_settings(_comparison(), RepoSettings(accepted=tuple(accepted)), TODAY))


def _read_message(data: bytes, _: Path) -> None:
    tree = marked_tree(data.decode(errors="replace"))
    assert tree is None or set(tree) <= set("0123456789abcdef")


def _check_journal(path: Path) -> None:
    assert Journal.open(path) == Journal.open(path)


def _check_header(path: Path) -> None:
    header = read_run(path).header
    assert header.obstacle(header) is None
    int(header.run_id, 16)


def _read_entry(data: bytes, _: Path) -> None:
    with refusing("entry.json"):
        decode(data, "entry.json")


@cache
def _plan() -> steady.Plan:
    return steady.read_plan(CORPUS / "plan.json")


def _make_overlay(data: bytes, _: Path) -> None:
    """Put the plan into JMH's list of benchmarks; one in another format is left alone."""
    with refusing():
        EMITTERS["jmh"].value(_plan(), data)


def _jars() -> tuple[bytes, ...]:
    return (_packed({"META-INF/BenchmarkList": (CORPUS / "BenchmarkList").read_bytes()}),)


def _read_two_jars(data: bytes, folder: Path) -> None:
    """Decide what may differ between our jar and a stranger's, on either side of it."""
    folder = folder / "a" / "b"  # a manifest may name the folders above, which are other inputs'
    folder.mkdir(parents=True)
    ours, theirs = folder / "ours.jar", folder / "theirs.jar"
    ours.write_bytes((CORPUS / "benchmarks.jar").read_bytes())
    theirs.write_bytes(data)
    one = Identity("suite.Bench.one")
    held = {"base": (one,), "head": (one,)}
    for base, head in ((ours, theirs), (theirs, ours)):
        with refusing(theirs):
            versions = [Version("base", base), Version("head", head)]
            decided = JmhBuilds(JmhRuns(), versions).decisions(held)
            (folder / FILE_NAME).write_text(select(decided, (), seed=1).text(), encoding="utf-8")
            assert read_same_code(folder) is not None


@cache
def _base() -> Suite:
    return steady.load(CORPUS / "base.json")


@cache
def _comparison() -> Comparison:
    return steady.compare(_base(), steady.load(CORPUS / "head.json"))


def _judge(check: Callable[[Comparison], None]) -> Callable[[bytes, Path], None]:
    """Return how a fork's results are compared with ours, and the verdict checked."""

    def read(data: bytes, folder: Path) -> None:
        path = folder / "head.json"
        path.write_bytes(data)
        try:
            head = steady.load(path, empty=True)
            comparison = steady.compare(_base(), head)
        except SteadyError:
            return
        check(comparison)

    return read


def check_rendered(comparison: Comparison) -> None:
    """Write a comparison in each form but the report, held to `tests/fuzz/escaping.py`."""
    check_markdown(comment(comparison))
    check_markdown(summary(comparison))
    check_log(terminal(comparison))
    check_commands(workflow_commands(comparison))
