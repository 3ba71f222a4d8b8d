"""What Criterion.rs leaves: samples, alone and in folders, and forks of `steady run`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steady.cli.main import main
from steady.errors import InputError
from steady.harness.criterion.results import read
from steady.model import Benchmark
from steady.readers import Document, load

SAMPLE = {"sampling_mode": "Linear", "iters": [10, 20, 30], "times": [100.0, 220.0, 330.0]}


def left(
    folder: Path, name: str = "sort/small/10", *, sample: object = SAMPLE, **more: object
) -> Path:
    """Write what Criterion.rs leaves of a benchmark; return its sample."""
    new = folder.joinpath(*name.split("/"), "new")
    new.mkdir(parents=True)
    known = {"full_id": name, "directory_name": name, **more}
    new.joinpath("benchmark.json").write_text(json.dumps(known))
    new.joinpath("estimates.json").write_text('{"mean": {}, "median_abs_dev": {}}')
    path = new / "sample.json"
    path.write_text(json.dumps(sample))
    return path


def forked(sample: object, **note: object) -> Benchmark:
    """Read one fork of `steady run`."""
    fork = {"benchmark": {"full_id": "x"}, "sample": sample, "steady": note}
    return read(Document(Path("f"), json.dumps({"criterion": [fork]})))["x"]


def test_totals_are_divided_by_the_number_of_operations(tmp_path: Path) -> None:
    one = load(left(tmp_path))["sort/small/10"]
    assert (one.unit, one.measurements.tolist(), one.warmup) == ("ns/op", [[10.0, 11.0, 11.0]], 0)


def test_two_folders_are_compared(tmp_path: Path) -> None:
    for side, last in (("base", 330.0), ("head", 331.0)):
        sample = SAMPLE | {"times": [100.0, 220.0, last]}
        left(tmp_path / side / "target" / "criterion", sample=sample)
    sides = ["--base", str(tmp_path / "base"), "--head", str(tmp_path / "head" / "target")]
    assert main(["compare", *sides]) == 0


def test_a_folder_means_the_newest_samples_below_it(tmp_path: Path) -> None:
    for name in ("a", "b/c", "b/d/1"):
        path = left(tmp_path / "criterion", name)
        path.parent.rename(path.parent.with_name("base"))
        left(tmp_path / "criterion", name)
    tmp_path.joinpath("criterion", "report").mkdir()
    assert [one.name for one in load(tmp_path / "criterion")] == ["a", "b/c", "b/d/1"]
    assert [one.name for one in load(tmp_path / "criterion" / "b")] == ["b/c", "b/d/1"]


@pytest.mark.parametrize(
    ("throughput", "rates"),
    [
        ({"Elements": 100}, {"elements_per_second": "elements/s"}),
        ({"Bytes": 100}, {"bytes_per_second": "B/s"}),
        ({"BytesDecimal": 100}, {"bytes_per_second": "B/s"}),
        ({"Bits": 100}, {"bits_per_second": "bits/s"}),
        (
            {"ElementsAndBytes": {"elements": 100, "bytes": 100}},
            {"bytes_per_second": "B/s", "elements_per_second": "elements/s"},
        ),
        (None, {}),
    ],
)
def test_throughput_is_a_further_result(
    tmp_path: Path, throughput: object, rates: dict[str, str]
) -> None:
    one = load(left(tmp_path, throughput=throughput))["sort/small/10"]
    assert {name: metric.unit for name, metric in one.metrics.items()} == rates
    for metric in one.metrics.values():
        assert np.allclose(metric.values, 100e9 / one.measurements)
        assert metric.direction == "higher"


def test_growing_samples_become_iterations_that_took_as_long() -> None:
    times = np.arange(1, 21) * 10.0
    sample = {"iters": np.arange(1, 21).tolist(), "times": times.tolist()}
    values = forked(sample, iterations=10, iteration_seconds=1.0, warmup=3)
    assert values.measurements.shape == (1, 10)
    assert np.allclose(values.measurements, 10.0)
    assert values.warmup == 0  # the samples begin after it
    assert values.configuration is not None
    assert values.configuration.warmup_iterations == 3


def test_an_iteration_counts_each_operation_once() -> None:
    sample = {"iters": [1, 3, 4], "times": [8.0, 12.0, 20.0]}
    (both,) = forked(sample, iterations=2, iteration_seconds=1.0).measurements
    assert both.tolist() == [5.0, 5.0]


@pytest.mark.parametrize(
    "broken", [{"iters": [1, 2]}, {"times": [1, 2, 0]}, {"iters": [1, -1, 1]}, {"times": []}]
)
def test_a_sample_that_does_not_fit_is_one_sentence(tmp_path: Path, broken: dict[str, Any]) -> None:
    path = left(tmp_path, sample=SAMPLE | broken)
    with pytest.raises(InputError, match="expected as many times as iters, each of them above 0"):
        load(path)


def test_a_sample_alone_has_no_name(tmp_path: Path) -> None:
    path = left(tmp_path)
    path.with_name("benchmark.json").unlink()
    with pytest.raises(InputError, match=r"has no benchmark\.json beside it"):
        load(path)


@pytest.mark.parametrize("name", ["benchmark.json", "estimates.json"])
def test_what_lies_beside_names_the_sample(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"name the sample\.json beside it, or the folder target"):
        load(left(tmp_path).with_name(name))


def test_a_name_is_not_read_through_a_link_that_leads_out(tmp_path: Path) -> None:
    path = left(tmp_path / "a")
    outside = path.with_name("benchmark.json").rename(tmp_path / "benchmark.json")
    path.with_name("benchmark.json").symlink_to(outside)
    with pytest.raises(InputError):
        load(path)
