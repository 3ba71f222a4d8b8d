"""Settings file and ``/steady accept``, from the workspace and the comments to the verdict."""

from datetime import date

import pytest
from action_scenario import Scenario
from fork_scenario import ForkScenario, measured, packed, results
from standin import StandIn
from written_runs import NAMES, slower, write_run

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


@pytest.fixture(autouse=True)
def slow(scenario: Scenario) -> None:
    """Make one benchmark 30 % slower."""
    scenario.slow()


def write_settings(scenario: Scenario, text: str, path: str = ".github/steady.yml") -> None:
    target = scenario.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def test_an_accepted_regression_does_not_fail_the_job_until_it_expires(
    scenario: Scenario, github: StandIn
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


def test_another_settings_file_can_be_given(scenario: Scenario) -> None:
    write_settings(scenario, "no settings: [")
    write_settings(scenario, ACCEPTED, "bench/mine.yml")
    assert scenario.compare(settings="bench/mine.yml") == 0
    assert scenario.compare() == 2
    assert ".github/steady.yml:1: is not YAML" in scenario.log.replace(f"{scenario.root}/", "")
    assert scenario.compare(settings="none.yml") == 2
    assert "input `settings`: 'none.yml' is not a file in the workspace" in scenario.log
    (scenario.root / ".github/steady.yml").rename(scenario.root.parent / "outside.yml")
    (scenario.root / ".github/steady.yml").symlink_to(scenario.root.parent / "outside.yml")
    assert scenario.compare() == 2
    assert "is outside the workspace" in scenario.log


def test_a_maintainer_accepts_in_a_comment(scenario: Scenario, github: StandIn) -> None:
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


def test_untrusted_comments_and_incomplete_commands_are_ignored(
    scenario: Scenario, github: StandIn
) -> None:
    github.add_comment("/steady accept * trust me", "stranger")
    github.add_comment("> /steady accept * trust me", "ada")
    github.add_comment("/steady accept beta", "ada")
    assert scenario.compare() == 1
    assert "a `/steady accept` by stranger was ignored" in scenario.log
    assert "trust me" not in github.bodies()[0]
    assert "by ada is ignored: it does not give a reason" in github.bodies()[0]


def test_file_and_comments_both_count(scenario: Scenario, github: StandIn) -> None:
    write_run(scenario.root / "results/head.json", slower(1.3) | {NAMES[0]: 1.2})
    write_settings(scenario, ACCEPTED)
    assert scenario.compare() == 1
    github.add_comment("/steady accept alpha new format\n/steady accept alhpa x", "ada")
    assert scenario.compare() == 0
    assert scenario.outputs["accepted"] == "2"
    body = github.bodies()[0]
    assert "no benchmark matches alhpa (a comment on this pull request)" in body


def test_no_request_is_sent_without_changes_to_accept(scenario: Scenario, github: StandIn) -> None:
    github.add_comment("/steady accept beta because", "ada")
    scenario.slow(1.0)
    assert scenario.compare() == 0
    scenario.slow()
    assert scenario.compare(token="") == 1
    assert scenario.compare({"GITHUB_EVENT_NAME": "push"}) == 1
    assert scenario.compare({"GITHUB_EVENT_PATH": None}) == 1
    assert github.sent("GET", PERMISSION) == []


def test_a_fork_cannot_accept_its_own_change(fork: ForkScenario, github: StandIn) -> None:
    worse = measured(slower(1.3))
    # Only results are read from the untrusted run.
    fork.storage.content = packed(results(head=worse) | {".github/steady.yml": ACCEPTED})
    fork.report()
    assert fork.scenario.outputs["accepted"] == "0"
    fork.storage.content = packed(results(head=worse))
    assert fork.report() == 1
    # The repository's own file and a maintainer's comment are accepted.
    write_settings(fork.scenario, ACCEPTED)
    assert fork.report() == 0
    (fork.scenario.root / ".github/steady.yml").unlink()
    github.add_comment("/steady accept beta --bound 50% because", "ada")
    assert fork.report() == 0
    assert fork.scenario.outputs["verdict"] == "accepted"
