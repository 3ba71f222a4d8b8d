"""What the tests of JMH share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_lock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let several tests run JMH at the same time; and let a JVM come to its end sooner."""
    if any("mvn" in marker.args for marker in request.node.iter_markers("needs")):
        quick = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Djmh.ignoreLock=true {quick}")
