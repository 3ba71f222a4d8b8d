"""Files from public issue reports about comparing benchmarks in CI.

The owner, the repository and the number of a report stand above each. Names and numbers are made
up here.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.cli.shell import Shell
from tests.looped import looped

random = np.random.default_rng(20261128)


def around(level: float, number: int, spread: float = 0.003) -> list[float]:
    """Return measured values around a level."""
    return [float(value) for value in level * random.normal(1, spread, number)]


def write(name: str, content: object) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return name


def found(shell: Shell, base: object, head: object, *, kind: str = "json") -> dict[str, Any]:
    """Compare two files; return the verdict of each benchmark by name, and the exit code."""
    write(f"base.{kind}", base)
    write(f"head.{kind}", head)
    ended = shell(f"compare base.{kind} head.{kind} --output json")
    assert ended.code in (0, 1), ended.err
    comparison = json.loads(ended.out)
    ledger = comparison["ledger"]
    named = {_label(one["identity"]): one["outcome"] for one in comparison["changes"]}
    for place in ("failed", "missing", "incomparable"):
        named |= {
            _label(one["identity"]): one["reason"].removeprefix("failed: ") for one in ledger[place]
        }
    for place in ("gone", "new"):
        named |= {_label(one): place for one in ledger[place]}
    return {**named, "exit code": ended.code}


def _label(identity: Mapping[str, Any]) -> str:
    params = "".join(f" {key}={value}" for key, value in identity["params"])
    threads = f" x{identity['threads']}" if identity["threads"] > 1 else ""
    return f"{identity['name']}{params}{threads}"


def hyperfine(*commands: tuple[str, list[float], Sequence[object]]) -> dict[str, Any]:
    keys = ("command", "times", "exit_codes")
    return {"results": [dict(zip(keys, one, strict=True)) for one in commands]}


def test_a_crashed_command_is_not_faster(shell: Shell) -> None:
    # sharkdp/hyperfine#591, #348
    whole = ("build site", around(0.4, 10), [0] * 10)
    other = ("lint site", around(1.2, 10), [0] * 10)
    some = [0] * 7 + [139, 0, 139]
    for times, codes, said in (
        (around(0.003, 10), [101] * 10, "10 of 10 executions ended with exit code 101"),
        (around(0.4, 10), some, "2 of 10 executions ended with exit code 139"),
        (around(0.003, 9), [None] * 9, "9 of 9 executions ended with a signal"),
        (around(0.4, 3), [2, "x", None], "3 of 3 executions ended with exit code 2, an error, a s"),
    ):
        after = ("lint site", around(1.2, 10), [0] * 10)
        head = hyperfine(("build site", times, codes), after)
        told = found(shell, hyperfine(whole, other), head)
        assert told["build site"].startswith(said)
        assert (told["lint site"], told["exit code"]) == ("unchanged", 1)
    same = hyperfine(whole, ("lint site", around(1.2, 10), [0] * 10))
    assert found(shell, hyperfine(whole, other), same)["build site"] == "unchanged"


def go_output(values: Mapping[str, float], *, package: str = "example.org/pool") -> str:
    lines = ["goos: linux", "goarch: amd64", f"pkg: {package}", "cpu: A CPU"]
    for name, level in values.items():
        lines += [f"{name:40}\t{int(1e9 / v)}\t{v:.2f} ns/op" for v in around(level, 10)]
    return "\n".join([*lines, "PASS", f"ok  \t{package}\t20.1s", ""])


def test_an_additional_go_benchmark_does_not_rename_others(shell: Shell) -> None:
    # jstemmer/go-junit-report#74
    sizes = {f"BenchmarkPool/size-{n}": 3.5 * n for n in (32, 256, 2048)}
    slower = sizes | {"BenchmarkPool/size-2048": 1.25 * sizes["BenchmarkPool/size-2048"]}
    one = {"BenchmarkPool/size-32": 111.0}
    for base, head in ((sizes, slower | {"BenchmarkReset": 77.0}), (sizes | one, slower)):
        told = found(shell, go_output(base), go_output(head), kind="txt")
        assert told["example.org/pool.BenchmarkPool/size-2048"] == "regression"
        assert told["example.org/pool.BenchmarkPool/size-32"] in ("unchanged", "unclear")
        assert "gone" not in told.values()
    # A single size looks like a number of processors, until another benchmark shows that it is not.
    told = found(shell, go_output(one), go_output({**one, "BenchmarkReset": 77.0}), kind="txt")
    assert told == {
        "example.org/pool.BenchmarkPool/size-32": "unchanged",
        "example.org/pool.BenchmarkReset": "new",
        "exit code": 0,
    }
    # A plan made from such a file contains the benchmark under its other name.
    write("full.txt", go_output(one))
    assert shell("optimize full.txt --out .steady").code == 0
    ended = shell("compare base.txt head.txt --plan .steady/plan.json")
    assert "1 unchanged" in ended.out
    assert "did not run" not in ended.said


def test_suffixes_of_go_are_numbers_of_processors(shell: Shell) -> None:
    names = [f"Benchmark{name}{cpu}" for name in ("A", "B/n-8") for cpu in ("", "-2", "-4")]
    before = dict.fromkeys(names, 100.0)
    told = found(shell, go_output(before), go_output(before | {"BenchmarkA-4": 140.0}), kind="txt")
    assert told["example.org/pool.BenchmarkA x4"] == "regression"
    assert told["example.org/pool.BenchmarkB/n-8 x2"] == "unchanged"


def test_go_output_with_time_stamps_and_other_lines(shell: Shell) -> None:
    # golang/go#53893; logs of GitHub's runners and of `gh run view --log`; GitLab
    base, head = (go_output({"BenchmarkMap-4": v, "BenchmarkSet-4": 91.0}) for v in (800.0, 1000.0))

    def stamped(text: str, before: str = "", after: str = "") -> str:
        return "".join(
            f"{before}2026-03-01T10:00:{n % 60:02}.1234567Z {after}{line}\n"
            for n, line in enumerate(["##[group]Run go test", "shell: bash", *text.splitlines()])
        )

    def events(text: str, first: str = "", spaces: bool = False) -> str:
        separators = None if spaces else (",", ":")
        lines = [
            json.dumps(
                {"Time": "2026-03-01T10:00:00Z", "Action": "output", "Output": f"{line}\n"},
                separators=separators,
            )
            for line in text.splitlines()
        ]
        return "\n".join([*filter(None, [first]), *lines, ""])

    for write_as in (
        stamped,
        lambda text: "\ufeff" + stamped(text),
        lambda text: stamped(text, "bench\tRun benchmarks\t"),
        lambda text: stamped(text, "bench\tRun benchmarks\t\ufeff"),
        lambda text: stamped(text, after="00O "),
        events,
        lambda text: events(text, "go: downloading golang.org/x/text v0.14.0"),
        lambda text: events(text, "# example.org/pool\nld: warning: ignored", spaces=True),
        lambda text: stamped(events(text)),
    ):
        told = found(shell, write_as(base), write_as(head), kind="json")
        assert told == {
            "example.org/pool.BenchmarkMap x4": "regression",
            "example.org/pool.BenchmarkSet x4": told["example.org/pool.BenchmarkSet x4"],
            "exit code": 1,
        }
    failing = events(head, "FAIL\texample.org/pool/gen [setup failed]")
    told = found(shell, events(base), failing)
    assert told["example.org/pool/gen"] == "setup failed"
    assert told["example.org/pool.BenchmarkMap x4"] == "regression"


def test_benchmarks_skipped_in_head_are_not_removed(shell: Shell) -> None:
    text = go_output({"BenchmarkA-2": 10.0, "BenchmarkB-2": 20.0})
    rows = [line for line in text.splitlines() if not line.startswith("BenchmarkB")]
    rows[-2:-2] = ["--- SKIP: BenchmarkB-2", "    b_test.go:7: no device"]
    told = found(shell, text, "\n".join(rows) + "\n", kind="txt")
    assert told["example.org/pool.BenchmarkB x2"] == "skipped in head: b_test.go:7: no device"
    ended = shell("compare base.txt head.txt")
    assert "1 of 2 benchmarks was skipped in head, so this is not a pass" in ended.said
    both = shell("compare head.txt head.txt").said
    assert "identical measurements" in both  # the same file


def asv(results: Mapping[str, Sequence[Any]], version: str = "a1" * 32) -> dict[str, Any]:
    columns = ["result", "params", "version", "samples"]
    return {
        "commit_hash": "0" * 40,
        "result_columns": columns,
        "results": {
            name: [
                values,
                [[str(number) for number in range(len(values))]] if len(values) > 1 else [],
                version,
                [around(v, 10) if isinstance(v, float) and v == v else None for v in values],
            ]
            for name, values in results.items()
        },
    }


def test_skipped_and_failed_benchmarks_of_asv(shell: Shell) -> None:
    # airspeed-velocity/asv#1028, #1456
    nan = float("nan")
    base = asv({"io.time_read": [1e-5, nan, 2e-5, 3e-3]})
    head = asv({"io.time_read": [1e-5, nan, nan, None]})
    told = found(shell, base, head)
    assert told["io.time_read(2)"] == "skipped in head"
    assert told["io.time_read(3)"].startswith("it raised an error or took too long")
    assert "io.time_read(1)" not in told
    changed = found(shell, asv({"io.time_load": [1e-3]}), asv({"io.time_load": [3e-3]}, "b2" * 32))
    assert changed["io.time_load"] == (
        "its version is a1a1a1a1a1a1 in base and b2b2b2b2b2b2 in head: different benchmarks"
    )
    assert changed["exit code"] == 1


def vitest(**means: float | None) -> dict[str, Any]:
    entries: list[dict[str, Any]] = [
        {"id": f"1_{n}", "name": name, "samples": [], **({} if mean == -1 else {"mean": mean})}
        for n, (name, mean) in enumerate(means.items())
    ]
    group = {"fullName": "route.bench.ts", "benchmarks": entries}
    return {"files": [{"filepath": "/x/route.bench.ts", "groups": [group]}]}


def test_an_invalid_record_fails_only_its_benchmark(shell: Shell) -> None:
    base = vitest(trie=3e-5, regex=2e-4, native=4e-4, noop=1e-5)
    told = found(shell, base, vitest(trie=0.0, regex=2e-4, native=-1, noop=None))
    assert told["route.bench.ts > trie"] == "results of 0 ms/op in head: nothing was timed"
    assert told["route.bench.ts > native"] == "it has no measurement"
    assert "mean: expected a number, found null" in told["route.bench.ts > noop"]
    assert told["route.bench.ts > regex"] == "unclear"


def test_failed_and_skipped_tests_of_vitest(shell: Shell) -> None:
    def report(status: str, **more: Any) -> dict[str, Any]:
        task = {"name": "sort", "latency": {"mean": 1e-5}}
        tests = [
            {"fullName": "a", "status": "passed", "benchmarks": [{"name": "a", "tasks": [task]}]},
            {"fullName": "b", "status": status, "benchmarks": [], **more},
        ]
        return {"testResults": [{"name": "/x/sort.bench.ts", "assertionResults": tests}]}

    failed = report("failed", failureMessages=["Error: no\n    at x.ts:1"])
    assert found(shell, report("passed"), failed)["sort.bench.ts > b"] == "Error: no"
    told = found(shell, report("skipped"), report("skipped"))
    assert "sort.bench.ts > b" not in told


def pyperf(level: float, unit: str = "second", loops: int = 1, **more: Any) -> dict[str, Any]:
    runs = [
        {"values": around(level, 3), "warmups": [[loops, level]], "metadata": more}
        for _ in range(12)
    ]
    metadata = {"name": "dumps", "loops": loops, "unit": unit}
    return {"benchmarks": [{"metadata": metadata, "runs": runs}], "metadata": {}, "version": "1.0"}


def test_calibration_by_the_harness_may_differ(shell: Shell) -> None:
    # psf/pyperf's own files: 30 % slower, so fewer loops were calibrated
    told = found(shell, pyperf(3e-6, loops=2**15), pyperf(3.9e-6, loops=2**14))
    assert told == {"dumps": "regression", "exit code": 1}
    told = found(shell, pyperf(3.9e-6, loops=2**14), pyperf(3e-6, loops=2**15))
    assert told == {"dumps": "improvement", "exit code": 0}


def test_bytes_are_not_seconds(shell: Shell) -> None:
    told = found(shell, pyperf(9.1e6, "byte"), pyperf(1.09e7, "byte"))
    assert told["dumps"] == "regression"
    ended = shell("optimize base.json --out .steady")
    assert ended.code == 2
    assert "lack the length of an iteration" in ended.err
    write("timed.json", pyperf(9.1e6, "byte", duration=0.4))
    ended = shell("optimize timed.json --out .steady")
    assert ended.code == 0
    assert "1 benchmark: 11 s →" in ended.said


def dotnet(*jobs: tuple[str, float], launches: int = 5) -> dict[str, Any]:
    def lines(level: float) -> list[dict[str, Any]]:
        operations = int(0.25e9 / level)  # chosen by BenchmarkDotNet, depending on the speed
        return [
            {
                "IterationMode": "Workload",
                "IterationStage": stage,
                "LaunchIndex": launch,
                "Operations": operations,
                "Nanoseconds": operations * value,
            }
            for launch in range(1, launches + 1)
            for stage, number in (("Warmup", 6), ("Actual", 15))
            for value in around(level, number)
        ]

    return {
        "HostEnvironmentInfo": {"OsVersion": "Windows 11"},
        "Benchmarks": [
            {
                "DisplayInfo": f"Ink.Render: {job} [N=3]",
                "FullName": "Acme.Ink.Render(N: 3)",
                "Statistics": {"N": 15},
                "Measurements": lines(level),
            }
            for job, level in jobs
        ],
    }


def test_jobs_of_benchmarkdotnet_are_distinguished(shell: Shell) -> None:
    name = "Acme.Ink.Render(N: 3)"
    assert found(shell, dotnet(("DefaultJob", 400.0)), dotnet(("DefaultJob", 520.0))) == {
        name: "regression",
        "exit code": 1,
    }
    # BenchmarkDotNet generates names of jobs; the user's settings identify a job.
    same = (dotnet((f"Job-{made}(LaunchCount=5)", 400.0)) for made in ("ABCDEF", "UVWXYZ"))
    assert found(shell, *same)[name] == "unchanged"
    told = found(shell, dotnet(("DefaultJob", 400.0)), dotnet(("Cold(RunStrategy=Cold)", 520.0)))
    assert told[name] == (
        "its job is DefaultJob in base and Cold(RunStrategy=Cold) in head: different benchmarks"
    )
    net8, net9 = "net8(Runtime=.NET 8.0)", "net9(Runtime=.NET 9.0)"
    both = dotnet((net8, 400.0), (net9, 300.0))
    told = found(shell, both, dotnet((net9, 390.0), (net8, 400.0)))
    assert told == {
        f"{name} job=net8": "unchanged",
        f"{name} job=net9": "regression",
        "exit code": 1,
    }
    told = found(shell, dotnet((net8, 400.0)), dotnet((net8, 520.0), (net9, 300.0)))
    assert told == {f"{name} job=net8": "regression", f"{name} job=net9": "new", "exit code": 1}
    assert "occurs twice" in found(shell, both, dotnet((net8, 1.0), (net8, 2.0)))[f"{name}"]


def test_benchmarkdotnet_results_without_statistics(shell: Shell) -> None:
    # getsentry/sentry-dotnet#874
    base, head = dotnet(("DefaultJob", 9.0)), dotnet(("DefaultJob", 9.0))
    head["Benchmarks"][0]["Statistics"] = None
    told = found(shell, base, head)
    assert told["Acme.Ink.Render(N: 3)"].startswith("it has no measurement")


def google(*entries: tuple[str, int, float], repetitions: int = 5) -> dict[str, Any]:
    return {
        "context": {"library_version": "v1.9.4"},
        "benchmarks": [
            {
                "name": name,
                "run_name": name,
                "family_index": family,
                "per_family_instance_index": 0,
                "run_type": "iteration",
                "repetition_index": index,
                "real_time": value,
                "cpu_time": value,
                "time_unit": "ns",
            }
            for name, family, level in entries
            for index, value in enumerate(around(level, repetitions))
        ],
    }


def test_benchmarks_with_the_same_name_are_not_forks(shell: Shell) -> None:
    # llvm/llvm-project#215676
    base = google(("BM_find/16", 0, 40.0), ("BM_copy", 1, 11.0), ("BM_find/16", 2, 2100.0))
    head = google(("BM_find/16", 0, 40.0), ("BM_copy", 1, 11.0), ("BM_find/16", 2, 3150.0))
    for repetitions in (5, 1):
        places = f"(benchmarks[0], benchmarks[{2 * repetitions}])"
        sides = [
            {**side, "benchmarks": side["benchmarks"][:: 5 // repetitions]} for side in (base, head)
        ]
        told = found(shell, *sides)
        assert told["BM_find/16"].startswith(f"it occurs twice under one name {places}")
        assert told["exit code"] == 1
    twice = vitest(a=1e-3, b=2e-3)
    twice["files"][0]["groups"][0]["benchmarks"][1]["name"] = "a"
    assert "occurs twice" in found(shell, twice, twice)["route.bench.ts > a"]


def test_large_changes_are_shown_as_factors(shell: Shell) -> None:
    rows = {"BenchmarkA-2": 10.0, "BenchmarkB-2": 10.0}
    write("base.txt", go_output(rows))
    write("head.txt", go_output(rows | {"BenchmarkA-2": 6000.0}))
    for output in ("terminal", "markdown"):
        ended = shell(f"compare base.txt head.txt --output {output}")
        assert "more than tenfold" in ended.said
        assert "59," not in ended.said
    assert "1 of 2 benchmarks became slower, by more than tenfold" in ended.said
    assert "All benchmarks ran with 2 processors." in ended.said
    assert "(2 processors)" not in ended.said


def test_a_rate_that_halves_without_the_time_is_reported(shell: Shell) -> None:
    def output(time: float, rate: float) -> str:
        values = zip(around(time, 10), around(rate, 10), strict=True)
        rows = "".join(f"BenchmarkScan 100\t{t:.2f} ns/op\t{r:.2f} rows/s\n" for t, r in values)
        return f"pkg: example.org/db\n{rows}PASS\n"

    write("base.txt", output(50, 1000))
    for time, rate, named in ((50, 480, True), (100, 500, False), (50, 900, False)):
        write("head.txt", output(time, rate))
        said = shell("compare base.txt head.txt").said
        assert ("rows/s of example.org/db.BenchmarkScan fell from" in said) is named
    write("steady.yml", "thresholds:\n- benchmarks: '*'\n  metric: rows/s\n  min-change: 5%\n")
    write("head.txt", output(50, 480))
    assert "fell from" not in shell("compare base.txt head.txt --settings steady.yml").said


@looped(
    ("cut", "said"),
    [
        (0.0, "is empty; many harnesses write their results only when the whole run is over"),
        (0.6, "the JSON ends in the middle: the file was cut off"),
    ],
)
def test_suggestions_match_the_harness(cut: float, said: str, shell: Shell) -> None:
    base = write("base.json", google(("BM_a", 0, 5.0)))
    text = Path(base).read_text()
    write("head.json", text[: int(cut * len(text))])
    for words in ("", " --format google-benchmark"):
        ended = shell(f"compare base.json head.json{words}")
        assert (ended.code, said in ended.err, "JMH" in ended.err) == (2, True, False)
    write("broken.json", text.replace('"real_time": ', '"real_time": -nan(ind), "x": ', 1))
    assert "-rf json" not in shell("compare base.json broken.json").err


def test_two_encodings_in_one_file(shell: Shell) -> None:
    # golang/go#58576: PowerShell's `>>` appends to a file in another encoding
    text = go_output({"BenchmarkA-2": 10.0})
    more = go_output({"BenchmarkB-2": 10.0})
    for content in (
        text.encode() + more.encode("utf-16-le"),
        b"\xff\xfe" + text.encode("utf-16-le") + more.encode() + b" " * (len(more) % 2),
    ):
        Path("base.txt").write_bytes(content)
        Path("head.txt").write_bytes(text.encode("utf-16"))
        ended = shell("compare base.txt head.txt")
        assert ended.code == 2
        assert "contains text in two encodings" in ended.err


def test_rates_without_a_time_unit(shell: Shell) -> None:
    # benchmark-action/github-action-benchmark#365
    for unit in ("fps", "qps", "mgas/second", "rows/s"):
        sides = (
            "pkg: example.org/gl\n"
            + "".join(f"BenchmarkDraw 1 {value:.2f} {unit}\n" for value in around(level, 10))
            for level in (60.0, 30.0)
        )
        assert found(shell, *sides, kind="txt")["example.org/gl.BenchmarkDraw"] == "regression"


def test_head_results_appended_to_base_results(shell: Shell) -> None:
    # callstack/reassure#567
    base, more = pyperf(3e-6), pyperf(4e-6)
    more["benchmarks"][0]["runs"] += base["benchmarks"][0]["runs"]
    told = found(shell, base, more)
    assert told["dumps"].startswith("some forks are in both base and head")
    assert told["exit code"] == 1


def test_an_unknown_metric_is_reported(shell: Shell) -> None:
    for side in ("base", "head"):
        write(f"{side}.txt", go_output({"BenchmarkA-2": 10.0}))
    said = shell("compare base.txt head.txt --metrics p99-ns").said
    assert "--metrics names 'p99-ns', which no benchmark has" in said


def test_a_go_result_after_text_without_line_end(shell: Shell) -> None:
    # golang/go#58528
    def output(level: float) -> str:
        return go_output({"BenchmarkLoad-4": level}).replace("BenchmarkLoad", "done.BenchmarkLoad")

    told = found(shell, output(10.0), output(13.0), kind="txt")
    assert told["example.org/pool.BenchmarkLoad x4"] == "regression"


def test_folders_missing_from_a_vitest_report(shell: Shell) -> None:
    # flowr-analysis/flowr#835
    def report(*files: str) -> dict[str, Any]:
        task = {"name": "sort", "latency": {"mean": 1e-5}}
        tests = [{"fullName": "a", "benchmarks": [{"name": "a", "tasks": [task]}]}]
        return {"testResults": [{"name": f, "assertionResults": tests} for f in files]}

    told = found(shell, report("/x/bench/a.ts"), report("/x/bench/a.ts", "/x/more/b.ts"))
    assert told == {
        "bench/a.ts > a > sort": "unclear",
        "more/b.ts > a > sort": "new",
        "exit code": 0,
    }


def test_results_of_different_runtimes_are_not_forks(shell: Shell) -> None:
    # airspeed-velocity/asv#1394, dotnet/performance#5019
    old, new = (pyperf(level, python_version=version) for level, version in PYTHONS)
    write("a.json", old)
    write("b.json", new)
    write("head.json", pyperf(3e-6, python_version="3.12.1 (64-bit)"))
    ended = shell("compare --base a.json b.json --head head.json")
    assert ended.code == 2
    assert "disagree about 'dumps': vm: 'Python 3.12.1 (64-bit)' in one" in ended.err
    assert "runtime: Python 3.12.1 (64-bit) in base" in shell("compare a.json b.json").said


PYTHONS = ((3e-6, "3.12.1 (64-bit)"), (3.1e-6, "3.13.0 (64-bit)"))


def test_a_folder_with_unknown_files(shell: Shell) -> None:
    # ohdearquant/lattice#545
    write("old/group/main/estimates.json", {"median_abs_dev": {}})
    write("new.json", pyperf(3e-6))
    ended = shell("compare old new.json")
    assert ended.code == 2
    assert "give the result files, or a pattern such as 'old/**/*.json'" in ended.err
