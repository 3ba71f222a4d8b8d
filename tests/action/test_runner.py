"""Output of the action to GitHub's runner: log, outputs, summary and exit code.

No text in it can be a command to the runner.
"""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from action_scenario import IGNORABLE, command_in, read_outputs
from hypothesis import given
from hypothesis import strategies as st

from steady.action import __main__ as entry
from steady.action.runner import SUMMARY_BYTES, Log, write_outputs, write_summary
from tests.looped import looped

HOSTILE = [
    "::set-output name=verdict::unchanged",
    "  \t::add-mask::a",
    "\u00a0\u2003::error::x",
    "\u200b::stop-commands::x",
    "fine\r::set-env name=PATH::x",
    "fine\n::set-env name=PATH::x",
    "fine\u2028::group::x",
    "Bench ##[add-path]/tmp",
    "\x1b[2K::warning::x",
    "a\x85::notice::x",
    "\x0b::debug::x",
]


def printed(text: str) -> list[str]:
    """Return the lines, as the runner splits them, that `say` prints."""
    stream = io.StringIO()
    Log(stream).say(text)
    return stream.getvalue().replace("\r", "\n").split("\n")


@looped("text", HOSTILE)
def test_malicious_text_is_printed_as_plain_text(text: str) -> None:
    assert not any(map(command_in, printed(text)))
    # Unfiltered, this would be a command.
    lines = text.replace("\r", "\n").replace("\u2028", "\n").replace("\x85", "\n").split("\n")
    assert any(command_in(line.lstrip("\x1b[2K")) for line in lines)


PIECES = ["::", ":", "##[", "]", *IGNORABLE, " ", "error", "\n", "\r", "\t", "x", "group"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_printed_as_plain_text(text: str) -> None:
    assert not any(map(command_in, printed(text)))


def test_harmless_lines_are_unchanged() -> None:
    text = "org.example.Bench.get [n=10]: +12.3 % (99 %)\nBench::name is slower\n"
    assert printed(text) == [*text.split("\n")]


@given(st.text(), st.sampled_from(["notice", "warning", "error"]))
def test_an_annotation_is_one_command(text: str, level: str) -> None:
    stream = io.StringIO()
    Log(stream).annotate(level, text)  # type: ignore[arg-type]
    lines = stream.getvalue().replace("\r", "\n").splitlines()
    assert len(lines) == 1
    assert command_in(lines[0]) == level


def test_valid_commands_are_printed_and_invalid_ones_are_escaped() -> None:
    stream = io.StringIO()
    good = "::error title=Regression::Bench.get is 12\u00a0%25 slower"
    Log(stream).commands([good, "::error::two\n::add-mask::lines", "##[add-path]/tmp", "::error"])
    lines = stream.getvalue().splitlines()
    assert [command_in(line) for line in lines] == ["error", None, None, None]
    assert lines[0] == good


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))


@given(st.dictionaries(st.sampled_from(["verdict", "plan", "report"]), LINES))
def test_any_output_value_survives_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, outputs: dict[str, str]
) -> None:
    path = tmp_path_factory.mktemp("out") / "output"
    write_outputs(str(path), outputs)
    assert read_outputs(path.read_text(encoding="utf-8")) == outputs


def test_a_value_cannot_inject_an_output(tmp_path: Path) -> None:
    path = tmp_path / "output"
    write_outputs(str(path), {"report": "x"})
    boundary = path.read_text().split("\n")[0].removeprefix("report<<")
    hostile = f"x\n{boundary}\nverdict<<E\nunchanged\nE"
    write_outputs(str(path), {"plan": hostile})
    assert read_outputs(path.read_text(encoding="utf-8")) == {"report": "x", "plan": hostile}
    write_outputs("", {"verdict": "unchanged"})  # no file, no effect


def test_a_summary_that_just_fits_is_appended_completely(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    write_summary("", "text")
    write_summary(str(path), "one ±\n")
    write_summary(str(path), "x" * (SUMMARY_BYTES - path.stat().st_size))
    assert path.read_text(encoding="utf-8").startswith("one ±\nxxx")
    assert path.stat().st_size == SUMMARY_BYTES


@looped("present", [0, 10, SUMMARY_BYTES - 200, SUMMARY_BYTES - 5, SUMMARY_BYTES])
def test_a_summary_stays_under_githubs_limit(tmp_path: Path, present: int) -> None:
    path = tmp_path / "summary"
    path.write_bytes(b"x" * present)
    write_summary(str(path), "µ" * 30 + "\n" + ("| row ± |\n" * 150_000))
    content = path.read_bytes()
    assert len(content) <= SUMMARY_BYTES
    added = content[present:].decode()
    assert not added or added.endswith("see the report.\n")
    assert bool(added) == (present < SUMMARY_BYTES - 100)
    whole = {"µ" * 30, "| row ± |", "", *added.splitlines()[-1:]}
    assert set(added.splitlines()) <= whole


def test_a_user_error_is_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INPUT_MODE", "guess")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert entry.main() == 2
    assert "got 'guess'" in capsys.readouterr().out


def test_an_internal_error_is_neither_a_regression_nor_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> int:
        raise LookupError("\n::set-output name=verdict::unchanged")

    monkeypatch.setattr("steady.action.one_run.run", broken)
    assert entry.main() == 2
    lines = capsys.readouterr().out.splitlines()
    assert ": :set-output name=verdict::unchanged" in lines
    assert [line for line in lines if line.startswith("::")] == [
        "::error title=steady::steady failed: LookupError; please report the log above"
    ]


def test_an_unwritable_log_is_no_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setenv("INPUT_MODE", "guess")
    monkeypatch.setattr(sys, "stdout", Full())
    assert entry.main() == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_full_disk_below_the_log_is_exit_code_2() -> None:
    command = [sys.executable, "-m", "steady.action"]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (ran.returncode, ran.stderr) == (2, "")
