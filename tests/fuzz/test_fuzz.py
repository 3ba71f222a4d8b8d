"""A little of `make fuzz` in each test run: other inputs are no reason for another result."""

import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import __main__ as driver
from tests.fuzz import worker
from tests.fuzz.escaping import check_commands, check_log, check_markdown, check_page
from tests.fuzz.mutation import HOSTILE, LONGEST, mutate
from tests.fuzz.targets import Target, targets
from tests.fuzz.worker import Finding, make_input, read_seeds, try_input
from tests.looped import looped

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits are those of Unix")

INPUTS = 25


@pytest.mark.parametrize("name", list(targets()))
def test_seeds_and_some_mutated_inputs_are_taken_and_are_the_same_each_time(name: str) -> None:
    target = targets()[name]
    assert target.seeds
    read_seeds(target)
    inputs = [make_input(target, 0, number) for number in range(30)]
    assert inputs == [make_input(target, 0, number) for number in range(30)]
    assert len(set(inputs)) > 25
    assert max(map(len, inputs)) <= LONGEST
    findings = (try_input(target, data, number) for number, data in enumerate(inputs[:INPUTS]))
    assert [f"input {f.number}: {f.text}" for f in findings if f is not None] == []


def failing(error: Exception | None) -> Target:
    """Return a target that takes each input but the planted one."""

    def read(data: bytes, folder: Path) -> None:
        if data == b"planted":
            if error is None:
                while True:
                    pass
            raise error

    return Target("planted", (b"planted",), "lines", read)


def test_what_fails_or_takes_too_long_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert try_input(failing(ValueError("x")), b"other") is None
    finding = try_input(failing(ValueError("planted defect")), b"planted", 7)
    assert finding is not None
    assert (finding.target, finding.number, finding.kind) == ("planted", 7, "ValueError")
    assert finding.place.startswith("test_fuzz.py:")
    assert "planted defect" in finding.text
    monkeypatch.setattr("tests.fuzz.worker.SECONDS", 0.05)
    finding = try_input(failing(None), b"planted")
    assert finding is not None
    assert finding.kind == "slow"


def test_an_input_that_failed_is_kept_once(tmp_path: Path) -> None:
    running = driver.Driver(["plan"], 5, 1, tmp_path / "out", {"plan": 3})
    for number in (7, 8):
        running._keep(Finding("plan", number, "KeyError", "plan_json.py:1", "\ud800"))
    kept = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert kept == ["plan-KeyError-5-7", "plan-KeyError-5-7.txt"]
    assert (tmp_path / "out" / kept[0]).read_bytes() == make_input(targets()["plan"], 5, 7)
    assert driver.table(running).splitlines()[-1] == "| all | 3 | 0 | 1 |"
    assert driver.main(["--only", "plan", "--replay", str(tmp_path / "out" / kept[0])]) == 0


def check_command(line: str) -> None:
    check_commands([line])


@looped(("check", "harmless", "live"), [
        (check_markdown, "a `@octocat <b>` <br> b", "<b>x</b>"),
        (check_markdown, "a \\<img> b", "see <img src=x>"),
        (check_markdown, "`https://x.example`", "see https://x.example"),
        (check_markdown, "`@octocat`", "ask @octocat"),
        (check_markdown, "[a]", "[a](https://x.example)"),
        (check_markdown, "!a", "![a](https://x.example/a.png)"),
        (check_markdown, "<!-- steady:default -->\nx", "<!-- steady:other -->"),
        (check_log, "a :: b", "  ::error::x"),
        (check_log, "## [error]", "a ##[error]x"),
        (check_log, "a\\x1b", "a\x1b[31m"),
        (check_command, "::error title=a::b", "plain"),
        (check_command, "::error title=a::b", "::error title=a::b\n::error::c"),
        (check_command, "::error title=a::b", "::set-output name=a::b"),
        (check_page, "<p>&lt;script&gt;</p>", "<p><script>alert(1)</script></p>"),
        (check_page, '<p title="onclick">', '<p onclick="alert(1)">'),
        (check_page, "<p>https://x.example</p>", '<a href="https://x.example">'),
    ])  # fmt: skip
def test_what_is_live_is_seen(check: object, harmless: str, live: str) -> None:
    assert callable(check)
    check(harmless)
    with pytest.raises(AssertionError):
        check(live)


def test_hostile_texts_get_into_the_inputs() -> None:
    seeds = (b'{"a": "text", "b": [1, 2, 3]}',)
    inputs = b"".join(mutate(Random(n), seeds, "json") for n in range(2_000))
    for text in ("@everyone", "<script>", "1e999", "NaN"):
        assert text.encode() in inputs
    assert len(HOSTILE) == len(set(HOSTILE))


def test_it_ends_in_its_time_whatever_its_workers_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As beside other work: a worker that has not yet read anything when the time is over."""
    monkeypatch.setattr(driver.Driver, "_start", asleep)
    began = time.monotonic()
    assert driver.main(["--minutes", "0.02", "--only", "plan", "--out", str(tmp_path)]) == 1
    assert time.monotonic() - began < 40  # its workers sleep for a minute
    assert "nothing was read" in capsys.readouterr().out


def asleep(running: driver.Driver, starts: dict[str, int]) -> driver.Worker:
    """Return a worker that never gets to its first input, and never lets go of its pipe."""
    ours, theirs = driver._CONTEXT.Pipe(duplex=False)
    process = driver._CONTEXT.Process(target=time.sleep, args=(60,), daemon=True)
    process.start()
    return driver.Worker(process, ours, theirs, starts)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_the_most_memory_of_an_input_is_measured() -> None:
    before = worker._forget_peak()
    assert len(b"x" * (64 * 2**20)) == 64 * 2**20
    assert worker.peak() - before > 60 * 2**20
    assert worker._forget_peak() - before < 16 * 2**20


@looped(("name", "number"), [("journal", 85), ("run-header", 101)])
def test_an_input_that_grew_twice_is_made_soon(name: str, number: int) -> None:
    seed = 102 if name == "journal" else 103
    target = targets()[name]
    began = time.process_time()
    assert len(make_input(target, seed, number)) <= LONGEST
    assert time.process_time() - began < 2.0
