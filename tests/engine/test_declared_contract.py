"""Every way to run benchmarks keeps their declarations, according to JMH itself.

The thorough tests try all of jmh-samples too. `ParamsProbe` asks JMH what it would run for a
command line, and has it run nothing.
"""

import base64
import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from steady.cli import main
from steady.engine import HarnessSettings, Version
from steady.engine.schedule import schedule
from steady.engine.workload import Workload, configured, full_run, planned, unplanned_run
from steady.execution.live_stop import StopRule
from steady.harness.jmh.configure.benchmark_list_file import list_of_jar
from steady.harness.jmh.configure.command_lines import command_lines, include_pattern
from steady.harness.jmh.configure.plan_rendering import make_overlay
from steady.harness.jmh.run.jar import BenchmarkJar
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.run.side import JmhSide
from steady.harness.jmh.run.stopper import Stopper
from steady.harness.jmh.run.turn_server import ForeignMessages
from steady.harness.jmh.time_value import parse_time_value
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan, Plan
from steady.steadystate import ONLINE

pytestmark = pytest.mark.needs("java", "javac", "mvn")

HERE = Path(__file__).parent
POM = HERE.parent / "emit" / "project" / "pom.xml"

DECLARING, PROBE = HERE / "Declaring.java", HERE / "ParamsProbe.java"

SAMPLES = {
    "</dependencies>": """<dependency>
<groupId>org.openjdk.jmh</groupId><artifactId>jmh-samples</artifactId><version>${jmh}</version>
</dependency></dependencies>""",
    "<transformers>": """<transformers>
<transformer implementation="org.apache.maven.plugins.shade.resource.AppendingTransformer">
<resource>META-INF/BenchmarkList</resource></transformer>""",
}
"""What a project with all of jmh-samples says in its ``pom.xml``."""

SIZES = {"declaring": (0, 8), "samples": (37, 190)}
"""Samples that hold benchmarks, and benchmarks, those of `DECLARING` among them."""

TOLD = ("forks", "warmup forks", "warmup", "measurement")
"""What a plan is there to change, and forks that change nothing; nothing else may be."""

PATHS = ("--full", "--new", "--plan", "--stop", "command lines")

QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""What lets a JVM come to its end sooner."""

Told = Mapping[str, str]


@pytest.fixture(
    scope="module", params=["declaring", pytest.param("samples", marks=pytest.mark.thorough)]
)
def built(
    request: pytest.FixtureRequest,
    build_jar: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Return a folder with `target/benchmarks.jar`."""
    folder = tmp_path_factory.mktemp("built") / str(request.param)
    folder.mkdir()
    if folder.name == "declaring":
        write_declaring(folder, build_jar("1.37"))
    else:
        write_samples(folder)
    return folder


def write_declaring(folder: Path, jmh: Path) -> None:
    """Write a jar with the JMH of another one, and only the benchmarks of `DECLARING`."""
    classes = folder / "classes"
    classes.mkdir()
    quick = [f"-J{option}" for option in QUICK]
    command = ["javac", *quick, "-nowarn", "-cp", str(jmh), "-d", str(classes)]
    command += [str(DECLARING), str(PROBE)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    files = (path for path in classes.rglob("*") if path.is_file())
    own = {path.relative_to(classes).as_posix(): path for path in files}
    (folder / "target").mkdir()
    with (
        zipfile.ZipFile(jmh) as jar,
        zipfile.ZipFile(folder / "target" / "benchmarks.jar", "w") as written,
    ):
        for name in jar.namelist():
            if name not in own and not name.startswith("suite/"):
                written.writestr(name, jar.read(name))
        for name, path in own.items():
            written.write(path, name)


def write_samples(folder: Path) -> None:
    """Build the jar of all of jmh-samples."""
    pom = POM.read_text(encoding="utf-8")
    for tag, more in SAMPLES.items():
        pom = pom.replace(tag, more.replace("\n", ""), 1)
    (folder / "pom.xml").write_text(pom)
    own = folder / "src" / "main" / "java" / "declaring"
    own.mkdir(parents=True)
    shutil.copy(DECLARING, own)
    shutil.copy(PROBE, own.parent)
    command = ["mvn", "-q", "-B", "package"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def _key(told: Told) -> tuple[str, ...]:
    return told["benchmark"], told["mode"], told["params"]


def _identity(told: Told) -> Identity:
    pairs = [pair.partition("=") for pair in told["params"].split(";") if pair]
    params = tuple((key, value) for key, _, value in pairs)
    return Identity(told["benchmark"], told["mode"], params, int(told["threads"]))


def _configuration(told: Told) -> ExecutionConfiguration:
    warmup, measurement = (told[key].split(" x ") for key in ("warmup", "measurement"))
    return ExecutionConfiguration(
        forks=int(told["forks"]),
        warmup_iterations=int(warmup[0]),
        iterations=int(measurement[0]),
        warmup_seconds=parse_time_value(warmup[1]),
        iteration_seconds=parse_time_value(measurement[1]),
        warmup_batch_size=int(told["warmup batch size"]),
        batch_size=int(told["batch size"]),
    )


def probed(class_path: Iterable[Path], commands: Sequence[Sequence[str]]) -> list[list[Told]]:
    """Return the configurations with which JMH would run each command line."""
    lines = (",".join(base64.b64encode(a.encode()).decode() for a in one) for one in commands)
    path = os.pathsep.join(map(str, class_path))
    java = ["java", *QUICK, "-Djmh.ignoreLock=true", "-cp", path, "ParamsProbe"]
    done = subprocess.run(
        java, input="\n".join(lines), capture_output=True, text=True, timeout=300, check=True
    )
    told: list[list[Told]] = [
        [dict(_pair(field) for field in line.split("\t")) for line in answer.splitlines()]
        for answer in done.stdout.split("\n\n")[:-1]
    ]
    assert len(told) == len(commands), done.stderr
    return told


def _pair(field: str) -> tuple[str, str]:
    key, _, value = field.partition("=")
    return key, value


def _as_declared(told: Iterable[Told]) -> dict[tuple[str, ...], Told]:
    """Return the values that must not change, by benchmark; each occurs once."""
    found = [(_key(one), {k: v for k, v in one.items() if k not in TOLD}) for one in told]
    assert len(dict(found)) == len(found)
    return dict(found)


@pytest.fixture(scope="module")
def plan(built: Path) -> Plan:
    """Return the plan of a full run with three warm-up and five measured iterations."""
    jar = BenchmarkJar(built / "target" / "benchmarks.jar")
    held = {"results": jar.identities}
    entries = []
    for one in configured(jar.identities, full_run(5, 60, 0.1), held, declared=jar.declared):
        reduced = replace(one.configuration, warmup_iterations=3, iterations=5)
        how = (reduced, one.configuration)
        entries.append(BenchmarkPlan(one.identity, *how, 1.0, 2.0, "reduced", ""))
    return Plan(tuple(entries), "uoptime")


@pytest.fixture(scope="module")
def answers(
    built: Path, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[list[Told]]]:
    """Return the configurations by default and by each path, from one JVM."""
    jar = BenchmarkJar(built / "target" / "benchmarks.jar")
    held = {"results": jar.identities}
    declared = jar.declared
    scratch = tmp_path_factory.mktemp("scratch")
    stop = StopRule(next(iter(ONLINE)))
    side = JmhSide(jar, HarnessSettings(), scratch, scratch / "classes", ForeignMessages())

    def forks(workloads: Sequence[Workload]) -> list[list[str]]:
        return [side._arguments(schedule([one], seed=1)[0]) for one in workloads]

    commands: dict[str, Sequence[Sequence[str]]] = {
        "plain": [["-v", "normal"]],
        "--full": forks(configured(jar.identities, full_run(5, 60, 0.1), held, declared=declared)),
        "--new": forks(configured(jar.identities, unplanned_run(5, 5), held, declared=declared)),
        "--plan": forks(planned(plan, held)),
        "--stop": [
            side._arguments(replace(one, configuration=Stopper(stop, [one]).configuration))
            for one in schedule(planned(plan, held), seed=1)[: len(plan)]
        ],
        "command lines": [one.arguments for one in command_lines(plan.benchmarks)],
    }
    assert tuple(commands) == ("plain", *PATHS)
    told = iter(probed([jar.path], [one for lines in commands.values() for one in lines]))
    return {path: [next(told) for _ in lines] for path, lines in commands.items()}


@pytest.fixture(scope="module")
def plain(built: Path, answers: Mapping[str, list[list[Told]]]) -> list[Told]:
    """Return the default configurations of JMH."""
    (told,) = answers["plain"]
    samples = {one["benchmark"].split("_")[1] for one in told if "JMHSample_" in one["benchmark"]}
    assert (len(samples), len(told)) == SIZES[built.name]
    return told


def test_declarations_equal_those_of_jmh(built: Path, plain: list[Told]) -> None:
    version = Version("results", built / "target" / "benchmarks.jar")
    told = {_identity(one): _configuration(one) for one in plain}
    assert JmhRuns().declared(version) == told


@pytest.mark.parametrize("path", PATHS)
def test_runs_keep_declarations(
    path: str, answers: Mapping[str, list[list[Told]]], plain: list[Told]
) -> None:
    if path != "command lines":
        assert [len(answer) for answer in answers[path]] == [1] * len(plain)
    told = [one for answer in answers[path] for one in answer]
    assert _as_declared(told) == _as_declared(plain)
    assert {one["forks"] for one in told} == ({"5"} if path == "command lines" else {"1"})


def test_the_overlay_keeps_declarations(
    built: Path, plain: list[Told], plan: Plan, tmp_path: Path
) -> None:
    jar = built / "target" / "benchmarks.jar"
    overlay = make_overlay(plan.benchmarks, list_of_jar(jar))
    assert set(overlay.names) >= {
        one["benchmark"] for one in plain if not one["benchmark"].endswith("measureAll")
    }
    path = tmp_path / "META-INF" / "BenchmarkList"
    path.parent.mkdir()
    path.write_bytes(overlay.content)
    (told,) = probed([tmp_path, jar], [[include_pattern(name) for name in overlay.names]])
    served = {i.name for i in overlay.served}
    assert _as_declared(told) == _as_declared(o for o in plain if o["benchmark"] in served)
    assert {one["forks"] for one in told} == {"5"}


def test_a_batch_is_measured_as_one_operation(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", " ".join(["-Djmh.ignoreLock=true", *QUICK]))
    out = tmp_path / "out"
    only, batch, least = {
        "declaring": (r"Declaring\.much", 4, 0.0),
        # 5,000 insertions into the middle of a list; one takes less than a millisecond.
        "samples": (r"_26_BatchSize\.measureRight", 5000, 0.002),
    }[built.name]
    jar = str(built / "target" / "benchmarks.jar")
    run = ["run", "--full", "1x1", "--iteration-seconds", "0.05", "--only", only]
    assert main([*run, "--jar", jar, "--out", str(out)]) == 0
    for record in json.loads((out / "results.json").read_text(encoding="utf-8")):
        assert record["measurementBatchSize"] == record["warmupBatchSize"] == batch
        assert record["primaryMetric"]["score"] > least
