"""Plans of every harness: the workflows that make them, and a run that follows one."""

import base64
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from projects import JAVA_OPTIONS, ROOT, maven_project
from scene import EXAMPLES, Scene

from steady.harnesses import harness_named
from steady.optimize import Plan, plan_from_json
from steady.readers import load

pytestmark = pytest.mark.needs("act", "emulate")

SMALL = {"full": "3x12", "iteration-seconds": "0.05"}
TOOL = f"#!{sys.executable} -IS\nsum(range({{}}))\n"


def steps(folder: Path, changes: Mapping[str, str]) -> Path:
    """Write the example of steps with a small full run and other lines changed."""
    text = (EXAMPLES / "steady-steps.yml").read_text(encoding="utf-8")
    for old, new in {"5x60": "3x12", **changes}.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = folder / "steady-steps.yml"
    file.write_text(text, encoding="utf-8")
    return file


def test_steps_of_a_command_plan_it_and_compare_by_that_plan(
    with_image: Scene, tmp_path: Path
) -> None:
    build, jar = "build: mvn --batch-mode --quiet -DskipTests package", "jar: target/benchmarks.jar"
    of_a_command = {
        f"{build} # yours\n          {jar} # yours": "run: ./tool",
        "          jar: steady-results/benchmarks.jar\n": "",
    }
    (with_image.project.folder / "tool").touch(0o755)
    plan = compared_by_its_plan(
        with_image,
        steps(tmp_path, of_a_command),
        {"tool": TOOL.format(10)},
        {"tool": TOOL.format(5_000_000)},
    )
    assert plan.harness == "command"


@pytest.mark.thorough
@pytest.mark.needs("java", "mvn")
def test_steps_of_maven_plan_it_and_compare_by_that_plan(with_image: Scene, tmp_path: Path) -> None:
    before, after = maven_project()
    files = {name: text for name, text in before.items() if name != ".steady/plan.json"}
    with_image.runner.environment = {"JAVA_TOOL_OPTIONS": JAVA_OPTIONS}
    files[".gitignore"] = "target/\n"
    plan = compared_by_its_plan(with_image, steps(tmp_path, {}), files, after)
    assert plan.harness == "jmh"


def compared_by_its_plan(
    scene: Scene, file: Path, before: Mapping[str, str], after: Mapping[str, str]
) -> Plan:
    """Plan a project, merge that, and compare a pull request, whose benchmark is slower."""
    plan, written = proposed(scene, file, before)
    scene.open(written, after)
    ran = scene.on_pull_request("", file)
    assert ran.code != 0, "as `fail-on` asks"
    [body] = scene.comments()
    assert re.search("1 of [12] benchmarks? became slower", body), body
    assert "Measured by another job" in body
    left = scene.runner.artifacts / "steady-results"
    assert json.loads((left / "run.json").read_text())["header"]["plan"], "it followed none"
    suite = load(left / "head.json")
    measured = [entry for entry in plan.benchmarks if entry.identity in suite]
    assert measured
    assert all(len(suite[entry.identity].measured) >= entry.forks for entry in measured)
    return plan


def proposed(scene: Scene, file: Path, files: Mapping[str, str]) -> tuple[Plan, dict[str, str]]:
    """Run what plans a project; return the plan of its pull request, and that one's files."""
    sha = scene.project.commit(files)
    scene.hosted.push(scene.project.folder, sha, "main")
    content = {"ref": "refs/heads/main", "inputs": {}}
    ran = scene.run("", "workflow_dispatch", content, sha=sha, file=file)
    assert ran.code == 0, ran.log
    [pull] = scene.hosted.ask("GET", "/pulls")
    tree = scene.hosted.ask("GET", f"/git/trees/{pull['head']['sha']}?recursive=1")["tree"]
    written = {}
    for entry in tree:
        if entry["path"].startswith(".steady/") and entry["type"] == "blob":
            blob = scene.hosted.ask("GET", f"/git/blobs/{entry['sha']}")
            written[entry["path"]] = base64.b64decode(blob["content"]).decode()
    return plan_from_json(written[".steady/plan.json"]), written


def caller(folder: Path, name: str) -> Path:
    """Write the caller of `plan.yml`, with the lines by which another example measures."""
    example = yaml.safe_load((EXAMPLES / f"steady-compare-{name}.yml").read_text(encoding="utf-8"))
    lines = example["jobs"]["benchmarks"].get("with", {})
    workflow = yaml.safe_load((EXAMPLES / "steady-optimize.yml").read_text(encoding="utf-8"))
    workflow["on"] = workflow.pop(True)  # YAML 1.1 reads the key as true
    workflow["jobs"]["plan"]["with"] = {**lines, **SMALL}
    path = folder / f"plan-{name}.yml"
    path.write_text(yaml.safe_dump(workflow), encoding="utf-8")
    return path


LIBRARY = Path("/usr/include/benchmark/benchmark.h")
NEEDS = {
    "go": ("go", ("go",)),
    "pytest": ("pytest-benchmark", ()),
    "pyperf": ("pyperf", ()),
    "google-benchmark": ("google-benchmark", ("g++", "cmake")),
    "criterion": ("criterion", ("cargo",)),
    "vitest": ("tinybench", ("npm",)),
    "command": ("command", ("make",)),
}
"""By the end of a caller's name: the harness, and the tools beside Python."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "harness"),
    [
        pytest.param(name, harness, marks=pytest.mark.needs(*tools), id=name)
        for name, (harness, tools) in NEEDS.items()
    ],
)
def test_the_workflow_plans_what_another_one_compares(
    with_image: Scene, tmp_path: Path, name: str, harness: str
) -> None:
    scene = with_image
    if harness == "google-benchmark":
        if not LIBRARY.exists():
            pytest.skip("libbenchmark-dev is not installed")
        (tmp_path / "bin").mkdir()
        sudo = tmp_path / "bin/sudo"
        sudo.write_text("#!/bin/sh\n# What it would install is there.\n")
        sudo.chmod(0o755)
        scene.runner.environment = {"PATH": f"{sudo.parent}:{os.environ['PATH']}"}
    plan, files = proposed(scene, caller(tmp_path, name), project(harness))
    assert plan.harness == harness
    assert len(plan) > 0
    assert {entry.full.forks for entry in plan.benchmarks} == {3}
    configuring = harness_named(harness).configuring
    own = () if configuring is None else configuring.files
    assert files.keys() == {
        f".steady/{file}" for file in ("plan.json", "receipt.md", *own)
    }  # the same names as docs/howto/plan.md has


def project(harness: str) -> dict[str, str]:
    """Return the files of a harness's example."""
    if harness == "command":
        rule = "tool: tool.py\n\tcp tool.py tool && chmod +x tool\n"
        return {"tool.py": TOOL.format(10), "Makefile": rule, "input.txt": "", ".gitignore": "tool"}
    root = ROOT / "examples" / harness
    left_out = {"results", "recorded", "target", "node_modules", "build"}
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file() and not left_out & set(path.relative_to(root).parts)
    } | {".gitignore": ".venv\nbuild\n*.egg-info\ntarget\nnode_modules\n*.test\n"}
