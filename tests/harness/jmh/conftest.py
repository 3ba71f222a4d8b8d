"""Fixtures of the tests of JMH."""

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from steady.harness.jmh.run import java_program

Compiler = Callable[..., bool]


@pytest.fixture(scope="session")
def compile_once(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    """Return a compiler of steady's classes that compiles them once for each jar."""
    compiled, known = java_program.compiled, dict[object, Path]()

    def compile_or_copy(
        compiler: Path,
        sources: Sequence[Path],
        class_path: Sequence[Path],
        folder: Path,
        *options: str,
    ) -> bool:
        [jar] = class_path
        key = compiler, tuple(sources), hashlib.sha256(jar.read_bytes()).digest(), options
        if key not in known:
            if not compiled(compiler, sources, class_path, folder, *options):
                return False
            known[key] = tmp_path_factory.mktemp("compiled") / "classes"
            shutil.copytree(folder, known[key])
        shutil.copytree(known[key], folder, dirs_exist_ok=True)
        return True

    return compile_or_copy


@pytest.fixture(autouse=True)
def _quick_and_without_lock(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, compile_once: Compiler
) -> None:
    """Let several tests run JMH at the same time, and JVMs end sooner."""
    if any("mvn" in marker.args for marker in request.node.iter_markers("needs")):
        quick = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Djmh.ignoreLock=true {quick}")
        monkeypatch.setattr(java_program, "compiled", compile_once)
