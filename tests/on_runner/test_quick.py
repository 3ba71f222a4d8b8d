"""One workflow from its event to its comment, on a real runner against a real server."""

import pytest
from projects import GO_SLOWER, go_project
from scene import Scene

pytestmark = pytest.mark.needs("act", "emulate")


@pytest.mark.needs("go")
def test_go(scene: Scene) -> None:
    before, after = go_project()
    scene.open(before, {"README.md": "one"}, after)
    ran = scene.on_pull_request("steady-compare-go")
    assert ran.code != 0, "as `fail-on` asks"
    assert ran.step("Upload results and report") == "Success"
    assert "verdict: regression (regressions 1" in ran.log
    assert "\x1b[" not in ran.log.partition("Run both versions, interleaved")[2]
    [body] = scene.comments()
    assert "became slower" in body
    assert GO_SLOWER.removeprefix("example.com/shop/") in body
    kept = scene.runner.artifacts / "benchmarks-default"
    assert {"base.txt", "head.txt", "run.json", "report"} <= {p.name for p in kept.iterdir()}
