"""Two running test binaries that take turns: real ones, and shell scripts for rare cases."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from ended_processes import gone

from steady.cli import main
from steady.engine import Trial, TrialError
from steady.errors import InputError
from steady.execution.lanes import Lane, processors_by_core
from steady.harness.go.run.go_runs import GoSession
from steady.harness.go.run.paused_process import PausedProcess, supports_one_write_pipes
from steady.harness.runs import Turn
from steady.model import Benchmark, ExecutionConfiguration, Identity
from steady.readers import load
from steady.readers.lengths import LONGEST_NAME
from tests.harness.go.building import build
from tests.harness.program_trials import written

pytestmark = pytest.mark.skipif(
    not supports_one_write_pipes(), reason="this system has other pipes"
)

SIDES = ("base", "head")

MODULE = Path(__file__).parent / "go_turns"

HEADER = r"printf 'goos: linux\n'; printf 'goarch: amd64\n'; printf 'pkg: p\n'; printf 'cpu: A\n'"
NAME = r"printf 'BenchmarkX   \t'"
RESULT = r"printf '     100\t 5.5 ns/op\t 3 B/op\n'"


@dataclass(frozen=True)
class Pair:
    """Two test binaries, in folders called base and head."""

    folder: Path
    obstacle: list[str] = field(default_factory=list)

    def measure(
        self,
        name: str = "p.BenchmarkX",
        *,
        warmup: int = 0,
        iterations: int = 3,
        threads: int = 1,
        timeout: float = 60.0,
        session: GoSession | None = None,
    ) -> Sequence[Turn | TrialError]:
        one = ExecutionConfiguration(
            1, warmup, iterations, 0.0, 0.0, batch_size=2, warmup_batch_size=2
        )
        identity = Identity(name, threads=threads)
        trials = [
            Trial(number, 0, side, identity, one, 1.0, timeout) for number, side in enumerate(SIDES)
        ]
        session = session or self.session(identity)
        outcomes = session.measure_in_turn(trials, [self.result(side) for side in SIDES])
        self.obstacle.append(session.obstacle(trials))
        return outcomes

    def measure_at_once(
        self, *names: str, timeout: float = 60.0
    ) -> tuple[GoSession, Sequence[Turn | TrialError]]:
        """Measure a pair of each of several benchmarks simultaneously."""
        one = ExecutionConfiguration(1, 1, 4, 0.0, 0.0, batch_size=2, warmup_batch_size=2)
        identities = [Identity(name, threads=1) for name in names]
        trials = [
            Trial(len(SIDES) * place + number, 0, side, identity, one, 1.0, timeout)
            for place, identity in enumerate(identities)
            for number, side in enumerate(SIDES)
        ]
        binaries = {side: next((self.folder / side).glob("*.test")) for side in SIDES}
        session = GoSession({side: dict.fromkeys(identities, binaries[side]) for side in SIDES})
        results = [self.folder / f"{trial.number}.txt" for trial in trials]
        return session, session.measure_in_turn(trials, results)

    def session(self, identity: Identity, sides: Sequence[str] = SIDES) -> GoSession:
        """Return a session in which only some sides hold a benchmark."""
        binaries = {side: next((self.folder / side).glob("*.test")) for side in sides}
        return GoSession(
            {side: {identity: binaries[side]} if side in sides else {} for side in SIDES}
        )

    def result(self, side: str) -> Path:
        return self.folder / f"{side}.txt"

    def benchmark(self, side: str) -> Benchmark:
        (benchmark,) = load(self.result(side)).benchmarks
        return benchmark

    def begun(self) -> list[str]:
        """Return the sides of the iterations in order; check that no two overlap."""
        calls = [tuple(line.split()) for line in (self.folder / "log").read_text().splitlines()]
        sides = [side for side, _ in calls[::2]]
        assert calls == [(side, what) for side in sides for what in ("begin", "end")]
        return sides


def scripts(folder: Path, body: str, *, head: str | None = None) -> Pair:
    """Return two scripts in place of test binaries."""
    for side, own in zip(SIDES, (body, body if head is None else head), strict=True):
        written(folder / side, {"p.test": f"#!/bin/sh\nside={side}\n{HEADER}\n{own}\n"})
    return Pair(folder)


def iterating(times: int, work: str = "") -> str:
    """Return a script's iterations, which record their begin and end in a common log."""
    numbers = " ".join(map(str, range(times)))
    log = "echo $side {0} >>../log"
    return (
        f"for n in {numbers}; do {NAME}; {log.format('begin')}; {work or ':'}; "
        f"{log.format('end')}; {RESULT}; done; echo PASS"
    )


def abba(pairs: int) -> list[str]:
    return [side for k in range(pairs) for side in (SIDES if k % 2 == 0 else SIDES[::-1])]


def reason(outcome: Turn | TrialError) -> str:
    assert isinstance(outcome, TrialError)
    return str(outcome)


def test_iterations_alternate_and_never_overlap(tmp_path: Path) -> None:
    pair = scripts(tmp_path, iterating(5, "sleep 0.01"))
    assert pair.measure(warmup=1, iterations=4) == [Turn(None, in_turn=True)] * 2
    assert pair.begun()[2:] == abba(4)
    for side in SIDES:
        lines = pair.result(side).read_text().splitlines()
        assert lines[:4] == ["goos: linux", "goarch: amd64", "pkg: p", "cpu: A"]
        assert lines[4].startswith("# steady warm-up: ")
        assert lines[5:] == ["BenchmarkX\t     100\t5.5 ns/op\t3 B/op"] * 4


def test_waiting_for_a_turn_does_not_count_towards_the_limit(tmp_path: Path) -> None:
    pair = scripts(tmp_path, iterating(4, "sleep 0.4"), head=iterating(4))
    base, head = pair.measure(iterations=4, timeout=1.3)
    assert reason(base) == "exceeded its limit of 1.3 s and was stopped"
    assert head == Turn(None, in_turn=False)
    assert not pair.result("base").exists()
    assert pair.benchmark("head").measurements.shape == (1, 4)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (iterating(3, "echo hello"), "it prints between its results"),
        (iterating(3, "printf ."), "it prints between its results"),
        (f"mkdir ../memory || kill -KILL $$; {iterating(3)}; rmdir ../memory", "was killed"),
    ],
)
def test_processes_that_cannot_take_turns_run_fork_by_fork(
    tmp_path: Path, body: str, why: str
) -> None:
    pair = scripts(tmp_path, body)
    assert pair.measure() == [Turn(None, in_turn=False)] * 2
    assert why in pair.obstacle[0]
    assert [pair.benchmark(side).measurements.shape for side in SIDES] == [(1, 3)] * 2


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f"{NAME}; {RESULT}", "Go printed 1 of 3 results"),
        (f"{iterating(3)}; {iterating(1)}", "Go printed 4 of 3 results"),
        ("printf 'BenchmarkX/sub \\t'; printf ' 100\\t5 ns/op\\n'", "it has sub-benchmarks now"),
        ("echo PASS", "Go printed 0 of 3 results"),
    ],
)
def test_foreign_output_is_reported_in_one_sentence(tmp_path: Path, body: str, why: str) -> None:
    outcomes = scripts(tmp_path, body).measure()
    assert all(why in reason(outcome) for outcome in outcomes)


def test_later_rounds_do_not_retry(tmp_path: Path) -> None:
    pair = scripts(tmp_path, f"echo $side >>../starts; {iterating(3, 'echo hello')}")
    session = pair.session(Identity("p.BenchmarkX"))
    for starts in (4, 6):
        pair.measure(session=session)
        assert len((tmp_path / "starts").read_text().split()) == starts


def test_a_benchmark_only_in_base_runs_alone(tmp_path: Path) -> None:
    pair = scripts(tmp_path, iterating(3))
    session = pair.session(Identity("p.BenchmarkX"), ["base"])
    base, head = pair.measure(warmup=1, iterations=2, session=session)
    assert base == Turn(None, in_turn=False)
    assert reason(head) == "no test binary of head contains it"
    assert pair.obstacle == ["no test binary of head contains it"]


def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    # The second process starts once the first waits at its header, so both must get there.
    pair = scripts(tmp_path, f"{NAME}; sleep 1000 & echo $! >child.new; mv child.new child; wait")
    file = tmp_path / "base" / "child"

    def interrupt() -> None:
        deadline = time.monotonic() + 120
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        pair.measure()
    assert gone(int(file.read_text()))
    assert not any(pair.result(side).exists() for side in SIDES)


def commands() -> Iterator[str]:
    """Yield the command lines of all processes."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has just ended
            yield path.read_text(encoding="utf-8", errors="replace")


def test_ctrl_c_and_timeouts_end_all_pairs(tmp_path: Path) -> None:
    hangs = f"{NAME}; sleep 1000 & echo $! >child-$$; wait"
    pair = scripts(tmp_path, hangs)
    names = ("p.BenchmarkX", "q.BenchmarkX")
    _, outcomes = pair.measure_at_once(*names, timeout=1.0)
    assert [reason(one) for one in outcomes] == ["exceeded its limit of 1 s and was stopped"] * 4
    first = list(tmp_path.glob("*/child-*"))
    assert len(first) == 4
    for file in first:
        assert gone(int(file.read_text()))
        file.unlink()

    def interrupt() -> None:
        deadline = time.monotonic() + 120
        while len(list(tmp_path.glob("head/child-*"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        pair.measure_at_once(*names)
    children = [int(text) for file in tmp_path.glob("*/child-*") if (text := file.read_text())]
    assert children
    assert all(map(gone, children))
    assert not any(str(tmp_path) in command for command in commands())
    assert not list(tmp_path.glob("*.txt"))


METRICS = {"ns/op", "MB/s", "B/op", "allocs/op", "widgets/op", "unit-499"}


def stamps(folder: Path) -> list[tuple[int, int, str, int]]:
    """Return begin, end, side and operations of all calls; an iteration may have several."""
    lines = (line.split() for line in (folder / "stamps").read_text().splitlines())
    return sorted((int(begin), int(end), side, int(n)) for side, n, begin, end in lines)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a test binary of the module."""
    binary = tmp_path_factory.mktemp("go") / "turns.test"
    return build(MODULE, str(binary), packages=".")


@pytest.fixture
def real(built: Path, tmp_path: Path) -> Pair:
    """Return the binary twice, in folders of their own."""
    for side in SIDES:
        (tmp_path / side).mkdir()
        shutil.copy(built, tmp_path / side)
    return Pair(tmp_path)


@pytest.mark.needs("go")
@pytest.mark.parametrize(
    ("name", "threads"),
    [
        ("Stamped", 2),
        ("Nested/sub/of=1", 1),
        (f"Nested/{'long' * 2500}", 1),
        ("Metrics", 2),
        ("Logging", 1),
    ],
)
def test_real_iterations_take_turns(real: Pair, name: str, threads: int) -> None:
    outcomes = real.measure(f"turns.Benchmark{name}", warmup=2, iterations=4, threads=threads)
    assert outcomes == [Turn(None, in_turn=True)] * 2
    assert real.obstacle == [""]
    calls = stamps(real.folder)
    assert all(end <= after for (_, end, *_), (after, *_) in pairwise(calls))
    assert [side for *_, side, operations in calls if operations == 2][4:] == abba(4)
    for side in SIDES:
        if len(name) > LONGEST_NAME:  # it takes turns nevertheless
            with pytest.raises(InputError, match="is a name of more than 2,000 characters"):
                real.benchmark(side)
            continue
        benchmark = real.benchmark(side)
        assert benchmark.measurements.shape == (1, 6)
        assert benchmark.identity == Identity(f"turns.Benchmark{name}", threads=threads)
        if name == "Metrics":
            lines = real.result(side).read_text().splitlines()
            printed = [{*line.split()} & METRICS for line in lines if "ns/op" in line]
            assert printed == [METRICS] * 6


@pytest.mark.needs("go")
@pytest.mark.parametrize(
    ("name", "timeout", "why"),
    [
        ("Panicking", 60.0, "panic: out of cheese"),
        ("Failing", 60.0, "turns_test.go:"),
        ("Hanging", 1.0, "exceeded its limit of 1 s and was stopped"),
    ],
)
def test_a_real_failure_ends_alone(real: Pair, name: str, timeout: float, why: str) -> None:
    base, head = real.measure(f"turns.Benchmark{name}", warmup=1, iterations=4, timeout=timeout)
    assert base == Turn(None, in_turn=False)
    assert real.benchmark("base").measurements.shape == (1, 5)
    assert why in reason(head)
    assert not real.result("head").exists()


@pytest.mark.needs("go")
@pytest.mark.skipif(len(processors_by_core()) < 2, reason="needs two processors")
def test_two_real_pairs_at_once_have_processors_of_their_own(real: Pair) -> None:
    names = ("turns.BenchmarkPlaced/one", "turns.BenchmarkPlaced/two")
    _, outcomes = real.measure_at_once(*names)
    assert outcomes == [Turn(None, in_turn=True)] * 4
    own = [Lane(number, 2).processors for number in range(2)]
    assert not own[0] & own[1]
    for number in range(4):
        (benchmark,) = load(real.folder / f"{number}.txt").benchmarks
        assert benchmark.identity == Identity(names[number // 2], threads=1)
        assert benchmark.measurements.shape == (1, 5)
        lines = [one.split() for one in (real.folder / f"{number}.txt").read_text().splitlines()]
        places = {
            (line[line.index("first") - 1], line[line.index("last") - 1])
            for line in lines
            if "first" in line
        }
        processors = own[number // 2]
        assert places == {(str(min(processors)), str(max(processors)))}
    # Each pair takes turns, and the pairs run at the same time.
    calls = stamps(real.folder)
    assert any(after < end for (_, end, *_), (after, *_) in pairwise(calls))


@pytest.mark.needs("go")
@pytest.mark.parametrize(
    ("name", "timeout", "why"),
    [
        ("Failing", 60.0, "turns_test.go:"),
        pytest.param("Hanging", 2.0, "exceeded its limit of 2 s", marks=pytest.mark.thorough),
    ],
)
def test_a_real_failing_pair_does_not_disturb_the_other(
    real: Pair, name: str, timeout: float, why: str
) -> None:
    _, outcomes = real.measure_at_once(
        f"turns.Benchmark{name}", "turns.BenchmarkStamped", timeout=timeout
    )
    assert outcomes[0] == Turn(None, in_turn=False)
    assert why in reason(outcomes[1])
    assert outcomes[2:] == [Turn(None, in_turn=True)] * 2
    for number, shape in ((0, (1, 5)), (2, (1, 5)), (3, (1, 5))):
        (benchmark,) = load(real.folder / f"{number}.txt").benchmarks
        assert benchmark.measurements.shape == shape
    assert not (real.folder / "1.txt").exists()


@pytest.mark.needs("go")
def test_a_pair_that_cannot_take_turns_runs_after_the_others(real: Pair) -> None:
    session, outcomes = real.measure_at_once("turns.BenchmarkListening", "turns.BenchmarkStamped")
    assert outcomes == [*[Turn(None, in_turn=False)] * 2, *[Turn(None, in_turn=True)] * 2]
    assert [one.name for one in session._obstacles] == ["turns.BenchmarkListening"]
    for number in range(4):
        assert load(real.folder / f"{number}.txt").benchmarks[0].measurements.shape == (1, 5)


@pytest.mark.needs("go")
def test_real_processes_that_cannot_take_turns_run_alone(real: Pair) -> None:
    assert real.measure("turns.BenchmarkListening", warmup=1) == [Turn(None, in_turn=False)] * 2
    assert "two of its processes cannot run at the same time: address" in real.obstacle[0]
    assert [real.benchmark(side).measurements.shape for side in SIDES] == [(1, 4)] * 2


@pytest.mark.needs("go")
def test_a_run_reports_benchmarks_that_do_not_take_turns(
    real: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    sides, out = [f"--{side}={real.folder / side}" for side in SIDES], real.folder / "out"
    options = ["--full", "2x3", "--iteration-seconds", "0.001", "--out", str(out)]
    only = ["--only", "BenchmarkStamped$|BenchmarkPrinting$", "--all-rounds"]
    assert main(["run", *sides, *options, *only]) == 0
    for side in SIDES:
        took = {b.identity.name: b.in_turn for b in load(out / f"{side}.txt").benchmarks}
        assert took == {"turns.BenchmarkStamped": (True, True), "turns.BenchmarkPrinting": ()}
    [said] = [line for line in capsys.readouterr().err.splitlines() if "fork by fork" in line]
    assert "turns.BenchmarkPrinting" in said
    assert "it prints between its results" in said


@pytest.mark.thorough
@pytest.mark.needs("go")
def test_a_suite_without_a_plan(real: Pair, capsys: pytest.CaptureFixture[str]) -> None:
    sides, out = [f"--{side}={real.folder / side}" for side in SIDES], real.folder / "out"
    begin = time.monotonic()
    only = ["--only", "BenchmarkLogging", "--same-code", "run"]
    assert main(["run", *sides, *only, "--time-budget", "12", "--out", str(out)]) == 0
    assert time.monotonic() - begin < 5 * 12  # other processes use the machine too
    for side in SIDES:
        (benchmark,) = load(out / f"{side}.txt").benchmarks
        assert len(benchmark.in_turn) >= 3
        assert all(benchmark.in_turn)
        assert benchmark.warmup == 1
        assert benchmark.measured.shape[1] >= 3
    base, head = (out / f"{side}.txt" for side in SIDES)
    printed = capsys.readouterr().out
    assert f"steady optimize {base} --detect 5% --earlier {base} {head}" in printed


def test_both_ends_of_a_long_output_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steady.harness.go.run.paused_process.MOST_READ", 1000)
    scripts(tmp_path, "for n in $(seq 2000); do echo line $n; done")
    with PausedProcess(tmp_path / "base" / "p.test", timeout=60.0) as held:
        while held.take():
            pass
        output = held.end().output
    assert len(output) <= 2000
    assert output.startswith("goos: linux\n")
    assert output.endswith("line 1999\nline 2000\n")
