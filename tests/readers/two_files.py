"""Writers of each format, for the same artificial measurements.

A writer here includes a format in the contract of `test_two_files.py`.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steady.model import FloatArray, Suite
from steady.readers import write_series
from tests.jmh_records import jmh_record

FORKS, ITERATIONS, WARMUP = 5, 12, 2


@dataclass(frozen=True, eq=False)
class Made:
    """A benchmark of an artificial run.

    Parameters
    ----------
    key : str
        Name that identifies it in every format.
    seconds : ndarray of float64, shape (FORKS, WARMUP + ITERATIONS)
        Time of an operation.
    failed : bool
        Whether it failed, if its harness reports failures.
    other_unit : bool
        Whether its values have a different unit than usual.
    """

    key: str
    seconds: FloatArray
    failed: bool = False
    other_unit: bool = False

    @property
    def measured(self) -> FloatArray:
        """The times without the warm-up."""
        return self.seconds[:, WARMUP:]


def made(seed: int, *keys: str, slower: Mapping[str, float] | None = None) -> list[Made]:
    """Return a run whose forks vary by 0.2 % and iterations by 0.3 %, after a warm-up."""
    usual = {"alpha": 3.1e-6, "beta": 8.7e-4, "gamma": 2e-3, "delta": 5.5e-5}
    run = []
    for key in keys:
        random = np.random.default_rng([seed, *key.encode()])
        level = usual[key] * (slower or {}).get(key, 1.0)
        noise = random.normal(1, 0.002, (FORKS, 1)) * random.normal(
            1, 0.003, (FORKS, WARMUP + ITERATIONS)
        )
        noise[:, :WARMUP] *= 1.4
        run.append(Made(key, level * noise))
    return run


Files = list[Path]


@dataclass(frozen=True)
class Writer:
    """The writer of a format.

    Parameters
    ----------
    write : callable
        Function that writes a run to a folder and returns the result files.
    name : str
        Format string of a benchmark's name, with its key.
    reports_failures : bool
        Whether files report failed benchmarks; otherwise, these are missing.
    repeats : bool
        Whether a duplicate name means that the benchmark was repeated.
    units : {"refused", "converted", "fixed"}
        Treatment of a different unit: an error, a conversion, or impossible.
    """

    write: Callable[[Sequence[Made], Path], Files]
    name: str
    reports_failures: bool = True
    repeats: bool = False
    units: str = "fixed"


def _one(path: Path, content: object) -> Files:
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    path.write_text(text, encoding="utf-8")
    return [path]


def _each_process(
    write: Callable[[Sequence[Made], Path], Files],
) -> Callable[[Sequence[Made], Path], Files]:
    """Return a writer with one file per process, for a harness that runs in one process."""

    def write_all(run: Sequence[Made], folder: Path) -> Files:
        files = []
        for fork in range(FORKS):
            place = folder / f"{fork}"
            place.mkdir()
            own = [replace(one, seconds=one.seconds[fork : fork + 1]) for one in run]
            files += write(own, place)
        return files

    return write_all


def _jmh_records(run: Iterable[Made]) -> list[dict[str, Any]]:
    return [
        jmh_record(
            f"org.shop.Prices.{one.key}",
            ((one.measured[:-1] if one.failed else one.measured) * factor).tolist(),
            warmup=WARMUP,
            unit=unit,
            forks=max(len(one.measured), 1),
        )
        for one in run
        for unit, factor in [("ns/op", 1e9) if one.other_unit else ("us/op", 1e6)]
    ]


def jmh(run: Sequence[Made], folder: Path) -> Files:
    return _one(folder / "jmh.json", _jmh_records(run))


def jmh_log(run: Sequence[Made], folder: Path) -> Files:
    lines = ["# JMH version: 1.37", "# VM version: JDK 17, VM, 17"]
    for one in run:
        unit, factor = ("ns/op", 1e9) if one.other_unit else ("us/op", 1e6)
        lines += [
            f"# Warmup: {WARMUP} iterations, 100 ms each",
            f"# Measurement: {ITERATIONS} iterations, 100 ms each",
            "# Threads: 1 thread, will synchronize iterations",
            "# Benchmark mode: Average time, time/op",
            f"# Benchmark: org.shop.Prices.{one.key}",
        ]
        for fork, row in enumerate(one.seconds, start=1):
            lines.append(f"# Fork: {fork} of {FORKS}")
            for number, value in enumerate(row):
                warm, n = number < WARMUP, number if number < WARMUP else number - WARMUP
                kind = "# Warmup Iteration" if warm else "Iteration"
                lines.append(f"{kind} {n + 1:3}: {value * factor:.9f} {unit}")
            if one.failed:
                lines += ["Iteration   1: <failure>", "", "java.lang.IllegalStateException: no"]
                break
    return _one(folder / "jmh.log", "\n".join([*lines, "# Run complete. Total time: 00:01:00", ""]))


def go(run: Sequence[Made], folder: Path) -> Files:
    lines = ["goos: linux", "goarch: amd64", "pkg: example.org/shop", "cpu: A CPU"]
    for one in run:
        name = f"Benchmark{one.key.title()}-8"
        if one.failed:
            lines += [f"--- FAIL: {name}", "    shop_test.go:9: no"]
            continue
        unit = "cycles/op" if one.other_unit else "ns/op"
        values = one.measured.ravel()
        lines += [f"{name}  {int(1e9 / v / 1e9) + 1}\t{v * 1e9:.4f} {unit}" for v in values]
    end = "FAIL" if any(one.failed for one in run) else "ok"
    return _one(folder / "go.txt", "\n".join([*lines, f"{end}\texample.org/shop\t9.5s", ""]))


def google_benchmark(run: Sequence[Made], folder: Path) -> Files:
    entries: list[dict[str, Any]] = []
    for family, one in enumerate(run):
        unit, factor = ("us", 1e6) if one.other_unit else ("ns", 1e9)
        for index, value in enumerate(one.measured.ravel()):
            entry: dict[str, Any] = {
                "name": f"BM_{one.key}",
                "family_index": family,
                "per_family_instance_index": 0,
                "run_name": f"BM_{one.key}",
                "run_type": "iteration",
                "repetitions": ITERATIONS,
                "repetition_index": index,
                "threads": 1,
                "iterations": int(0.1 / value),
                "real_time": value * factor,
                "cpu_time": value * factor,
                "time_unit": unit,
            }
            if one.failed:
                entry |= {"error_occurred": True, "error_message": "no", "real_time": 0.0}
            entries.append(entry)
    return _one(folder / "google.json", {"context": {"host_name": "h"}, "benchmarks": entries})


def criterion(run: Sequence[Made], folder: Path) -> Files:
    files: Files = []
    for number, one in enumerate(run):
        if one.failed:
            continue
        place = folder / f"{number}-{one.key}" / "new"
        place.mkdir(parents=True)
        iters = [int(0.01 / one.seconds.mean()) + 1] * ITERATIONS
        times = [n * v * 1e9 for n, v in zip(iters, one.measured[0], strict=True)]
        _one(place / "benchmark.json", {"full_id": f"shop/{one.key}"})
        files += _one(place / "sample.json", {"iters": iters, "times": times})
    return files


def pytest_benchmark(run: Sequence[Made], folder: Path) -> Files:
    entries = [
        {
            "name": f"test_{one.key}",
            "fullname": f"tests/test_shop.py::test_{one.key}",
            "stats": {"data": one.measured[0].tolist(), "rounds": ITERATIONS},
        }
        for one in run
        if not one.failed
    ]
    return _one(folder / "pytest.json", {"machine_info": {}, "benchmarks": entries})


def pyperf(run: Sequence[Made], folder: Path) -> Files:
    benchmarks = []
    for one in run:
        loops = max(int(0.1 / one.seconds.mean()), 1)  # calibrated, so it depends on the speed
        calibration = {"metadata": {"calibrate_loops": loops}, "warmups": [[loops, 0.1]]}
        runs = [
            {"warmups": [[loops, value] for value in row[:WARMUP]], "values": row[WARMUP:].tolist()}
            for row in one.seconds
        ]
        metadata = {"name": f"shop_{one.key}", "loops": loops}
        if one.other_unit:
            metadata["unit"] = "byte"
        own = [calibration] if one.failed else [calibration, *runs]
        benchmarks.append({"metadata": metadata, "runs": own})
    return _one(
        folder / "pyperf.json", {"benchmarks": benchmarks, "metadata": {}, "version": "1.0"}
    )


def tinybench(run: Sequence[Made], folder: Path) -> Files:
    entries = [
        {"name": one.key, "state": "errored", "error": "no"}
        if one.failed
        else {
            "name": one.key,
            "state": "completed",
            "latency": {"mean": float(one.measured.mean() * 1e3)},
        }
        for one in run
    ]
    return _one(folder / "tinybench.json", {"tinybench": entries})


def vitest(run: Sequence[Made], folder: Path) -> Files:
    entries = [
        {"id": f"1_{number}", "name": one.key, "samples": []}
        | ({} if one.failed else {"mean": float(one.measured.mean() * 1e3)})
        for number, one in enumerate(run)
    ]
    group = {"fullName": "shop.bench.ts > prices", "benchmarks": entries}
    return _one(folder / "vitest.json", {"files": [{"filepath": "/a", "groups": [group]}]})


def asv(run: Sequence[Made], folder: Path) -> Files:
    place = folder / "results" / "machine"
    place.mkdir(parents=True)
    columns = ["result", "params", "version", "samples"]
    rows, known = {}, {}
    for one in run:
        name = f"shop.{'track' if one.other_unit else 'time'}_{one.key}"
        values = [None] if one.failed else [float(np.median(one.measured))]
        samples = None if one.failed or one.other_unit else [one.measured.ravel().tolist()]
        rows[name] = [values, [], "1", samples]
        known[name] = {"name": name, "rounds": FORKS, "repeat": ITERATIONS}
    _one(folder / "results" / "benchmarks.json", known)
    document = {"commit_hash": "0" * 40, "params": {}, "result_columns": columns, "results": rows}
    return _one(place / "0.json", document)


def benchmarkdotnet(run: Sequence[Made], folder: Path) -> Files:
    benchmarks = []
    for one in run:
        operations = max(int(0.25 / one.seconds.mean()), 1)  # depends on the speed, too
        lines = [
            {
                "IterationMode": "Workload",
                "IterationStage": "Warmup" if index < WARMUP else "Actual",
                "LaunchIndex": launch + 1,
                "IterationIndex": index + 1,
                "Operations": operations,
                "Nanoseconds": operations * value * 1e9,
            }
            for launch, row in enumerate(one.seconds)
            for index, value in enumerate(row)
        ]
        benchmarks.append(
            {
                "DisplayInfo": f"Prices.{one.key}: Job-QWERTY(LaunchCount={FORKS})",
                "FullName": f"Shop.Prices.{one.key}",
                "Statistics": None if one.failed else {"N": ITERATIONS},
                "Measurements": [] if one.failed else lines,
            }
        )
    document = {"HostEnvironmentInfo": {"OsVersion": "Linux"}, "Benchmarks": benchmarks}
    return _one(folder / "shop-report-full.json", document)


def kotlinx(run: Sequence[Made], folder: Path) -> Files:
    records = _jmh_records(one for one in run if not one.failed)
    for record in records:
        del record["forks"]
    return _one(folder / "native.json", records)


def hyperfine(run: Sequence[Made], folder: Path) -> Files:
    results = [
        {
            "command": f"./shop {one.key}",
            "times": (values := one.measured.ravel().tolist()),
            "exit_codes": [0] * (len(values) - 1) + [1 if one.failed else 0],
        }
        for one in run
    ]
    return _one(folder / "hyperfine.json", {"results": results})


def series(run: Sequence[Made], folder: Path) -> Files:
    path = folder / "series.json"
    of = {one.key: one.seconds * 1e9 for one in run}
    write_series(Suite.of(of, unit="ns/op", iteration_seconds=0.1), path)
    document = json.loads(path.read_text())
    by_name = {table["name"]: table for table in document["benchmarks"]}
    document["benchmarks"] = [
        by_name[one.key] | {"warmup": WARMUP} | ({"unit": "us/op"} if one.other_unit else {})
        for one in run
        if not one.failed
    ]
    document["failures"] = [{"name": one.key, "reason": "no"} for one in run if one.failed]
    return _one(path, document)


WRITERS: Mapping[str, Writer] = {
    "jmh": Writer(jmh, "org.shop.Prices.{}", units="refused"),
    "jmh-log": Writer(jmh_log, "org.shop.Prices.{}", repeats=True, units="refused"),
    "go": Writer(go, "example.org/shop.Benchmark{}", repeats=True, units="refused"),
    "google-benchmark": Writer(_each_process(google_benchmark), "BM_{}", units="converted"),
    "criterion": Writer(_each_process(criterion), "shop/{}", reports_failures=False, repeats=True),
    "pytest-benchmark": Writer(
        _each_process(pytest_benchmark), "tests/test_shop.py::test_{}", reports_failures=False
    ),
    "pyperf": Writer(pyperf, "shop_{}", units="refused"),
    "tinybench": Writer(_each_process(tinybench), "{}"),
    "tinybench-vitest": Writer(_each_process(vitest), "shop.bench.ts > prices > {}"),
    "asv": Writer(asv, "shop.time_{}", repeats=True, units="refused"),
    "benchmarkdotnet": Writer(benchmarkdotnet, "Shop.Prices.{}"),
    "kotlinx-benchmark": Writer(
        _each_process(kotlinx), "org.shop.Prices.{}", reports_failures=False, units="refused"
    ),
    "hyperfine": Writer(hyperfine, "./shop {}"),
    "series": Writer(series, "{}", units="refused"),
}
