import json
import os
import zipfile
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jmh_forks import LINE, benchmark_jar, jar, record, trial

from steady.engine import HarnessSettings, TrialError, Version
from steady.errors import InputError
from steady.harness.jmh.configure.benchmark_list import FIELDS, BenchmarkListEntry
from steady.harness.jmh.run.jar import BenchmarkJar
from steady.harness.jmh.run.java_program import Answer, Host, Java
from steady.harness.jmh.run.jmh_runs import JmhRuns, JmhSession
from steady.model import ExecutionConfiguration, Identity
from tests.looped import looped

PLAIN_LINE = LINE.replace(
    "8 xAA===== 8 yAA===== 4 text 3 8 hBALAIGA 8 jBA===== 8 pDAIAgHA",
    "1 1 1 2 4 text 3 3 a,b 1 c 3 é x",
)


def packed(compression: int) -> bytes:
    """Return a jar of benchmarks with a compression method."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr("META-INF/BenchmarkList", f"{LINE}\n")
        archive.writestr("org/openjdk/jmh/Main.class", "")
        archive.writestr("jmh.properties", "jmh.version=1.37\n" * 9)
    return stream.getvalue()


PACKED = {
    name: packed(getattr(zipfile, f"ZIP_{name}"))
    for name in ("STORED", "DEFLATED", "BZIP2", "LZMA")
}
ONE = Identity("lab.Lab.params")
EXPECTED = tuple(
    Identity("lab.Lab.params", "avgt", (("n", n), ("text", text)), 2)
    for n in "12"
    for text in ("a,b", "c", "é x")
)


@pytest.mark.parametrize(
    ("line", "version"), [(LINE, "1.37"), (LINE, ""), (PLAIN_LINE, "1.23"), (PLAIN_LINE, "")]
)
def test_every_parameter_combination_is_a_benchmark(
    line: str, version: str, tmp_path: Path
) -> None:
    both = f"{line}\n{line.replace('S 11 AverageTime', 'S 10 Throughput')}"
    found = BenchmarkJar(benchmark_jar(tmp_path / "b.jar", both, version))
    assert set(found.identities) == {
        replace(i, mode=m) for i in EXPECTED for m in ("avgt", "thrpt")
    }
    assert tuple(one for one in found.identities if one.mode == "avgt") == EXPECTED
    assert found.jmh_version == version
    assert found.jvm_args_append("lab.Lab.params") == ("-Xint",)
    assert found.jvm_args_append("lab.Lab.other") == ()
    for identity in EXPECTED:  # an overlay has one value of each parameter, in every mode
        records = [*map(BenchmarkListEntry.parse, found.overlay(identity).decode().splitlines())]
        assert [record.mode for record in records] == ["avgt", "thrpt"]
        assert all(record.runs_exactly([dict(identity.params)]) for record in records)


def test_values_before_jmh_1_24_are_not_decoded(tmp_path: Path) -> None:
    line = LINE.replace("8 xAA===== 8 yAA=====", "8 password 8 passport").replace(
        "3 8 hBALAIGA 8 jBA===== 8 pDAIAgHA", "1 1 c"
    )
    found = BenchmarkJar(benchmark_jar(tmp_path / "b.jar", line, "1.21"))
    assert [dict(i.params)["n"] for i in found.identities] == ["password", "passport"]


def test_mode_all_and_maximum_threads(tmp_path: Path) -> None:
    line = _line(mode="S 3 All", threads="I 2 -1")
    identities = BenchmarkJar(benchmark_jar(tmp_path / "b.jar", line)).identities
    assert [i.mode for i in identities] == ["thrpt", "avgt", "sample", "ss"]
    assert {i.threads for i in identities} <= set(range(1, (os.cpu_count() or 1) + 1))


def test_jar_without_jmh_is_reported(tmp_path: Path) -> None:
    path = jar(tmp_path / "thin.jar", {"META-INF/BenchmarkList": LINE})
    with pytest.raises(InputError, match=r"thin\.jar: contains benchmarks, but not JMH itself"):
        BenchmarkJar(path)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(PACKED)),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=6),
)
def test_damaged_jar_is_reported_in_one_sentence(
    kind: str, changes: list[tuple[float, int]]
) -> None:
    data = bytearray(PACKED[kind])
    for place, value in changes:
        data[int(place * len(data))] = value
    with TemporaryDirectory() as folder, suppress(InputError):
        path = Path(folder, "b.jar")
        path.write_bytes(data)
        _ = BenchmarkJar(path).identities


@pytest.mark.parametrize("kind", sorted(PACKED))
def test_damaged_jmh_properties_are_reported(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "b.jar"
    path.write_bytes(PACKED[kind])
    assert BenchmarkJar(path).jmh_version == "1.37"
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("jmh.properties").header_offset + 30 + len("jmh.properties")
    path.write_bytes(PACKED[kind][:start] + b"\xff" * 16 + PACKED[kind][start + 16 :])
    with pytest.raises(InputError, match=r"b\.jar: is not a jar, or is damaged \([^N]"):
        BenchmarkJar(path)


@pytest.mark.skipif(os.name == "nt", reason="a drive's colon is no separator there")
def test_jar_with_path_separator_in_its_name_is_rejected(tmp_path: Path) -> None:
    path = benchmark_jar(tmp_path / f"a{os.pathsep}b.jar")
    with pytest.raises(InputError, match="rename it"):
        BenchmarkJar(path)


def test_incomplete_character_in_a_parameter_fails_only_its_own_forks(tmp_path: Path) -> None:
    line = BenchmarkListEntry.parse(LINE).with_params({"text": "\ud800"}, armoured=True)
    found = BenchmarkJar(benchmark_jar(tmp_path / "b.jar", str(line)))
    (identity,) = found.identities
    session = JmhSession({"results": found}, HarnessSettings("no such java"), tmp_path, tmp_path)
    with pytest.raises(TrialError, match="an incomplete character"):
        session.measure(trial(identity), tmp_path / "result.json")


def _line(**fields: str) -> str:
    """Return the line of a benchmark that declares only some fields."""
    plain = {
        "mode": "S 11 AverageTime ",
        **dict.fromkeys(("threads", "thread group labels", *FIELDS[7:]), "E "),
        **{key.replace("_", " "): f"{value} " for key, value in fields.items()},
    }
    record = BenchmarkListEntry.parse(LINE)
    return str(record._with(plain))


@looped(
    ("version", "mode", "declared"),
    [
        ("1.37", "avgt", ExecutionConfiguration(5, 5, 5, 10.0, 10.0)),
        ("1.21", "thrpt", ExecutionConfiguration(5, 5, 5, 10.0, 10.0)),
        ("1.20", "sample", ExecutionConfiguration(10, 20, 20, 1.0, 1.0)),
        ("", "avgt", ExecutionConfiguration(5, 5, 5, 10.0, 10.0)),
        ("1.37", "ss", ExecutionConfiguration(5, 0, 1, 0.0, 0.0)),
        ("1.19", "ss", ExecutionConfiguration(10, 0, 1, 0.0, 0.0)),
    ],
)
def test_defaults_without_annotations(
    version: str, mode: str, declared: ExecutionConfiguration, tmp_path: Path
) -> None:
    jar_of_all = BenchmarkJar(benchmark_jar(tmp_path / "b.jar", _line(mode="S 3 All"), version))
    assert [own for one, own in jar_of_all.declared.items() if one.mode == mode] == [declared]


def test_annotated_configurations_are_declared(tmp_path: Path) -> None:
    line = _line(
        warmup_iterations="I 1 3",
        warmup_time="T 6 250 ms",
        warmup_batch_size="I 1 7",
        measurement_iterations="I 2 11",
        measurement_time="T 5 2 min",
        measurement_batch_size="I 4 5000",
        forks="I 1 0",
    )
    (declared,) = BenchmarkJar(benchmark_jar(tmp_path / "b.jar", line)).declared.values()
    assert declared == ExecutionConfiguration(0, 3, 11, 0.25, 120.0, 7, 5000)


def test_unknown_list_formats_are_reported(tmp_path: Path) -> None:
    for lines, said in (
        ("JMH2 S 1 x", r"not in the format of JMH 1\.19 to 1\.37 \(line 1"),
        (PLAIN_LINE, "'1' of a parameter is not armoured"),
        (_line(warmup_time="T 4 soon"), "not in the format of JMH"),
    ):
        found = BenchmarkJar(benchmark_jar(tmp_path / "b.jar", lines))
        with pytest.raises(InputError, match=said):
            _ = found.identities


def test_warmup_forks_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar_of_one = BenchmarkJar(benchmark_jar(tmp_path / "b.jar", _line(warmup_forks="I 1 2")))
    settings = HarnessSettings("no such java")
    session = JmhSession({"results": jar_of_one}, settings, tmp_path, tmp_path)
    told: list[tuple[list[str], float]] = []

    def run(_: Host, arguments: list[str], timeout: float) -> Answer:
        told.append((arguments, timeout))
        session._sides(0)["results"].arriving.write_text(json.dumps([record(ONE, [[1.0, 2.0]])]))
        return Answer()

    monkeypatch.setattr(Host, "run", run)
    session.measure(trial(ONE), tmp_path / "0.json")
    ((arguments, timeout),) = told
    assert (arguments[arguments.index("-wf") + 1], timeout) == ("0", 60.0)


@looped(
    ("content", "java"),
    [(b"\xca\xfe\xba\xbe\0\0\0\x45", 25), (b"\xca\xfe\xba\xbe", 0), (b"no class", 0), (None, 0)],
)
def test_required_java_version(content: bytes | None, java: int, tmp_path: Path) -> None:
    path = benchmark_jar(tmp_path / "b.jar", LINE)
    if content is not None:
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("lab/jmh_generated/Lab_params_jmhTest.class", content)
    assert BenchmarkJar(path).java_needed == java


def test_jar_for_a_newer_java_is_rejected_before_any_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = benchmark_jar(tmp_path / "b.jar", LINE)
    monkeypatch.setattr(BenchmarkJar, "java_needed", 25)
    monkeypatch.setattr(Java, "query", lambda _: Java("java", tmp_path, "17", None, 61.0))
    with pytest.raises(InputError, match=r"b\.jar: needs Java 25, and 'java' is Java 17; set"):
        JmhRuns(HarnessSettings()).check([Version("base", path)])
