"""In every mode, a user error is reported in one sentence, without side effects."""

import json

from action_scenario import EVENT_FILE, Scenario
from standin import REPOSITORY, StandIn

from tests.looped import looped

USUAL = {
    "compare": {"base": "results/base.json", "head": "results/head.json", "comment": "always"},
    "optimize": {"results": "results/base.json", "commit": "pull-request"},
    "record": {"results": "results/head.json"},
    "report": {"comment": "always"},
}
EVENTS = {"optimize": "schedule", "record": "push", "report": "workflow_run"}
PUSH = {"GITHUB_EVENT_NAME": "push"}
PULL_REQUEST = {"GITHUB_EVENT_NAME": "pull_request"}


@looped(
    ("mode", "environ", "inputs", "words"),
    [
        ("compare", {}, {"base": "absent.json"}, "input `base`: 'absent.json' matches no file"),
        ("compare", {}, {"base": "../outside.json"}, "is outside the workspace"),
        (
            "compare",
            {},
            {"base": "results/head.json"},
            "base and head contain identical measurements",
        ),
        ("compare", {}, {"plan": "results/base.json"}, "results/base.json"),
        ("compare", {}, {"head": "empty.json"}, "empty.json"),
        ("compare", {}, {"out": "../elsewhere"}, "is outside the workspace"),
        ("compare", {}, {"results": "x"}, "input `results` is not used by mode `compare`"),
        ("report", PULL_REQUEST, {}, "requires a workflow on `workflow_run`"),
        ("report", PUSH, {}, "requires a workflow on `workflow_run`"),
        ("report", {"GITHUB_EVENT_PATH": "absent"}, {}, "cannot be read"),
        ("report", {"INPUT_TOKEN": ""}, {}, "mode `report` needs a token"),
        ("report", {}, {"workflow": "../x.yml"}, "input `workflow`: expected the name of a file"),
        ("report", {}, {"artifact": "a/b"}, "input `artifact`: expected an artifact name"),
        ("report", {}, {"plan": "absent.json"}, "'absent.json' is not a file in the workspace"),
        ("report", {}, {"out": "../elsewhere"}, "is outside the workspace"),
        ("record", {"GITHUB_SHA": ""}, {}, "the measured commit is unknown"),
        ("record", {"GITHUB_REPOSITORY": ""}, {}, "the repository is unknown"),
        ("record", {"GITHUB_EVENT_NAME": "workflow_run"}, {}, "in a job on `workflow_run`"),
        ("record", {}, {"history": "s3://bucket/x"}, "a branch name, or a folder, got"),
        ("record", {}, {"history": "git:a..b"}, "input `history`: expected `git:` and a branch"),
        ("record", {}, {"history": "../kept"}, "is outside the workspace"),
        ("record", {}, {"results": "absent.json"}, "'absent.json' matches no file"),
        ("optimize", {}, {"jar": "results/base.json"}, "results/base.json"),
        (
            "optimize",
            {},
            {"key": "x.lock"},
            "input `key`: 'x.lock' is not a valid end of a branch name",
        ),
        ("optimize", {}, {"commit_message": "a\nb"}, "input `commit-message`: expected one line"),
        ("optimize", {}, {"out": "../elsewhere"}, "is outside the workspace"),
    ],
)
def test_user_errors_are_one_sentence_and_exit_code_2(
    scenario: Scenario,
    github: StandIn,
    mode: str,
    environ: dict[str, str],
    inputs: dict[str, str],
    words: str,
) -> None:
    (scenario.root.parent / "outside.json").write_text("[]")
    (scenario.root / "empty.json").write_text("")
    repository = {"full_name": REPOSITORY, "default_branch": "main"}
    side = {"sha": "a" * 40, "repo": repository}
    pull = {"number": 7, "head": side, "base": side}
    event = {"repository": repository, "pull_request": pull, "workflow_run": {"id": 3001}}
    (scenario.root / EVENT_FILE).write_text(json.dumps(event))
    place = {
        "GITHUB_EVENT_NAME": EVENTS.get(mode, "pull_request"),
        "GITHUB_REF": "refs/heads/main",
    }
    assert scenario.run({"mode": mode, **USUAL[mode], **inputs}, {**place, **environ}) == 2
    (line,) = [line for line in scenario.log.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=steady::")
    assert words in line
    assert words in scenario.summary
    assert scenario.outputs == {}
    assert github.requests == []
    assert not (scenario.root.parent / "elsewhere").exists()
    assert not (scenario.root / ".steady").exists()
