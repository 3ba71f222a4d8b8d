"""Single processes of Go's test binaries: real ones, and shell scripts for rare cases."""

import shutil
import subprocess
import tracemalloc
from collections.abc import Mapping
from pathlib import Path

import pytest
from ended_processes import gone

from steady.engine import HarnessSettings, RunFacts, StopRule, Trial, TrialError, Version
from steady.errors import InputError
from steady.harness.go.run.go_runs import GoRuns
from steady.harness.go.run.test_binaries import binaries, go_version, holds_binaries
from steady.harness.runs import ForkResult
from steady.harnesses import RUNNABLE
from steady.model import ExecutionConfiguration, Identity
from steady.readers import load
from tests.harness.go.building import build
from tests.harness.pair_texts import pairs_in
from tests.harness.program_trials import written

MODULE = Path(__file__).parents[3] / "readers" / "recorded" / "go" / "module"
ROOT = "recorded.Recorded.work"
ODD = ("Nested/size-8", "Nested/a_b/c[d](e)|f", "Nested/x=1.5#01", "Nested/#00", r"Nested/ü\x01")
HEADER = "goos: linux\ngoarch: amd64\npkg: p\ncpu: A cpu"


def trial_of(
    identity: Identity | str, timeout: float = 60.0, warmup: int = 1, iterations: int = 2
) -> Trial:
    one = ExecutionConfiguration(1, warmup, iterations, 0.001, 0.001)
    own = Identity(identity) if isinstance(identity, str) else identity
    return Trial(3, 0, "head", own, one, 1.0, timeout)


RESULTS = 'results() { for t in 7 8 9; do echo "BenchmarkX 100 $t.5 ns/op 3 B/op"; done; }'


class Script:
    """A test binary that is a shell script; it lists one benchmark, p.BenchmarkX."""

    def __init__(self, folder: Path, body: str, listing: str = "BenchmarkX 1 5 ns/op") -> None:
        text = (
            "#!/bin/sh\n"
            'case "$*" in *test.list=*) echo BenchmarkX; exit ;; esac\n'
            f'case "$*" in *benchtime=1x*) printf "%s\\n" "{HEADER}" "{listing}"; exit ;; esac\n'
            f'echo "{HEADER}"\n{RESULTS}\n{body}\n'
        )
        self.path = written(folder, {"p.test": text}) / "p.test"

    def measure(self, folder: Path, timeout: float = 60.0, name: str = "p.BenchmarkX") -> str:
        result = folder / "3.txt"
        with GoRuns().open([Version("head", self.path)], folder) as session:
            session.measure(trial_of(name, timeout), result)
        return result.read_text()


def test_results_are_gos_own_text_with_the_warm_up_as_comments(tmp_path: Path) -> None:
    text = Script(tmp_path, "results").measure(tmp_path)
    assert text.splitlines() == [
        *HEADER.splitlines(),
        "# steady warm-up: BenchmarkX\t     100\t7.5 ns/op\t3 B/op",
        "BenchmarkX\t     100\t8.5 ns/op\t3 B/op",
        "BenchmarkX\t     100\t9.5 ns/op\t3 B/op",
    ]


def test_missing_results_are_reported_in_one_sentence(tmp_path: Path) -> None:
    for pair in pairs_in(Path(__file__).with_name("endings.txt")):
        with pytest.raises(TrialError, match=pair.title):
            Script(tmp_path, pair.text).measure(tmp_path)
        assert not (tmp_path / "3.txt").exists()


def test_descendants_end_with_their_process(tmp_path: Path) -> None:
    child = tmp_path / "child"
    with pytest.raises(TrialError, match=r"exceeded its limit of 0.5 s and was stopped"):
        Script(tmp_path, "sleep 1000 & echo $! >child; wait").measure(tmp_path, timeout=0.5)
    assert gone(int(child.read_text()))
    Script(tmp_path, "sleep 1000 & echo $! >child; results").measure(tmp_path)
    assert gone(int(child.read_text()))


def test_both_ends_of_a_long_output_are_read(tmp_path: Path) -> None:
    loud = "truncate -s 200M loud; cat loud; rm loud"
    script = Script(
        tmp_path, f"{loud}; echo '--- FAIL: BenchmarkX'; echo '    x_test.go:7: no'; exit 1"
    )
    tracemalloc.start()
    with pytest.raises(TrialError, match="no") as caught:
        script.measure(tmp_path)
    assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    tracemalloc.stop()
    assert "bytes are left out" in caught.value.log.decode()


def test_mistakes_are_reported_in_one_sentence(tmp_path: Path) -> None:
    def look(target: str) -> None:
        runs, version = GoRuns(), Version("base", tmp_path / target)
        runs.check([version])
        runs.benchmarks(version)

    (tmp_path / "folder").mkdir()
    (tmp_path / "text.test").write_text("no program")
    written(tmp_path, {"fails.test": "#!/bin/sh\necho no database >&2\nexit 1\n"})
    (tmp_path / "alien.test").write_bytes(b"\x7fELF of another machine")
    (tmp_path / "alien.test").chmod(0o755)
    for name in ("one", "two"):
        Script(tmp_path / "both" / name, "")
    for target, problem in {
        "none.test": "none.test: does not exist; build it",
        "folder": "folder: contains no test binary",
        "text.test": "text.test: is not executable; specify",
        "alien.test": "cannot be run",
        "fails.test": "lists no benchmark: its process ended with code 1: no",
        "both": r"two/p\.test: contains 'p\.BenchmarkX', as does",
    }.items():
        with pytest.raises(InputError, match=problem):
            look(target)
    with pytest.raises(TrialError, match="no test binary of head contains it"):
        Script(tmp_path, "").measure(tmp_path, name="p.BenchmarkY")


def test_a_binary_without_execute_permission_is_an_error(tmp_path: Path) -> None:
    """Downloaded artifacts have none; all of their benchmarks would otherwise be missing."""
    info = b"\xff Go buildinf:" + bytes([8, 2]) + bytes(16) + b"\x08go1.26.0" + b"\x00"
    (tmp_path / "a.test").write_bytes(b"\x7fELF" + info)
    (tmp_path / "note.test").write_text("some fixture")
    assert holds_binaries(tmp_path)
    with pytest.raises(InputError, match=r"a\.test: is not executable.*`chmod \+x "):
        binaries(tmp_path)
    with pytest.raises(
        InputError, match=r"is not executable;.*, or make it executable with `chmod "
    ):
        binaries(tmp_path / "a.test")
    (tmp_path / "a.test").chmod(0o755)
    assert binaries(tmp_path) == (tmp_path.resolve() / "a.test",)


def test_the_registry_knows_go(tmp_path: Path) -> None:
    kind = RUNNABLE["go"].value
    assert kind.holds(Path("some/p.test"))
    assert kind.holds(Path("p.test.exe"))
    assert not kind.holds(Path("b.jar"))
    assert not kind.holds(tmp_path)
    Script(tmp_path, "")
    assert kind.holds(tmp_path)
    assert kind.make(HarnessSettings()).suffix == ".txt"
    with pytest.raises(InputError, match=r"^--jvm-arg is for JMH, not for Go"):
        kind.make(HarnessSettings(jvm_args=("-Xmx1g",)))
    with pytest.raises(InputError, match=r"^--java and --stop are for JMH, not for Go"):
        kind.make(HarnessSettings("/jdk/bin/java", stop=StopRule("georges", "cv", 0.05)))
    assert kind.make(HarnessSettings(turns="forks")).suffix == ".txt"


def test_merged_forks_are_read_with_their_rounds(tmp_path: Path) -> None:
    forks = []
    for number, name in enumerate(("p.BenchmarkX", "p.BenchmarkY-8", "p.BenchmarkX")):
        path = tmp_path / f"{number}.txt"
        printed = name.removeprefix("p.")
        path.write_text(f"{HEADER}\n{printed}\t100\t{number}.5 ns/op\n")
        forks.append(ForkResult(trial_of(name, 60.0, 0, 1), f"id:{number}", path))
    planned = {Identity("p.BenchmarkX"): 2, Identity("p.BenchmarkY-8"): 3}
    merged = tmp_path / "head.txt"
    merged.write_bytes(GoRuns().merge(forks, RunFacts(planned)))
    suite = load(merged)
    one, other = suite[Identity("p.BenchmarkX")], suite[Identity("p.BenchmarkY-8")]
    assert one.measurements.tolist() == [[0.5], [2.5]]
    assert one.blocks == ("id:0", "id:2")
    assert other.blocks == ("id:1",)
    assert one.configuration == ExecutionConfiguration(2, 0, 1, 0.001, 0.001)
    assert [f.reason for f in suite.failures] == ["1 of 3 forks gave a result"]
    assert GoRuns().merge(forks, RunFacts(planned)) == merged.read_bytes()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the recorded module with a test binary in each package's folder."""
    folder = tmp_path_factory.mktemp("go") / "module"
    shutil.copytree(MODULE, folder)
    packages = ("plain", "failing", "panicking")
    build(folder, packages=" ".join(f"./{name}" for name in packages))
    for name in packages:
        (folder / "out" / f"{name}.test").rename(folder / name / f"{name}.test")
    return folder


@pytest.fixture(scope="session")
def listed(built: Path) -> Mapping[str, Identity]:
    """Return all benchmarks, by their names below the module."""
    found = GoRuns().benchmarks(Version("base", built))
    return {identity.name.removeprefix(f"{ROOT}/"): identity for identity in found}


@pytest.mark.needs("go")
def test_each_benchmark_is_listed_and_run_alone(
    built: Path, listed: Mapping[str, Identity], tmp_path: Path
) -> None:
    with GoRuns().open([Version("head", built)], tmp_path) as session:
        for name in ("Work", "Printing", *ODD):
            identity = listed[f"plain.Benchmark{name}"]
            session.measure(trial_of(identity), tmp_path / "3.txt")
            (benchmark,) = load(tmp_path / "3.txt").benchmarks
            assert benchmark.identity == identity
            assert benchmark.measurements.shape == (1, 3), name
            (tmp_path / "3.txt").unlink()
        for name, reason in {
            "failing.BenchmarkFailing": "failing_test.go:17: it is broken",
            "failing.BenchmarkNested/bad": "it failed without giving a reason",
            "panicking.BenchmarkPanicking": "panic: out of cheese",
        }.items():
            with pytest.raises(TrialError) as caught:
                session.measure(trial_of(listed[name]), tmp_path / "3.txt")
            assert str(caught.value) == reason


@pytest.mark.needs("go")
def test_the_version_of_go_is_read_from_the_binary(built: Path) -> None:
    told = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True)
    assert go_version(built / "failing" / "failing.test") == told.stdout.strip()
    assert go_version(Path(__file__)) == ""
