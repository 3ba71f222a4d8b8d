"""The script, run by real shells with a java that only pretends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steady.emit import emit
from steady.emit.jmh_groups import group
from steady.emit.jmh_script import render_script, result_line
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.plan import BenchmarkPlan, Plan

SMALL = ExecutionConfiguration(1, 2, 3, 0.1, 0.2)
LARGE = ExecutionConfiguration(5, 20, 30, 1.0, 2.0)

FAKE_JAVA = r"""#!/bin/sh
# Notes its arguments, and leaves as results what stands ready for this call.
call=$(($(cat "$FAKE/calls" 2>/dev/null || echo 0) + 1))
echo "$call" >"$FAKE/calls"
printf '%s\n' "$@" >"$FAKE/arguments.$call"
while [ $# -gt 0 ]; do
  case $1 in -rff) file=$2 ;; esac
  shift
done
echo "# log of call $call"
: >"$file"
while [ -f "$FAKE/wait.$call" ]; do sleep 0.05; done
[ ! -f "$FAKE/results.$call" ] || cat "$FAKE/results.$call" >"$file"
[ ! -f "$FAKE/status.$call" ] || exit "$(cat "$FAKE/status.$call")"
"""


def planned(
    name: str,
    configuration: ExecutionConfiguration = SMALL,
    mode: str = "avgt",
    threads: int = 1,
    **params: str,
) -> BenchmarkPlan:
    identity = Identity(name, mode, tuple(params.items()), threads)
    return BenchmarkPlan(identity, configuration, LARGE, 1.0, 2.0, "reduced", "")


def plan_of(*benchmarks: BenchmarkPlan) -> Plan:
    return Plan(benchmarks, "uoptime")


def json_of(*benchmarks: BenchmarkPlan) -> str:
    """Lay results out as JMH does (`JSONResultFormat`): see tests/readers/recorded."""
    records = []
    for benchmark in benchmarks:
        identity = benchmark.identity
        record: dict[str, object] = {
            "jmhVersion": "1.37",
            "benchmark": identity.name,
            "mode": identity.mode,
            "threads": identity.threads,
            "jvmArgs": ["-Dbrackets=]", "{"],
            "params": dict(sorted(identity.params)),
            "primaryMetric": {"score": 1.5, "rawData": [[1.5], [1.5]]},
            "secondaryMetrics": {"mode": {"score": 1.0}},
        }
        if not identity.params:
            del record["params"]
        records.append(record)
    text = json.dumps(records, indent=4, separators=(",", " : "), ensure_ascii=False)
    return text + "\n\n"


class Run:
    """A folder with a script, a jar, and a java that pretends."""

    def __init__(self, folder: Path, shell: list[str]) -> None:
        self.folder = folder
        self.shell = shell
        self.fake = folder / "fake"
        self.results = folder / "results"
        self.jar = folder / "benchmarks.jar"
        (folder / "bin").mkdir()
        self.fake.mkdir()
        java = folder / "bin" / "java"
        java.write_text(FAKE_JAVA)
        java.chmod(0o755)
        self.jar_of(b"")

    def jar_of(self, benchmark_list: bytes) -> None:
        with zipfile.ZipFile(self.jar, "w") as jar:
            jar.writestr("META-INF/BenchmarkList", benchmark_list)

    def ready(self, call: int, text: str) -> None:
        (self.fake / f"results.{call}").write_text(text, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "FAKE": str(self.fake)}

    def command(self, *arguments: str) -> list[str]:
        script = self.folder / ".steady" / "run.sh"
        return [*self.shell, str(script), *(arguments or (str(self.jar), str(self.results)))]

    def __call__(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment | more,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def arguments(self, call: int) -> list[str]:
        return (self.fake / f"arguments.{call}").read_text(encoding="utf-8").splitlines()

    @property
    def calls(self) -> int:
        return len(list(self.fake.glob("arguments.*")))

    def names(self) -> list[str]:
        records = json.loads((self.results / "results.json").read_text(encoding="utf-8"))
        return [record["benchmark"] for record in records]


SHELLS = {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}


@pytest.fixture(params=[name for name in SHELLS if shutil.which(name)] or ["sh"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    return Run(tmp_path, SHELLS.get(request.param, [request.param]))


def line(name: str) -> str:
    owner, _, method = name.rpartition(".")
    return (
        f"JMH S {len(owner)} {owner} S 1 g S {len(method)} {method} S 11 AverageTime "
        "E A 1 1 1 E E E E E E E E E E E E E E E E E \n"
    )


def test_results_of_all_groups_become_one(run: Run) -> None:
    benchmarks = [planned("p.B.a", n="1"), planned("p.B.b", LARGE), planned("p.B.c", n="2")]
    emitted = emit(plan_of(*benchmarks), run.folder / ".steady")
    assert [path.name for path in emitted.files] == ["run.sh"]
    for call, benchmark in enumerate(benchmarks, start=1):
        run.ready(call, json_of(benchmark))
    done = run()
    assert (done.returncode, run.calls) == (0, 3)
    assert run.names() == ["p.B.a", "p.B.b", "p.B.c"]
    assert run.arguments(2)[:5] == [
        "-Djmh.scorePrecision=9",
        "-cp",
        str(run.jar),
        "org.openjdk.jmh.Main",
        "-rf",
    ]
    assert run.arguments(2)[8:] == list(group(benchmarks)[0][1].arguments)
    log = (run.results / "results.log").read_text()
    assert log == "".join(f"# log of call {call}\n" for call in (1, 2, 3))
    assert done.stdout == log
    assert sorted(path.name for path in run.results.iterdir()) == [
        "environment.json",
        "results.json",
        "results.log",
    ]


def test_the_environment_is_json(run: Run) -> None:
    emit(plan_of(planned("p.B.a")), run.folder / ".steady")
    run.ready(1, json_of(planned("p.B.a")))
    uname = run.folder / "bin" / "uname"
    uname.write_text("#!/bin/sh\ncat <<'END'\na \"quoted\" \\ back\tslash\nEND\n")
    uname.chmod(0o755)
    assert run().returncode == 0
    environment = json.loads((run.results / "environment.json").read_text())
    assert environment["steady_environment"] == 1
    assert environment["cpu"]
    assert environment["os"] == 'a "quoted" \\ backslash'


def test_with_the_jar_most_runs_at_once(run: Run) -> None:
    benchmarks = [planned("p.B.a"), planned("p.B.b", LARGE), planned("p.B.c", threads=2)]
    run.jar_of("".join(line(b.identity.name) for b in benchmarks).encode())
    emit(plan_of(*benchmarks), run.folder / ".steady", jar=run.jar)
    run.ready(1, json_of(*benchmarks[:2]))
    run.ready(2, json_of(benchmarks[2]))
    assert run().returncode == 0
    assert run.calls == 2
    assert run.arguments(1)[2] == f"{run.folder / '.steady' / 'overlay'}:{run.jar}"
    assert run.arguments(1)[8:] == [r"^\Qp.B.a\E$", r"^\Qp.B.b\E$"]
    assert run.arguments(2)[8:10] == ["-bm", "avgt"]
    assert run.names() == ["p.B.a", "p.B.b", "p.B.c"]


@pytest.mark.parametrize("changed", ["jar", "overlay", "no list", "no unzip"])
def test_an_overlay_for_another_jar_is_not_used(run: Run, changed: str) -> None:
    benchmarks = [planned("p.B.a"), planned("p.B.b", LARGE)]
    run.jar_of("".join(line(b.identity.name) for b in benchmarks).encode())
    emit(plan_of(*benchmarks), run.folder / ".steady", jar=run.jar)
    if changed == "jar":
        run.jar_of((line("p.B.a") + line("p.B.b") + line("p.B.new")).encode())
    elif changed == "overlay":
        overlay = run.folder / ".steady" / "overlay" / "META-INF" / "BenchmarkList"
        overlay.write_bytes(overlay.read_bytes() + b"\n")
    elif changed == "no list":
        run.jar.write_bytes(b"no jar at all")
    else:
        for name in ("unzip", "jar"):
            tool = run.folder / "bin" / name
            tool.write_text("#!/bin/sh\nexit 1\n")
            tool.chmod(0o755)
    for call, benchmark in enumerate(benchmarks, start=1):
        run.ready(call, json_of(benchmark))
    done = run()
    assert done.returncode == 0
    assert "each group of equal configuration runs on its own instead" in done.stderr
    assert run.calls == 2
    assert [run.arguments(call)[2] for call in (1, 2)] == [str(run.jar)] * 2
    assert run.names() == ["p.B.a", "p.B.b"]


@pytest.mark.needs("jar")
def test_the_list_is_read_by_the_jdk_where_there_is_no_unzip(run: Run, tmp_path: Path) -> None:
    run.jar_of(line("p.B.a").encode())
    emit(plan_of(planned("p.B.a")), run.folder / ".steady", jar=run.jar)
    run.ready(1, json_of(planned("p.B.a")))
    tools = ["awk", "cat", "cksum", "dirname", "jar", "kill", "lscpu", "mkdir", "mkfifo", "mv"]
    tools += ["rm", "sed", "sleep", "sysctl", "tee", "tr", "uname", *run.shell[:1]]
    for name in tools:
        real = shutil.which(name)
        if real is not None:
            (run.folder / "bin" / name).symlink_to(Path(real).absolute())
    done = subprocess.run(
        run.command("benchmarks.jar", "results"),
        cwd=run.folder,
        env={"PATH": str(run.folder / "bin"), "FAKE": str(run.fake)},
        capture_output=True,
        text=True,
        timeout=60,
        executable=shutil.which(run.shell[0]),
    )
    assert done.returncode == 0, done.stderr
    assert "instead" not in done.stderr


def test_what_left_no_result_is_named_and_the_rest_is_kept(run: Run) -> None:
    benchmarks = [planned("p.B.a", n="1"), planned("p.B.a", n="2"), planned("p.B.b", LARGE)]
    emit(plan_of(*benchmarks), run.folder / ".steady")
    run.ready(1, json_of(benchmarks[0]))  # JMH leaves out what failed, and ends with 0
    done = run()
    assert done.returncode == 1
    assert run.names() == ["p.B.a"]
    assert "2 of the plan's benchmarks left no result" in done.stderr
    assert '"p.B.a" "avgt" 1 "n" : "2"\n' in done.stderr
    assert '"p.B.b" "avgt" 1\n' in done.stderr
    assert '"n" : "1"' not in done.stderr


@pytest.mark.parametrize(
    "left",
    ["", "[", '[\n    {\n        "benchmark" : "p.B.b",\n', "not JSON\n", "[\n]\n"],
    ids=["nothing", "a bracket", "half", "text", "no records"],
)
def test_a_run_that_was_cut_off_does_no_harm_to_the_others(run: Run, left: str) -> None:
    benchmarks = [planned("p.B.a"), planned("p.B.b", LARGE), planned("p.B.c", threads=2)]
    emit(plan_of(*benchmarks), run.folder / ".steady")
    run.ready(1, json_of(benchmarks[0]))
    run.ready(2, left)
    (run.fake / "status.2").write_text("137")
    run.ready(3, json_of(benchmarks[2]))
    done = run()
    assert done.returncode == 1
    assert "JMH ended with 137" in done.stderr
    assert run.names() == ["p.B.a", "p.B.c"]


def test_nothing_measured_leaves_no_results_and_none_of_an_earlier_run(run: Run) -> None:
    emit(plan_of(planned("p.B.a")), run.folder / ".steady")
    run.results.mkdir()
    for name in ("results.json", "environment.json", "mine.txt"):
        (run.results / name).write_text("old")
    done = run()
    assert done.returncode == 2
    assert "no run of JMH left results" in done.stderr
    assert sorted(path.name for path in run.results.iterdir()) == ["mine.txt", "results.log"]


def start_until(run: Run, call: int) -> subprocess.Popen[bytes]:
    """Start the script, and return when that call of java is under way."""
    process = subprocess.Popen(
        run.command(), env=run.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 30
    while not (run.fake / f"arguments.{call}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stopped_run_keeps_what_was_measured(run: Run, number: signal.Signals) -> None:
    benchmarks = [planned("p.B.a"), planned("p.B.b", LARGE), planned("p.B.c", threads=2)]
    emit(plan_of(*benchmarks), run.folder / ".steady")
    run.ready(1, json_of(benchmarks[0]))
    (run.fake / "wait.2").write_text("")
    process = start_until(run, call=2)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    assert b"what was measured so far is kept" in stderr
    assert run.calls == 2
    assert run.names() == ["p.B.a"]


def test_a_killed_run_leaves_what_each_start_left(run: Run) -> None:
    benchmarks = [planned("p.B.a"), planned("p.B.b", LARGE)]
    emit(plan_of(*benchmarks), run.folder / ".steady")
    run.ready(1, json_of(benchmarks[0]))
    (run.fake / "wait.2").write_text("")
    process = start_until(run, call=2)
    process.kill()
    (run.fake / "wait.2").unlink()
    process.communicate(timeout=30)
    assert (run.results / "parts" / "1.json").read_text() == json_of(benchmarks[0])
    assert not (run.results / "results.json").exists()


def test_options_for_jmh_and_its_jvm_are_passed_on(run: Run) -> None:
    emit(plan_of(planned("p.B.a")), run.folder / ".steady")
    run.ready(1, json_of(planned("p.B.a")))
    options = ["-jvmArgs", "-Xmx1g -Da=*", "-prof", "gc"]
    done = run(str(run.jar), str(run.results), *options, STEADY_JVM_ARGS="-Da=b  -Dc=*")
    assert done.returncode == 0
    assert run.arguments(1)[:3] == ["-Da=b", "-Dc=*", "-Djmh.scorePrecision=9"]
    assert run.arguments(1)[10:14] == options


@pytest.mark.parametrize(
    "options", [["-wi", "3"], ["-f", "1"], ["p.B"], ["-bm", "ss"], ["-rff", "x"], ["-prof"]]
)
def test_options_that_the_plan_decides_are_refused(run: Run, options: list[str]) -> None:
    emit(plan_of(planned("p.B.a")), run.folder / ".steady")
    done = run(str(run.jar), str(run.results), *options)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert run.calls == 0
    assert not run.results.exists()


def test_wrong_use_is_one_sentence(run: Run) -> None:
    emit(plan_of(planned("p.B.a")), run.folder / ".steady")
    assert "usage: sh run.sh" in run("benchmarks.jar").stderr
    assert "there is no jar none.jar" in run("none.jar", "results").stderr
    (run.folder / "a:b.jar").write_bytes(b"")
    assert "choose paths without it" in run("a:b.jar", "results").stderr
    (run.folder / "file").write_bytes(b"")
    assert "cannot be made" in run("benchmarks.jar", "file/results").stderr
    assert run.calls == 0


def test_odd_paths_are_only_paths(run: Run) -> None:
    benchmarks = [planned("p.B.a")]
    jar = run.folder / "-a [b] $(touch canary).jar"
    run.jar_of(line("p.B.a").encode())
    emit(plan_of(*benchmarks), run.folder / ".steady", jar=run.jar)
    run.jar.rename(jar)
    run.ready(1, json_of(*benchmarks))
    done = run(jar.name, "-r=s $(touch canary)/x; y")
    assert done.returncode == 0, done.stderr
    run.results = run.folder / "-r=s $(touch canary)" / "x; y"
    assert run.names() == ["p.B.a"]
    assert run.arguments(1)[2].endswith(f":./{jar.name}")
    assert not list(run.folder.rglob("canary"))


HOSTILE = [
    "p.B.$(touch canary)",
    "p.B.`touch canary`",
    "p.B.';touch canary;'",
    'p.B.";touch canary;"',
    "p.B.\\'; touch canary #",
    "p.B.\\E\\Q",
    "STEADY_EXPECTED",
    "# @expected@",
    "-rff",
    "p.B.{a,b}*?[c]~!&|<>",
    "p.B.é🙂",
    "::set-output name=a::b",
]


def test_hostile_names_and_values_are_only_text(run: Run) -> None:
    benchmarks = []
    for number, name in enumerate(HOSTILE):
        for value in (name, "\ntouch canary\n"):
            identity = Identity(name, "avgt", ((f"${name.replace('=', '')}", value), ("n", "\n;")))
            configuration = (SMALL, LARGE)[number % 2]
            benchmarks.append(BenchmarkPlan(identity, configuration, LARGE, 1.0, 2.0, "full", ""))
    emit(plan_of(*benchmarks), run.folder / ".steady")
    invocations, _ = group(benchmarks)
    done = run()
    assert done.returncode == 2
    assert not list(run.folder.rglob("canary"))
    assert run.calls == len(invocations)
    for call, invocation in enumerate(invocations, start=1):
        expected = "\n".join(invocation.arguments).splitlines()
        assert run.arguments(call)[8:] == expected
    for one in done.stderr.splitlines():
        assert one.startswith("steady: ")


def test_hostile_results_are_matched_as_text(run: Run) -> None:
    values = ["", " a  b ", '"q"', "\\", "a}", "{", "a,", '",', "[", "&/", "tail \\"]
    benchmarks = [planned("p.B.a", value=value, other="x") for value in values]
    emit(plan_of(*benchmarks), run.folder / ".steady")
    for call in range(1, len(group(benchmarks)[0]) + 1):
        run.ready(call, json_of(*benchmarks[1:] if call == 1 else []))
    done = run()
    assert done.returncode == 1
    assert "1 of the plan's benchmarks left no result" in done.stderr
    assert '"p.B.a" "avgt" 1 "other" : "x" "value" : ""\n' in done.stderr


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text('ab\\"é\t\x85'))
def test_an_expected_line_is_one_line(name: str, value: str) -> None:
    text = result_line(Identity(name, "avgt", (("k", value),)))
    end = text[len(f'"{name}" "avgt" 1 "k" : ') :]
    assert json.loads(end) == value.replace("\t", "").replace("\x85", "")


def test_the_same_plan_gives_the_same_script() -> None:
    benchmarks = [planned("p.B.b", n="2"), planned("p.B.a", LARGE, n="1")]
    groups, _ = group(benchmarks)
    identities = [benchmark.identity for benchmark in benchmarks]
    assert render_script(identities, groups) == render_script(identities, groups)


@pytest.mark.needs("shellcheck")
def test_shellcheck_finds_nothing(tmp_path: Path) -> None:
    benchmarks = [planned(name, n="1") for name in HOSTILE]
    benchmarks += [planned("p.B.listed", LARGE)]
    emit(plan_of(*benchmarks), tmp_path, benchmark_list=line("p.B.listed").encode())
    command = ["shellcheck", "--shell=sh", str(tmp_path / "run.sh")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == ""
    assert done.returncode == 0
