"""Each workflow that compares base with head, from its event to its comment."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from projects import ROOT, go_project, maven_project, planned
from scene import EXAMPLES, Scene, maven

pytestmark = [pytest.mark.thorough, pytest.mark.needs("act", "emulate")]

GRADLEW = """\
#!/bin/sh
# Stands in for Gradle, whose own host is not reached from everywhere: the jar is Maven's.
set -e
mvn --batch-mode --quiet -DskipTests package
mkdir -p {folder}
cp target/benchmarks.jar {folder}/{jar}
"""

SCALA = 'f"${12.5}%.2f EUR"'
KOTLIN = '"%.2f EUR".format(12.5)'
JAVA = 'String.format("%.2f EUR", 12.5);'
THIRTY = f'String all = "";for (int i = 0; i < 30; i++) all = {JAVA}'

GRADLE = """\
// What the plugin me.champeau.jmh does, in as much as the workflow needs it: its task `jmhJar` and
// its jar. The plugin's own host is not reached from everywhere, and this runs with Gradle 4.4 too.
apply plugin: 'java'
repositories { mavenCentral() }
sourceSets { jmh }
def modern = GradleVersion.current() >= GradleVersion.version('5.1')
dependencies {
    jmhImplementation 'org.openjdk.jmh:jmh-core:1.37'
    add(modern ? 'jmhAnnotationProcessor' : 'jmhCompileOnly',
        'org.openjdk.jmh:jmh-generator-annprocess:1.37')
}
task jmhJar(type: Jar) {
    if (modern) archiveFileName = 'shop-jmh.jar' else archiveName = 'shop-jmh.jar'
    from sourceSets.jmh.output
    from { configurations.jmhRuntimeClasspath.collect { zipTree(it) } }
    duplicatesStrategy = 'exclude'
}
"""

LIBRARY = Path("/usr/include/benchmark/benchmark.h")

REPEATED = """std::string text;
  for (int i = 0; i < 50; i++) benchmark::DoNotOptimize(text = std::to_string(cents / 100 + i));
  text ="""


def found_slower(scene: Scene, more: Mapping[str, str] | None = None) -> str:
    """Return the one comment, which names one benchmark as slower."""
    [body] = scene.comments()
    assert re.search("1 of [12] benchmarks? became slower", body), body
    assert "Not compared" not in body
    left = {p.name for p in (scene.runner.artifacts / "benchmarks-default").iterdir()}
    assert {"base.json", "head.json", "run.json", "report", *(more or {})} <= left
    return body


@pytest.mark.needs("java", "mvn")
def test_a_second_push_updates_the_comment_in_place(scene: Scene) -> None:
    maven(scene)
    ran = scene.on_pull_request("steady-compare")
    assert ran.code != 0
    assert "Summary - ### 🔴 1 of " in ran.log
    for output in (
        "verdict=regression",
        "regressions=1",
        "improvements=0",
        "report=steady-results",
    ):
        assert f"::set-output:: {output}" in ran.log
    first = found_slower(scene)
    [before] = scene.hosted.comments(scene.number)
    scene.push(maven_project()[0])
    ran = scene.on_pull_request("steady-compare")
    assert ran.code == 0, ran.log
    [after] = scene.hosted.comments(scene.number)
    assert after["id"] == before["id"]
    assert after["body"] != first
    assert "comment updated" in ran.log
    assert "verdict: same-code" in ran.log
    asked = [seen for seen in scene.hosted.server.front.seen if seen.token.startswith("ghs_")]
    place = f"/repos/{scene.hosted.name}/issues"
    writes = [(seen.method, seen.path) for seen in asked if seen.method != "GET"]
    comment = f"{place}/comments/{after['id']}"
    assert [w for w in writes if place in w[1]] == [
        ("POST", f"{place}/{scene.number}/comments"),
        ("PATCH", comment),
    ]


@pytest.mark.needs("java", "mvn")
@pytest.mark.parametrize("name", ["compare-steps", "self-hosted"])
def test_maven(scene: Scene, name: str) -> None:
    maven(scene)
    ran = scene.on_pull_request(f"steady-{name}")
    assert ran.code != 0, "as `fail-on` asks"
    assert "verdict: regression" in ran.log
    if name == "compare-steps":
        assert "1 of" in scene.comments()[0]
        assert (scene.runner.artifacts / "benchmarks/base.json").is_file()
    else:
        found_slower(scene)
        # A pull request from a fork does not come to one's own machine.
        scene.pull["head"]["repo"] = {**scene.pull["head"]["repo"], "full_name": "stranger/shop"}
        ran = scene.on_pull_request("steady-self-hosted")
        assert ran.code == 0, ran.log
        assert "Build" not in ran.log


@pytest.mark.needs("java", "mvn")
@pytest.mark.parametrize(
    ("name", "folder", "jar"),
    [
        ("gradle", "build/libs", "shop-1.0-jmh.jar"),
        ("kotlin", "build/benchmarks/main/jars", "shop-main-jmh-1.0-JMH.jar"),
    ],
)
def test_what_gradle_builds(scene: Scene, name: str, folder: str, jar: str) -> None:
    script = GRADLEW.format(folder=folder, jar=jar)
    (scene.project.folder / "gradlew").write_text(script)
    (scene.project.folder / "gradlew").chmod(0o755)
    maven(scene, {".gitignore": "target/\nbuild/\n"})
    ran = scene.on_pull_request(f"steady-compare-{name}")
    assert ran.code != 0, "as `fail-on` asks"
    found_slower(scene)


def example(name: str) -> dict[str, str]:
    """Return an example's files, and a plan for its benchmark."""
    root = ROOT / "examples" / name
    files = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file() and not {"target", "build", ".gradle"} & set(path.parts)
    }
    plan = {".steady/plan.json": planned("shop.PriceBenchmark.format", seconds=0.05)}
    return {**files, **plan, ".gitignore": "target/\nbuild/\n.gradle/\n"}


@pytest.mark.parametrize(
    ("name", "workflow", "line", "thirty_times"),
    [
        pytest.param(
            *("sbt", "steady-compare-sbt", SCALA, f"(1 to 30).map(_ => {SCALA}).last"),
            marks=pytest.mark.needs("java", "mvn"),
        ),
        pytest.param(
            *("kotlin-maven", "steady-compare", KOTLIN, f"(1..30).map {{ {KOTLIN} }}.last()"),
            marks=pytest.mark.needs("java", "mvn"),
        ),
        pytest.param(
            *("gradle", "steady-compare-gradle", f"return {JAVA}", f"{THIRTY} return all;"),
            marks=pytest.mark.needs("java", "gradle"),
        ),
    ],
    ids=["sbt", "kotlin", "gradle"],
)
def test_examples_built_by_their_own_tools(
    scene: Scene, name: str, workflow: str, line: str, thirty_times: str
) -> None:
    before = example(name)
    if name == "gradle":
        before |= {"build.gradle": GRADLE, "gradlew": '#!/bin/sh\nexec gradle "$@"\n'}
        (scene.project.folder / "gradlew").touch(0o755)
    [source] = [path for path in before if Path(path).stem == "PriceBenchmark"]
    assert before[source].count(line) == 1
    scene.open(before, {source: before[source].replace(line, thirty_times)})
    ran = scene.on_pull_request(workflow)
    assert ran.code != 0, ran.log
    found_slower(scene)


@pytest.mark.needs("java", "mvn")
def test_a_merge_queue_is_measured_without_a_comment(scene: Scene) -> None:
    maven(scene)
    head = scene.git("rev-parse", "HEAD")
    last = scene.project.commit({"README.md": "two"})
    below = scene.git("rev-parse", f"{head}^1")
    content = {"action": "checks_requested", "merge_group": {"base_sha": below, "head_sha": last}}
    ref = "refs/heads/gh-readonly-queue/main/pr-1"
    ran = scene.run("steady-merge-queue", "merge_group", content, sha=last, ref=ref)
    # The last commit's parent holds the change already: as its base nothing would be slower.
    assert "verdict: regression" in ran.log, ran.log
    assert ran.code != 0
    assert scene.comments() == []


@pytest.mark.needs("java", "mvn", "go")
def test_suites_of_one_repository_have_comments_of_their_own(scene: Scene) -> None:
    before, after = go_project("services/stock")
    maven(scene, {n: t for n, t in before.items() if ".github" not in n}, "services/orders")
    scene.push(after)
    ran = scene.on_pull_request("steady-monorepo")
    assert ran.code != 0
    bodies = scene.comments()
    assert sorted(re.findall("<!-- steady:(.*) -->", "\n".join(bodies))) == ["orders", "stock"]
    assert all("became slower" in body for body in bodies), ran.log
    assert "::error title=Benchmark regression::stock/codec.BenchmarkRead" in ran.log
    assert "no benchmark matches" not in "\n".join(bodies)


@pytest.mark.needs("g++", "cmake")
@pytest.mark.skipif(not LIBRARY.exists(), reason="libbenchmark-dev is not installed")
def test_google_benchmark(scene: Scene, tmp_path: Path) -> None:
    root = ROOT / "examples/google-benchmark"
    names = ("CMakeLists.txt", "price.cc")
    before = {name: (root / name).read_text(encoding="utf-8") for name in names}
    after = before["price.cc"].replace("std::string text =", REPEATED)
    scene.open({**before, ".gitignore": "build/\n"}, {"price.cc": after})
    (tmp_path / "bin").mkdir()
    sudo = tmp_path / "bin/sudo"
    sudo.write_text("#!/bin/sh\n# What it would install is there.\n")
    sudo.chmod(0o755)
    path = f"{sudo.parent}:{os.environ['PATH']}"
    scene.runner.environment = {"PATH": path}
    name = "steady-compare-google-benchmark"
    ran = scene.on_pull_request(name, short(tmp_path, name))
    assert ran.code != 0, ran.log
    assert "BM_Price" in scene.comments()[0]


def test_pytest_benchmark(scene: Scene, tmp_path: Path) -> None:
    benchmark = "def test_work(benchmark):\n    benchmark(sum, range({}))\n"
    project = '[project]\nname = "shop"\nversion = "1"\n[tool.setuptools]\npackages = []\n'
    scene.open(
        {
            "benchmarks/test_w.py": benchmark.format("3_000"),
            "pyproject.toml": project,
            ".gitignore": ".venv\nbuild\n*.egg-info\n",
        },
        {"benchmarks/test_w.py": benchmark.format("30_000")},
    )
    ran = scene.on_pull_request("steady-compare-pytest", short(tmp_path, "steady-compare-pytest"))
    assert ran.code != 0, ran.log
    assert "test_work" in found_slower(scene)


@pytest.mark.needs("make")
def test_a_command(scene: Scene, tmp_path: Path) -> None:
    tool = f"#!{sys.executable} -IS\nimport sys\nopen(sys.argv[1]).read()\nsum(range({{}}))\n"
    rule = "tool: tool.py\n\tcp tool.py tool && chmod +x tool\n"
    scene.open(
        {"tool.py": tool.format(100), "Makefile": rule, "input.txt": "", ".gitignore": "tool\n"},
        {"tool.py": tool.format(10_000_000)},
    )
    ran = scene.on_pull_request("steady-compare-command", short(tmp_path, "steady-compare-command"))
    assert ran.code != 0, ran.log
    found_slower(scene)


def short(folder: Path, name: str) -> Path:
    """Return a workflow with less time than the ten minutes that it takes without a plan."""
    copy = folder / f"{name}.yml"
    text = (EXAMPLES / f"{name}.yml").read_text(encoding="utf-8")
    copy.write_text(f"{text}      time-budget: 60s\n", encoding="utf-8")
    return copy
