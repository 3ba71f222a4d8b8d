"""Settings file and ``/steady accept``, from the workspace and the comments to the verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import standin
from action_scenario import Scenario, command_in, write_event
from fork_scenario import ForkScenario, measured, packed, results
from standin import StandIn
from standin_permissions import Permissions
from written_runs import NAMES, write_run

SLOWER = {name: 1.3 if name == NAMES[1] else 1.0 for name in NAMES}
ACCEPTED = """\
version: 1
accepted:
  - pattern: Bench.beta
    bound: 40%
    reason: checks its input
    expires: 2026-11-21
    author: Ada
"""
PERMISSION = "/collaborators/ada/permission$"


@pytest.fixture
def github() -> Iterator[StandIn]:
    """Run a stand-in for GitHub where ``ada`` may push."""
    with standin.github() as state:
        state.part(Permissions).roles["ada"] = "maintain"
        yield state


@pytest.fixture
def scenario(tmp_path: Path, github: StandIn) -> Scenario:
    """Return a workspace in which one benchmark became 30 % slower."""
    root = tmp_path / "workspace"
    root.mkdir()
    made = Scenario(root, github.url)
    write_run(root / "results/head.json", SLOWER)
    return made


def write_settings(scenario: Scenario, text: str, path: str = ".github/steady.yml") -> None:
    target = scenario.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


class TestSettingsFile:
    def test_an_accepted_regression_fails_no_job_until_it_expires(
        self, scenario: Scenario, github: StandIn
    ) -> None:
        write_settings(scenario, ACCEPTED)
        assert scenario.compare() == 0
        counted = {name: scenario.outputs[name] for name in ("verdict", "regressions", "unchanged")}
        assert counted == {"verdict": "accepted", "regressions": "0", "unchanged": "2"}
        assert scenario.outputs["accepted"] == "1"
        assert "settings: .github/steady.yml" in scenario.log.replace(f"{scenario.root}/", "")
        (body,) = github.bodies()
        for text in (body, scenario.summary):
            for word in ("Accepted", "checks its input", "Ada", "2026-11-21", "beta"):
                assert word in text
        assert github.sent("GET", PERMISSION) == []

        scenario.today = date(2026, 11, 22)
        assert scenario.compare() == 1
        assert scenario.outputs["verdict"] == "regression"
        assert "the acceptance expired on 2026-11-21 (checks its input)" in github.bodies()[0]

        # Accepted is not resolved.
        scenario.today = date(2026, 11, 20)
        assert scenario.compare() == 0
        assert "Resolved" not in github.bodies()[0]

    def test_another_file(self, scenario: Scenario) -> None:
        write_settings(scenario, "no settings: [")
        write_settings(scenario, ACCEPTED, "bench/mine.yml")
        assert scenario.compare(settings="bench/mine.yml") == 0
        assert scenario.compare() == 2
        assert ".github/steady.yml:1: is not YAML" in scenario.log.replace(f"{scenario.root}/", "")
        assert scenario.compare(settings="none.yml") == 2
        assert "input `settings`: 'none.yml' is not a file in the workspace" in scenario.log

    def test_it_is_not_read_from_elsewhere(self, scenario: Scenario, tmp_path: Path) -> None:
        (tmp_path / "outside.yml").write_text(ACCEPTED)
        (scenario.root / ".github").mkdir()
        (scenario.root / ".github/steady.yml").symlink_to(tmp_path / "outside.yml")
        assert scenario.compare() == 2
        assert "leads out of the workspace" in scenario.log

    def test_thresholds_and_ignored_benchmarks(self, scenario: Scenario) -> None:
        write_settings(scenario, "version: 1\nthresholds:\n  - {pattern: beta, min-change: 50%}\n")
        assert scenario.compare() == 0
        assert scenario.outputs["verdict"] == "unchanged"
        write_settings(scenario, "version: 1\nignore:\n  - {pattern: beta, reason: the disk}\n")
        assert scenario.compare() == 0
        assert "the disk" in scenario.summary
        data = json.loads((scenario.root / "steady-report/comparison.json").read_text())
        assert [one["reason"] for one in data["ledger"]["ignored"]] == ["the disk"]

    def test_every_mistake_is_told_and_none_is_a_command(self, scenario: Scenario) -> None:
        write_settings(scenario, 'version: 1\nignore: 3\n"::error::x\\n::add-mask::y": 1\n')
        assert scenario.compare() == 2
        assert "steady.yml:2: `ignore`: expected a list" in scenario.log
        assert "steady.yml:3: unknown" in scenario.log
        commands = [command_in(line) for line in scenario.log.splitlines()]
        assert set(commands) <= {None, "error"}
        assert commands.count("error") == 1


class TestComments:
    def test_a_maintainer_accepts_on_the_pull_request(
        self, scenario: Scenario, github: StandIn
    ) -> None:
        assert scenario.compare() == 1
        comment = github.add_comment(
            "/steady accept Bench.beta --bound 40% it checks its input\n\nFine by me.", "ada"
        )
        assert scenario.compare() == 0
        assert scenario.outputs["verdict"] == "accepted"
        assert "accepted by ada: Bench.beta" in scenario.log
        (body,) = github.bodies()
        for word in ("it checks its input", "ada", "this pull request only", "up to 40"):
            assert word in body
        # Its size has changed since.
        comment["body"] = "/steady accept Bench.beta --bound 10% it checks its input"
        assert scenario.compare() == 1
        assert "the change is larger than the 10 % that was accepted" in github.bodies()[0]
        github.comments.remove(comment)
        assert scenario.compare() == 1
        assert "accepted" not in github.bodies()[0]

    def test_a_strangers_word_changes_nothing(self, scenario: Scenario, github: StandIn) -> None:
        github.add_comment("/steady accept * trust me", "stranger")
        github.add_comment("> /steady accept * trust me", "ada")
        assert scenario.compare() == 1
        assert "a `/steady accept` by stranger does not count" in scenario.log
        assert "trust me" not in github.bodies()[0]

    def test_file_and_comments_both_count(self, scenario: Scenario, github: StandIn) -> None:
        write_run(scenario.root / "results/head.json", SLOWER | {NAMES[0]: 1.2})
        write_settings(scenario, ACCEPTED)
        assert scenario.compare() == 1
        github.add_comment("/steady accept alpha new format\n/steady accept alhpa x", "ada")
        assert scenario.compare() == 0
        assert scenario.outputs["accepted"] == "2"
        body = github.bodies()[0]
        assert "no benchmark matches alhpa (a comment on this pull request)" in body

    def test_a_command_that_cannot_be_read_is_told(
        self, scenario: Scenario, github: StandIn
    ) -> None:
        github.add_comment("/steady accept beta", "ada")
        assert scenario.compare() == 1
        assert "by ada does not count: it does not give a reason" in github.bodies()[0]

    @pytest.mark.parametrize(
        ("status", "words"),
        [
            (403, "the token may not read the comments"),
            (500, "GitHub's API failed (500)"),
            (200, ""),
        ],
    )
    def test_an_api_that_fails_is_a_notice(
        self, scenario: Scenario, github: StandIn, status: int, words: str
    ) -> None:
        github.add_comment("/steady accept beta because", "ada")
        github.fail("GET", PERMISSION, status, times=9)
        assert scenario.compare() == 1
        assert "::notice title=steady::steady did not look for `/steady accept`: " in scenario.log
        assert words in scenario.log
        assert len(github.bodies()) == 1

    def test_nobody_is_asked_where_there_is_nothing_to_accept(
        self, scenario: Scenario, github: StandIn
    ) -> None:
        github.add_comment("/steady accept beta because", "ada")
        write_run(scenario.root / "results/head.json")
        assert scenario.compare() == 0
        write_run(scenario.root / "results/head.json", SLOWER)
        assert scenario.compare(token="") == 1
        assert scenario.compare({"GITHUB_EVENT_NAME": "push"}) == 1
        assert scenario.compare({"GITHUB_EVENT_PATH": None}) == 1
        assert github.sent("GET", PERMISSION) == []

    def test_a_word_without_a_bound_does_not_cover_a_larger_slowdown_that_comes_later(
        self, scenario: Scenario, github: StandIn
    ) -> None:
        github.add_comment("/steady accept beta because", "ada")
        for factor, code in ((1.1, 0), (1.3, 1)):
            write_run(
                scenario.root / "results/head.json", {**SLOWER, "org.example.Bench.beta": factor}
            )
            assert scenario.compare() == code
        assert "the change is larger than the 20 % that was accepted" in github.bodies()[0]

    def test_a_token_that_may_only_read_is_enough(
        self, scenario: Scenario, github: StandIn
    ) -> None:
        write_event(scenario.root / "event.json", fork=True)
        github.add_comment("/steady accept beta --bound 50% because", "ada")
        github.read_only = True
        assert scenario.compare() == 0

    def test_hostile_words_stay_words(self, scenario: Scenario, github: StandIn) -> None:
        nasty = "`|@everyone <img src=x> ::error:: <!-- steady:default --> [x](https://e.example)"
        github.add_comment(f"/steady accept beta --bound 50% {nasty}", "ada")
        github.add_comment(f"/steady accept '{nasty}' x", "ada")
        assert scenario.compare() == 0
        (body,) = github.bodies()
        assert "@everyone" not in body
        assert "<img" not in body.replace("\\<img", "")
        assert "https://e.example" not in body
        assert {command_in(line) for line in scenario.log.splitlines()} <= {None, "notice"}


def test_a_fork_cannot_accept_itself(fork: ForkScenario, github: StandIn) -> None:
    slower = measured(SLOWER)
    # What the stranger's run leaves is read for results alone.
    fork.storage.content = packed(results(head=slower) | {".github/steady.yml": ACCEPTED})
    fork.report()
    assert fork.scenario.outputs["accepted"] == "0"
    fork.storage.content = packed(results(head=slower))
    assert fork.report() == 1
    # The repository's own file, and a maintainer's word, count.
    write_settings(fork.scenario, ACCEPTED)
    assert fork.report() == 0
    (fork.scenario.root / ".github/steady.yml").unlink()
    github.add_comment("/steady accept beta --bound 50% because", "ada")
    assert fork.report() == 0
    assert fork.scenario.outputs["verdict"] == "accepted"
