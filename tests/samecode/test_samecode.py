"""Identical code paths: decisions, skipped benchmarks, and ``same-code.json``."""

import json
import math
from pathlib import Path

import pytest
from scripted_harness import NAMES, ScriptedHarness, run

from steady.errors import InputError
from steady.harness.builds import Builds, Decision, decided, summary
from steady.harness.trial import Held, Version
from steady.model import Identity
from steady.samecode import choice
from steady.samecode.choice import (
    SameCodeFile,
    choose,
    joined_same_code,
    read_same_code,
    select,
    selection_sentence,
)
from tests.looped import looped

# Decisions about the benchmarks of base and head, counted.


ONE, TWO, OTHER = Identity("a.one"), Identity("a.two"), Identity("a.other")


def test_only_benchmarks_of_both_versions_can_be_identical() -> None:
    decisions = decided({"base": [ONE, TWO], "head": [TWO, OTHER]}, lambda _: "")
    assert [(one.identity, one.why) for one in decisions] == [
        (ONE, "only in base"),
        (TWO, ""),
        (OTHER, "only in head"),
    ]
    assert summary(decisions) == "1 of 3 benchmarks runs the same code"


# Skipped benchmarks and controls.


DIGESTS = ("1" * 64, "2" * 64)


def decisions(same: int, others: int = 3) -> list[Decision]:
    one = [Decision(Identity(f"a.same{number}")) for number in range(same)]
    return one + [Decision(Identity(f"a.other{number}"), "loads a.B") for number in range(others)]


@looped("same", [0, 1, 2, 10, 11, 300])
def test_a_tenth_are_controls_within_the_bounds(same: int) -> None:
    file = select(decisions(same), DIGESTS, seed=7)
    everything = [one.identity for one in decisions(same, 0)]
    assert len(file.controls) == min(math.ceil(same / 10), 3)
    assert sorted((*file.same, *file.controls)) == sorted(everything)
    assert file.others == tuple(decisions(0, 3))
    alone = select(decisions(same, 0), DIGESTS, seed=7)
    assert len(alone.controls) == min(same, 1), "one, where everything is skipped"
    assert select(decisions(same), DIGESTS, seed=7, share=0.0).controls == ()


def test_the_choice_depends_on_the_seed_and_the_builds() -> None:
    def controls(seed: int, digest: str) -> tuple[Identity, ...]:
        return select(decisions(300), ("1" * 64, digest), seed=seed).controls

    assert controls(0, "2" * 64) == select(decisions(300), DIGESTS, seed=0).controls
    chosen = {controls(seed, digest) for seed in (0, 1) for digest in ("2" * 64, "3" * 64)}
    assert len(chosen) == 4


def test_every_benchmark_is_chosen_equally_often() -> None:
    counts = dict.fromkeys((one.identity for one in decisions(10, 0)), 0)
    for seed in range(2000):
        (control,) = select(decisions(10, 1), DIGESTS, seed=seed).controls
        counts[control] += 1
    # Of 2000 benchmarks, 200 are expected to be controls, with a standard deviation of 13.4.
    assert max(abs(count - 200) for count in counts.values()) < 5 * 13.4


def test_skipped_benchmarks_are_reported() -> None:
    code = "the same code in base and head"
    said = {
        (14, 5): f"14 of 19 benchmarks run {code}; 2 are controls, and 12 are not measured",
        (1, 1): f"1 of 2 benchmarks runs {code}; 1 is a control",
        (2, 0): f"2 of 2 benchmarks run {code}; 1 is a control, and 1 is not measured",
        (0, 3): f"0 of 3 benchmarks run {code}",
    }
    for (same, others), sentence in said.items():
        assert selection_sentence(select(decisions(same, others), DIGESTS, seed=0)) == sentence


def test_there_is_no_control_if_nothing_differs(tmp_path: Path) -> None:
    class Same(Builds):
        nothing_differs = True

        def decisions(self, held: Held) -> tuple[Decision, ...]:
            return tuple(map(Decision, held["base"]))

    told: list[str] = []
    versions = [Version(name, tmp_path / name) for name in ("base", "head")]
    held = {name: [Identity(f"a.same{n}") for n in range(30)] for name in ("base", "head")}
    choice = choose(Same(), versions, held, digests=DIGESTS, seed=0, tell=told.append)
    assert choice.left_out == frozenset(held["base"])
    assert told == [
        "30 of 30 benchmarks run the same code in base and head; none of them is measured"
    ]


def test_the_file_is_written_beside_the_results(tmp_path: Path) -> None:
    file = SameCodeFile(1, (Identity("org.Bench.skipped"),), (Identity(NAMES[0]),))
    run(tmp_path, ScriptedHarness(), same_code=file)
    assert json.loads((tmp_path / "same-code.json").read_text())["steady_same_code"] == 1


# The file ``same-code.json``: read, joined, and refused.


def test_the_files_of_several_parts_are_joined() -> None:
    one, two, three = Identity("a.one"), Identity("a.two"), Identity("a.three")
    parts = [SameCodeFile(1, (one,), (two,)), None, SameCodeFile(1, (three, one))]
    assert joined_same_code(parts) == SameCodeFile(1, (one, three), (two,))
    assert joined_same_code([None, None]) is None


def test_a_foreign_file_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "same-code.json"
    assert read_same_code(tmp_path) is None
    for content in (b"", b"[1]", b'{"other": 1}', b"\xff", b"not JSON", b"[" * 10_000):
        path.write_bytes(content)
        assert read_same_code(tmp_path) is None
    path.write_text("\ufeff" + SameCodeFile(1, (Identity("a.one"),)).text(), encoding="utf-8")
    assert read_same_code(tmp_path) == SameCodeFile(1, (Identity("a.one"),))


def test_its_size_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "same-code.json").write_text(SameCodeFile(1, ()).text())
    monkeypatch.setattr(choice, "_SIZE_LIMIT", 8)
    with pytest.raises(InputError, match=r"same-code\.json: is larger than .* MiB"):
        read_same_code(tmp_path)
