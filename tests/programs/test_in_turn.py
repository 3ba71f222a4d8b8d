"""Two interleaved programs: their time, threads, children, and hostile programs."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from steady.execution.lanes import Lane
from steady.harness.runs import Turn
from steady.harness.trial import Trial, TrialError
from steady.model import ExecutionConfiguration, Identity
from steady.programs.clock_turns import built_library
from steady.programs.in_turn import TurnSession, run_in_turn
from steady.programs.process import Ended, NotInTurnError, Program

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="interleaved programs need Linux"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler of C"),
]

PROGRAMS = yaml.safe_load(Path(__file__).with_name("turning.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_library(tmp_path_factory.mktemp("clock"))


def python(code: str) -> Program:
    prelude = f"prelude = {PROGRAMS['prelude']!r}\nexec(prelude)\n"
    return Program((sys.executable, "-c", prelude + code))


def taken(
    library: Path, folder: Path, *codes: str, timeouts: Sequence[float] = (20.0, 20.0)
) -> Sequence[Ended]:
    return run_in_turn([*map(python, codes)], timeouts, library, folder, slice_seconds=0.005)


def marked(mark: str) -> list[Path]:
    """Return the other processes whose command contains a text."""
    left = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has just ended
            if path.parent.name != str(os.getpid()) and mark.encode() in path.read_bytes():
                left.append(path)
    return left


def test_times_exclude_pauses(library: Path, tmp_path: Path) -> None:
    begin = time.monotonic()
    both = taken(library, tmp_path, "work(0.3)", "work(0.3)")
    assert [one.code for one in both] == [0, 0], both
    assert all(one.turns >= 3 for one in both), both
    # Each had 0.3 s, and none while the other one had its turn.
    assert time.monotonic() - begin > 0.6


def test_the_first_waits_while_the_second_starts(library: Path, tmp_path: Path) -> None:
    """What starts would take processor time from what is measured."""
    began = tmp_path / "began"
    first = python(f"open({str(began)!r}, 'w').close(); work(0.1)")
    after = ("sh", "-c", 'test ! -e "$0" && exec "$@"', str(began))
    second = Program((*after, *python("work(0.1)").command))
    both = run_in_turn([first, second], (20.0, 20.0), library, tmp_path)
    assert [one.code for one in both] == [0, 0], both
    assert began.exists()


@pytest.mark.parametrize("name", PROGRAMS["alike"])
def test_results_equal_those_of_a_program_that_runs_alone(
    name: str, library: Path, tmp_path: Path
) -> None:
    first, second = (2 * PROGRAMS["alike"][name])[:2]
    both = taken(library, tmp_path, first, second)
    assert [(one.code, one.output) for one in both] == [(0, "")] * 2
    assert both[0].turns >= 3


def test_a_program_that_runs_while_it_waits_is_not_interleaved(
    library: Path, tmp_path: Path
) -> None:
    reason = "its other threads run during the other program's turn"
    with pytest.raises(NotInTurnError, match=reason):
        taken(library, tmp_path, PROGRAMS["works while it waits"], "work(0.5)")


def test_a_program_without_clock_or_libraries_is_not_interleaved(
    library: Path, tmp_path: Path
) -> None:
    with pytest.raises(NotInTurnError, match="does not call the clock while it runs"):
        run_in_turn([Program(("true",))] * 2, (10, 10), library, tmp_path)
    binary = str(tmp_path / "empty")
    command = ["cc", "-static", "-xc", "-", "-o", binary]
    subprocess.run(command, input="int main(void) { return 0; }\n", text=True, check=True)
    with pytest.raises(NotInTurnError, match="does not load steady's library"):
        run_in_turn([Program((binary,))] * 2, (10, 10), library, tmp_path)


@pytest.mark.parametrize("place", [0, 1])
def test_a_program_that_writes_to_the_page_is_not_interleaved(
    library: Path, tmp_path: Path, place: int
) -> None:
    """A program that takes from the time that the other one was away makes it look slower."""
    codes = ["work(0.3)", "work(0.3)"]
    codes[place] = PROGRAMS["writes the page"] + f"\ncheat({1 - place})\nwork(0.3)"
    with pytest.raises(NotInTurnError, match="the recorded lengths of its turns"):
        taken(library, tmp_path, *codes)


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        pytest.param(place, kind, marks=[pytest.mark.thorough] if (place + n) % 2 else [])
        for place in (0, 1)
        for n, kind in enumerate(PROGRAMS["hostile"])
    ],
)
def test_a_hostile_program_is_stopped_at_its_time_limit(
    library: Path, tmp_path: Path, kind: str, place: int
) -> None:
    mark = f"steady-{os.getpid()}-{place}-{abs(hash(kind))}"
    codes = ["work(0.3)", "work(0.3)"]
    codes[place] = f"{PROGRAMS['hostile'][kind]}\n# {mark}"
    begin = time.monotonic()
    limits = [3.0, 3.0]
    limits[place] = 1.0
    both = taken(library, tmp_path, *codes, timeouts=limits)
    assert time.monotonic() - begin < 50  # what nobody stops goes on for a minute or more
    if kind != "breaks the page":
        assert both[1 - place].code == 0, "the other one ends as if it were alone"
    assert not marked(mark), "no process is left"


def test_a_failing_compiler_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for compiler, why in (
        ("no-such-compiler -O2", "no-such-compiler was not found; install gcc or clang"),
        ("cc -DUNKNOWN --no-such-option", r"could not be built: .*no-such-option"),
    ):
        monkeypatch.setenv("CC", compiler)
        with pytest.raises(NotInTurnError, match=why):
            built_library(tmp_path)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_a_single_thread_is_kept_on_one_processor(library: Path, tmp_path: Path) -> None:
    every = len(os.sched_getaffinity(0))
    both = run_in_turn([python(PROGRAMS["on one processor"])] * 2, (20, 20), library, tmp_path)
    said = [one.output.split() for one in both]
    assert said == [["1", str(every)]] * 2


@dataclass
class Pairs(TurnSession):
    """A session whose results are the outputs of programs: one for both forks of a benchmark."""

    codes: Mapping[str, str]
    library: Path
    folder: Path
    alone: list[str] = field(default_factory=list)

    def lacks(self, trials: Sequence[Trial]) -> str:
        return ""

    def run_in_turn(
        self, trials: Sequence[Trial], results: Sequence[Path], lane: Lane
    ) -> Sequence[Ended]:
        both = [python(self.codes[trial.identity.name]) for trial in trials]
        limits = [1.0 if trial.identity.name == "hangs" else trial.timeout for trial in trials]
        return run_in_turn(both, limits, self.library, self.folder, lane)

    def measure(self, trial: Trial, result: Path) -> None:
        self.alone.append(trial.identity.name)
        result.write_text("alone")

    def keep(self, ended: Ended, trial: Trial, result: Path) -> None:
        if ended.timed_out or ended.code != 0:
            raise TrialError("timed out" if ended.timed_out else ended.output)
        result.write_text(ended.output)

    def run(self, *names: str, timeout: float = 30.0) -> Sequence[Turn | TrialError]:
        how = ExecutionConfiguration(1, 1, 1, 1.0, 1.0)
        trials = [
            Trial(
                n, 0, "base" if n % 2 == 0 else "head", Identity(names[n // 2]), how, 1.0, timeout
            )
            for n in range(2 * len(names))
        ]
        return self.measure_in_turn(trials, [self.result(n) for n in range(len(trials))])

    def result(self, number: int) -> Path:
        return self.folder / f"{number}.txt"


PLACED = "import os; work(0.3); print(*os.sched_getaffinity(0))"


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_simultaneous_pairs_have_processors_of_their_own(library: Path, tmp_path: Path) -> None:
    session = Pairs({"one": PLACED, "two": PLACED}, library, tmp_path)
    assert session.run("one", "two") == [Turn(None, in_turn=True)] * 4
    places = [session.result(n).read_text().split() for n in range(4)]
    assert places == [[str(Lane(number, 2).processor)] for number in (0, 0, 1, 1)]
    assert places[0] != places[2]


def test_a_failing_pair_does_not_disturb_the_others(library: Path, tmp_path: Path) -> None:
    codes = {
        "works": "work(0.4); print('done')",
        "fails": "work(0.1); raise SystemExit('no')",
        "hangs": "work(0.1); time.sleep(1000)",
        "restless": PROGRAMS["works while it waits"],
    }
    session = Pairs(codes, library, tmp_path)
    outcomes = session.run("fails", "works")
    assert [str(one).strip() for one in outcomes[:2]] == ["no", "no"]
    assert outcomes[2:] == [Turn(None, in_turn=True)] * 2
    outcomes = session.run("works", "hangs")
    assert outcomes[:2] == [Turn(None, in_turn=True)] * 2
    assert [str(one) for one in outcomes[2:]] == ["timed out"] * 2
    outcomes = session.run("restless", "works")
    assert outcomes == [*[Turn(None, in_turn=False)] * 2, *[Turn(None, in_turn=True)] * 2]
    assert session.alone == ["restless"] * 2
    assert [session.result(n).read_text().strip() for n in range(4)] == [
        *["alone"] * 2,
        *["done"] * 2,
    ]


def test_ctrl_c_ends_all_pairs(library: Path, tmp_path: Path) -> None:
    mark = f"steady-pairs-{os.getpid()}"
    began = {name: str(tmp_path / name) for name in ("one", "two")}
    codes = {name: f"open({at!r}, 'w').close(); work(1000)  # {mark}" for name, at in began.items()}

    def interrupt() -> None:
        deadline = time.monotonic() + 60
        while not all((tmp_path / name).exists() for name in codes) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Pairs(codes, library, tmp_path).run("one", "two", timeout=500.0)
    assert time.monotonic() - begin < 120
    assert not marked(mark)
