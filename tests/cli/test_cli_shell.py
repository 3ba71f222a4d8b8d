"""The command at a shell: its greeting, what it makes of mistakes, and two results as words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from written_runs import record, series

from steady.cli import main
from steady.cli.main import GREETING
from steady.options.parser import COMMANDS

Capture = pytest.CaptureFixture[str]


def results(path: Path, factor: float = 1.0, *, seed: int = 4) -> Path:
    """Write JMH results of one benchmark."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([record("org.Bench.parse", series(seed, 4, 12, factor))]))
    return path


def refused(capsys: Capture, *words: str) -> str:
    """Return what a command line is refused with."""
    try:
        code: object = main(words)
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    return err


class TestGreeting:
    def test_steady_alone_shows_three_commands(self, capsys: Capture) -> None:
        assert main([]) == 0
        out, err = capsys.readouterr()
        assert (out, err) == (GREETING, "")
        commands = [line.split()[1] for line in out.splitlines() if line.startswith("  steady ")]
        assert commands == ["demo", "run", "compare"]
        assert set(commands) <= set(COMMANDS)

    def test_it_fits_a_screen(self) -> None:
        lines = GREETING.splitlines()
        assert len(lines) <= 20
        assert max(map(len, lines)) <= 100


class TestMistakes:
    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (["comprae"], "unknown command 'comprae'; did you mean 'compare'?"),
            (["history", "lsit"], "unknown command 'lsit'; did you mean 'list'?"),
            (["compare", "--mni-change", "5%"], "'--mni-change'; did you mean '--min-change'?"),
            (["compare", "--bsae=x"], "unknown option '--bsae'; did you mean '--base'?"),
            (["--verison"], "unknown option '--verison'; did you mean '--version'?"),
            (["compare", "--rule", "pared-t"], "did you mean 'paired-t'?"),
            (["optimize", "x", "--detector", "kbkssd"], "did you mean 'kb-kssd'?"),
        ],
    )
    def test_the_nearest_is_named(
        self, words: Sequence[str], sentence: str, capsys: Capture
    ) -> None:
        err = refused(capsys, *words)
        assert sentence in err
        assert len(err.splitlines()) == 2
        assert err.splitlines()[1].startswith("Try `steady")

    def test_what_is_like_nothing_lists_what_there_is(self, capsys: Capture) -> None:
        assert "expected: run, compare, demo, analyze" in refused(capsys, "xyzzy")
        assert "unknown option '--xyzzy'\n" in refused(capsys, "compare", "--xyzzy")

    def test_the_beginning_of_an_option_will_not_do(self, capsys: Capture) -> None:
        for words in (["--min", "5%"], ["--min=5%"], ["--min-chang", "5%"]):
            err = refused(capsys, "compare", "old.json", "new.json", *words)
            assert "is not a whole option; write --min-change\n" in err
        assert "write --store or --suite\n" in refused(capsys, "history", "list", "--s", "kept")
        assert "write --version\n" in refused(capsys, "--vers")

    def test_the_nearest_benchmark_is_named(self, tmp_path: Path, capsys: Capture) -> None:
        base, head = results(tmp_path / "a.json"), results(tmp_path / "b.json", seed=5)
        err = refused(capsys, "compare", str(base), str(head), "--only", "prase")
        assert err.rstrip().endswith("of either run; the nearest: org.Bench.parse")


class TestTwoResults:
    def test_two_files_as_benchstat_takes_them(self, tmp_path: Path, capsys: Capture) -> None:
        base, head = results(tmp_path / "a.json"), results(tmp_path / "b.json", 1.5, seed=5)
        assert main(["compare", str(base), str(head)]) == 1
        words = capsys.readouterr().out
        assert main(["compare", "--base", str(base), "--head", str(head)]) == 1
        assert capsys.readouterr().out == words
        assert "Bench.parse" in words
        assert main(["compare", "--fail-on", "never", str(base), str(head)]) == 0

    def test_two_folders(self, tmp_path: Path) -> None:
        base = results(tmp_path / "old" / "x.json").parent
        head = results(tmp_path / "new" / "x.json", 1.5, seed=5).parent
        assert main(["compare", str(base), str(head)]) == 1

    def test_the_folder_of_a_run_alone(self, tmp_path: Path, capsys: Capture) -> None:
        results(tmp_path / "run" / "base.json")
        results(tmp_path / "run" / "head.json", 1.5, seed=5)
        assert main(["compare", str(tmp_path / "run")]) == 1
        capsys.readouterr()
        err = refused(capsys, "compare", str(tmp_path / "run"), str(tmp_path / "run"))
        assert "holds results of base and of head; name one of them, such as" in err

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            ((), "give two results, as in `steady compare OLD NEW`"),
            (("--base", "a"), "`steady compare OLD NEW`; --head is missing"),
            (("a",), "a: does not exist; name the folder of a `steady run` of base and head"),
            (("a*",), "a*: is only one result; give two, the older one first"),
            ((__file__,), ": is only one result; give two, the older one first"),
            ((str(Path(__file__).parent),), ": does not hold base.json and head.json"),
            (("a", "b", "c"), "3 results were given; give two"),
            (("a", "b", "--head", "c"), "as OLD NEW, or by --base and --head, but not both"),
        ],
    )
    @pytest.mark.parametrize("command", ["compare", "report"])
    def test_what_is_not_clear_is_refused(
        self, command: str, words: Sequence[str], sentence: str, capsys: Capture
    ) -> None:
        assert sentence in refused(capsys, command, *words)


class TestColors:
    @pytest.fixture
    def words(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
            monkeypatch.delenv(name, raising=False)
        base, head = results(tmp_path / "a.json"), results(tmp_path / "b.json", 1.5, seed=5)
        return ["compare", str(base), str(head)]

    def printed(self, capsys: Capture, *words: str) -> str:
        main(words)
        return capsys.readouterr().out

    def test_the_usual_variables_decide(
        self, words: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = self.printed(capsys, *words)
        assert "\x1b" not in plain
        monkeypatch.setenv("FORCE_COLOR", "1")
        colored = self.printed(capsys, *words)
        assert "\x1b[" in colored
        # Colours change no word, and break no line elsewhere.
        bare = re.sub(r"\x1b\[[0-9;]*m", "", colored)
        assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()
        monkeypatch.setenv("NO_COLOR", "1")
        assert self.printed(capsys, *words) == plain
