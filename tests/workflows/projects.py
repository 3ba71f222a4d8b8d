"""Small projects whose pull request makes one benchmark thirty times as slow, and their plans.

A verdict is expected of what is really measured, also on a machine that is slow and busy. So the
change is large, five rounds are planned, and the plan leaves time for further ones. The settings
ask for little of the other benchmark, so that no round is spent on it.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from steady.model import ExecutionConfiguration, Identity
from steady.optimize import BenchmarkPlan, Plan, plan_to_json
from steady.processors import available_processors

ROOT = Path(__file__).resolve().parents[2]
POM = (ROOT / "tests/emit/project/pom.xml").read_text(encoding="utf-8")

JAVA_OPTIONS = "-Djmh.ignoreLock=true -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""Other tests may run JMH at the same time; and a JVM comes to its end sooner."""

_AUTHOR = ("-c", "user.name=Author", "-c", "user.email=author@example.org")


class Project:
    """A repository whose commits a test writes.

    `HEAD` is the pull request's merge, as GitHub checks it out, and its first parent the base.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        # GitHub serves any commit that it knows.
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *_AUTHOR, *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str], message: str = "A commit") -> str:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", f"--message={message}")
        return self.git("rev-parse", "HEAD")

    def pull_request(self, *commits: Mapping[str, str]) -> str:
        """Merge a branch of these commits; return the merge."""
        self.git("switch", "--quiet", "--create", "topic")
        for files in commits:
            self.commit(files)
        self.git("switch", "--quiet", "main")
        self.git("merge", "--quiet", "--no-ff", "--message=Merge", "topic")
        return self.git("rev-parse", "HEAD")


GO_MODULE = "example.com/shop"
GO_UNCHANGED = f"{GO_MODULE}/orders/codec.BenchmarkRead"
GO_SLOWER = f"{GO_MODULE}/stock/codec.BenchmarkRead"

_GO = """package codec

import (
	"os"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	content, err := os.ReadFile("testdata/input.txt")
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < b.N; i++ {
		total := 0
		for round := 0; round < rounds; round++ {
			for _, c := range content {
				total = total*31 + int(c)
			}
		}
		sink = total
	}
}

var sink int
"""

_WITHOUT_BENCHMARKS = """package plain

import "testing"

func TestNothing(*testing.T) {}
"""

_JAVA = """package shop;

import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;
import java.util.concurrent.TimeUnit;

@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 1, time = 20, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 2, time = 20, timeUnit = TimeUnit.MILLISECONDS)
public class ShopBenchmark {
    @Benchmark
    public void price() { Blackhole.consumeCPU(TOKENS); }

    @Benchmark
    public void tax() { Blackhole.consumeCPU(100); }
}
"""


_SECONDS = 8.0
"""What each benchmark may take, further rounds included; little of it is used on a fast machine."""

_SETTINGS = """version: 1
thresholds:
  - {pattern: UNCHANGED, min-change: 60%}
"""


def planned(*names: str, harness: str = "jmh", threads: int = 1, seconds: float = 0.01) -> str:
    """Return a plan of five forks of 1 + 4 short iterations."""
    run = ExecutionConfiguration(5, 1, 4, seconds, seconds)
    full = ExecutionConfiguration(5, 0, 60, seconds, seconds)
    entries = (
        BenchmarkPlan(
            Identity(name, threads=threads), run, full, _SECONDS, 10 * _SECONDS, "reduced", "steady"
        )
        for name in names
    )
    return plan_to_json(Plan(tuple(entries), "error-budget", {"budget": 0.03}, harness=harness))


def go_project(folder: str = "") -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return two packages of one name that read testdata, and what makes the second one slower."""
    files = {
        "go.mod": f"module {GO_MODULE}\n\ngo 1.21\n",
        ".gitignore": "*.test\n",
        ".steady/plan.json": planned(
            GO_UNCHANGED, GO_SLOWER, harness="go", threads=available_processors()
        ),
        "plain/plain.go": "package plain\n",
        "plain/plain_test.go": _WITHOUT_BENCHMARKS,
    }
    for place in ("orders", "stock"):
        files[f"{place}/codec/read_test.go"] = _GO
        files[f"{place}/codec/rounds_test.go"] = "package codec\n\nconst rounds = 50\n"
        files[f"{place}/codec/testdata/input.txt"] = "what is read" * 20
    slower = {"stock/codec/rounds_test.go": "package codec\n\nconst rounds = 1500\n"}
    return {**_below(folder, files), **_settings(GO_UNCHANGED)}, _below(folder, slower)


def maven_project(folder: str = "") -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return a project with two benchmarks, and what makes the first one slower."""
    source = "src/main/java/shop/ShopBenchmark.java"
    names = ("shop.ShopBenchmark.price", "shop.ShopBenchmark.tax")
    files = {
        "pom.xml": POM,
        ".steady/plan.json": planned(*names, seconds=0.02),
        source: _JAVA.replace("TOKENS", "100"),
    }
    slower = {source: _JAVA.replace("TOKENS", "3000")}
    return {**_below(folder, files), **_settings(names[1])}, _below(folder, slower)


def _settings(unchanged: str) -> Mapping[str, str]:
    return {".github/steady.yml": _SETTINGS.replace("UNCHANGED", unchanged)}


def _below(folder: str, files: Mapping[str, str]) -> Mapping[str, str]:
    return {f"{folder}/{name}" if folder else name: text for name, text in files.items()}
