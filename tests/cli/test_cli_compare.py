"""Options of a comparison: `--metrics`, `--only`, `--settings`; and ``steady settings``."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.cli.settings import schema
from steady.engine.narrowing import narrowed as left_out
from steady.errors import InputError
from steady.model import ExecutionConfiguration, Failure, Identity, Suite
from steady.optimize import Plan, updated_plan, write_plan
from tests.cli.shell import Shell, plan_of, write_narrowed, write_sides, write_values
from tests.looped import looped

COMPARE = "compare --base base.json --head head.json"


class TestMetrics:
    """Rows, exit code and JSON of allocation."""

    RUN = "compare --base base.txt --head head.txt"

    @pytest.fixture(autouse=True)
    def _results(self) -> None:
        """Write results of Go in which an operation allocates once more."""
        for side, size, number in (("base", 64, 1), ("head", 96, 2)):
            lines = [
                f"BenchmarkGet 1000 {1000 + n + number} ns/op {50 + n}.00 rows/op "
                f"{size} B/op {number} allocs/op"
                for n in range(6)
            ]
            Path(f"{side}.txt").write_text("pkg: example.com/p\n" + "\n".join(lines) + "\n")

    def test_more_allocation_is_reported_and_fails_on_request(self, shell: Shell) -> None:
        ended = shell(self.RUN)
        assert ended.code == 0
        first = "1 benchmark allocates more. No change of 3\xa0% or more was found in"
        assert ended.out.startswith(first)
        beside = "exit code 0, although 1 benchmark allocates more (use --fail-on metric-reg"
        assert beside in ended.err
        assert "rows/op" not in ended.out
        ended = shell(f"{self.RUN} --fail-on metric-regression")
        assert ended.code == 1
        assert "metric-regression" in ended.err
        less = shell("compare head.txt base.txt")
        assert less.code == 0
        assert less.out.startswith("1 benchmark allocates less; no other change found")

    def test_other_metrics_are_shown_on_request(self, shell: Shell) -> None:
        told = shell(f"{self.RUN} --metrics rows/op").out
        assert "1 secondary metric, as requested" in told
        assert "52.50 rows/op" in told
        data = json.loads(shell(f"{self.RUN} --metrics all --json").out)
        assert data["metric_verdict"] == "regression"
        assert [c["metric"] for c in data["metrics"]["changes"]] == ["B/op", "allocs/op"]
        assert [c["metric"] for c in data["metrics"]["shown"]] == ["rows/op"]
        assert [c["unit"] for c in data["changes"]] == ["ns/op"]

    def test_settings_apply_to_secondary_metrics(self, shell: Shell) -> None:
        Path("steady.yml").write_text(
            "version: 1\n"
            "thresholds:\n- {pattern: '*', metric: rows/op, min-change: 2%}\n"
            "ignore:\n- {pattern: '*', metric: B/op, reason: padded}\n"
            "accepted:\n- pattern: BenchmarkGet\n  metric: allocs/op\n  bound: 100%\n"
            "  reason: keeps a copy\n  expires: 2999-12-31\n"
        )
        data = json.loads(shell(f"{self.RUN} --settings steady.yml --json").out)
        rows = {c["metric"]: c for c in data["metrics"]["changes"]}
        assert rows.keys() == {"rows/op", "allocs/op"}
        assert rows["allocs/op"]["accepted"]["metric"] == "allocs/op"
        assert data["metric_verdict"] == "accepted"


NAMES = ("org.A.one", "org.A.two", "org.B.three")


def narrowed(path: str, names: tuple[str, ...], only: str | None = None) -> None:
    """Write results, and the run file with their expression."""
    values = np.array([[10.0, 10.1, 9.9], [10.2, 9.8, 10.0], [10.1, 10.0, 10.05]])
    values[0, 0] += 0.01 * path.endswith("head.json")
    write_values(path, dict.fromkeys(names, values))
    if only is not None:
        write_narrowed(Path(path).parent, only)


class TestNarrowing:
    """`--only`: benchmarks outside the selection are neither missing nor new."""

    def compared(self, shell: Shell, words: str) -> dict[str, list[str]]:
        counts = ExecutionConfiguration(3, 0, 3, 1.0, 1.0)
        write_plan(plan_of(NAMES, counts), Path("plan.json"))
        ended = shell(f"compare {words} --plan plan.json --json --fail-on never")
        assert ended.code == 0
        ledger: dict[str, Any] = json.loads(ended.out)["ledger"]
        return {
            kind: [(entry.get("identity") or entry)["name"] for entry in ledger[kind]]
            for kind in ("compared", "missing", "new", "gone")
        }

    def test_a_restricted_run_is_not_incomplete(self, shell: Shell) -> None:
        for side in ("base", "head"):
            narrowed(f"run/{side}.json", NAMES[:2], only="org.A")
        found = self.compared(shell, "run")
        assert found == {"compared": list(NAMES[:2]), "missing": [], "new": [], "gone": []}

    def test_only_overrides_the_run_file(self, shell: Shell) -> None:
        narrowed("b/base.json", NAMES[1:], only="org.A")
        narrowed("h/head.json", NAMES[:2])
        found = self.compared(shell, "b/base.json h/head.json --only 'two|three'")
        assert found == {"compared": [NAMES[1]], "missing": [NAMES[2]], "new": [], "gone": []}

    @looped("text", ["", "[", '{"header": 3}', '{"header": {"described": {"only": "("}}}'])
    def test_a_missing_or_invalid_selection_compares_everything(
        self, text: str, shell: Shell
    ) -> None:
        for side in ("base", "head"):
            narrowed(f"run/{side}.json", NAMES[:2])
        if text:
            Path("run/run.json").write_text(text)
        assert self.compared(shell, "run")["missing"] == [NAMES[2]]
        ended = shell("compare run --only Typo")
        assert ended.code == 2
        assert "--only 'Typo' matches no benchmark" in ended.err

    def test_the_headline_contains_the_selection(self, shell: Shell) -> None:
        for side in ("base", "head"):
            narrowed(f"run/{side}.json", NAMES, only="org.B")
        said = shell("compare run").out
        assert "; narrowed to 'org.B': 2 measured benchmarks left out." in " ".join(said.split())
        assert json.loads(shell("compare run --json").out)["narrowed"] == {
            "only": "org.B",
            "left_out": 2,
        }
        assert "narrowed" not in shell("compare run --only .").out
        assert shell("report run --out page --fail-on never").code == 0
        assert "; narrowed to &#39;org.B&#39;: 2" in Path("page/report.html").read_text()

    def test_failed_benchmarks_match_the_selection(self) -> None:
        failed = Suite((), failures=(Failure(Identity("org.A.one"), "it threw"),))
        asked = left_out("org.A", failed, failed, None, print)
        assert [failure.identity.name for failure in asked.head.failures] == ["org.A.one"]
        with pytest.raises(InputError, match="'Typo' matches no benchmark of either run"):
            left_out("Typo", failed, failed, None, print)

    def test_a_plan_contains_the_selection_of_its_run(self, shell: Shell) -> None:
        narrowed("full/results.json", NAMES[:2], only="org.A")
        assert shell("optimize full/results.json --jobs 1").code == 0
        assert json.loads(Path(".steady/plan.json").read_text())["only"] == "org.A"
        # The plan contains the selection of its run; otherwise, a run with the plan would measure
        # all other benchmarks as new ones.
        narrowed("base.json", NAMES[:2], only="A")
        narrowed("series/base.json", NAMES[:2])
        assert shell("optimize series/base.json").code == 0
        assert json.loads(Path(".steady/plan.json").read_text())["only"] == "A"

    @looped(
        ("first", "second", "both"),
        [("a", "b", "a|b"), ("a", "a", "a"), ("", "b", ""), ("a", "", "")],
    )
    def test_an_updated_plan_contains_the_selections_of_both_runs(
        self, first: str, second: str, both: str
    ) -> None:
        plan, part = (Plan((), "uoptime", only=only) for only in (first, second))
        assert updated_plan(plan, part).only == both


USUAL = ".github/steady.yml"
ACCEPTED = """\
version: 1
accepted:
  - pattern: Bench.beta
    bound: 50%
    reason: checks its input
    expires: 9999-12-31
"""
EXPIRED = ACCEPTED.replace("9999", "2020")


def settings(text: str, path: str = USUAL) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


class TestSettings:
    def test_valid_expired_and_missing_settings(self, shell: Shell) -> None:
        ended = shell("settings check")
        assert ended.code == 2
        assert f"steady: {USUAL}: does not exist, and is optional" in ended.err
        settings(ACCEPTED)
        ended = shell("settings check")
        fine = f"{USUAL}: valid (0 thresholds, 0 ignored, 1 accepted)\n"
        assert (ended.code, ended.out) == (0, fine)
        settings(EXPIRED, "mine.yml")
        ended = shell("settings check mine.yml")
        assert ended.code == 0
        assert "mine.yml:3: expired on 2020-12-31: remove it, or renew it\n" in ended.out

    def test_each_error_is_printed_on_a_line(self, shell: Shell) -> None:
        settings("version: 1\nignore: 3\n\n\u202ex: y\n", "mine.yml")
        ended = shell("settings check mine.yml")
        assert ended.code == 2
        assert ended.err.splitlines() == [
            "mine.yml:2: `ignore`: expected a list of at most 500 entries, got 3",
            "mine.yml:4: unknown '\\u202ex': expected `version`, `thresholds`, `ignore`, "
            "`accepted`, `false-alarms`, `important`, `alone`, `same-code`",
            "steady: 2 mistakes in mine.yml",
        ]

    def test_the_schema_is_printed(self, shell: Shell) -> None:
        assert json.loads(shell("settings schema").out) == schema("settings")

    def test_settings_are_read_from_the_default_or_given_path(self, shell: Shell) -> None:
        write_sides(1.3)
        assert shell(COMPARE).code == 1
        settings(ACCEPTED)
        ended = shell(COMPARE)
        assert ended.code == 0
        assert "checks its input" in ended.out
        settings(EXPIRED)
        ended = shell(COMPARE)
        assert ended.code == 1
        assert "the acceptance expired on 2020-12-31" in ended.out
        settings("no settings at all: [")
        settings(ACCEPTED, "mine.yml")
        assert shell(f"{COMPARE} --settings mine.yml").code == 0
        ended = shell(COMPARE)
        assert ended.code == 2
        assert f"{USUAL}:1: is not YAML" in ended.err
        assert shell(f"{COMPARE} --settings none.yml").code == 2

    def test_report_reads_the_settings_too(self, shell: Shell) -> None:
        write_sides(1.3)
        settings(ACCEPTED + "ignore:\n  - {pattern: alpha, reason: disk}\n", "mine.yml")
        ended = shell("report base.json head.json --settings mine.yml --out out")
        assert ended.code == 0
        data = json.loads(Path("out/comparison.json").read_text())
        assert data["verdict"] == "accepted"
        assert [one["reason"] for one in data["ledger"]["ignored"]] == ["disk"]
