from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from steady.emit import EMITTERS, emit
from steady.errors import InputError, UnknownNameError
from steady.harness.jmh.configure.benchmark_list_file import LIST
from steady.model import ExecutionConfiguration, Identity
from steady.optimize.suite_plan import BenchmarkPlan, Plan

SMALL = ExecutionConfiguration(1, 2, 3, 0.1, 0.2)
LINE = b"JMH S 3 p.B S 1 g S 1 a S 11 AverageTime E A 1 1 1 E E E E E E E E E E E E E E E E E \n"


def planned(identity: Identity, configuration: ExecutionConfiguration = SMALL) -> BenchmarkPlan:
    return BenchmarkPlan(identity, configuration, configuration, 1.0, 2.0, "full", "")


PLAN = Plan((planned(Identity("p.B.a")),), "uoptime")


def jar_with(path: Path, name: str = LIST, content: bytes = LINE) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as jar:
        jar.writestr(name, content)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_jar_and_its_list_give_the_same_bytes_every_time(tmp_path: Path) -> None:
    jar = jar_with(tmp_path / "benchmarks.jar")
    emit(PLAN, tmp_path / "one", jar=jar)
    emit(PLAN, tmp_path / "two", benchmark_list=LINE)
    emitted = emit(PLAN, tmp_path / "one", jar=str(jar))
    one, two = (contents(tmp_path / name) for name in ("one", "two"))
    assert one == two
    assert list(one) == ["jmh/overlay.args", "overlay/META-INF/BenchmarkList"]
    assert emitted.files == (
        tmp_path / "one" / "overlay" / "META-INF" / "BenchmarkList",
        tmp_path / "one" / "jmh" / "overlay.args",
    )
    assert emitted.notes == ()
    assert emitted.files[1].stat().st_mode & 0o777 == 0o644
    assert one["jmh/overlay.args"].decode().splitlines() == [
        "# java -cp .steady/overlay:BENCHMARKS.JAR @.steady/jmh/overlay.args [JMH OPTION]...",
        "org.openjdk.jmh.Main",
        r"^\Qp.B.a\E$",
    ]


def test_what_the_overlay_cannot_express_is_an_argument_file(tmp_path: Path) -> None:
    plan = Plan((*PLAN.benchmarks, planned(Identity("p.B.b", params=(("n", "x y"),)))), "uoptime")
    emitted = emit(plan, tmp_path, benchmark_list=LINE)
    assert [path.name for path in emitted.files] == ["BenchmarkList", "overlay.args", "1.args"]
    assert contents(tmp_path)["jmh/1.args"].decode().splitlines()[1:] == [
        *("org.openjdk.jmh.Main", "-bm", "avgt", "-t", "1", "-f", "1", "-wi", "2", "-w", "100ms"),
        *("-wbs", "1", "-i", "3", "-r", "200ms", "-bs", "1", "-p", '"n=x y"', r"^\Qp.B.b\E$"),
    ]


def test_values_with_commas_are_left_to_steady_run(tmp_path: Path) -> None:
    values = ("a,b", "c", "d,e")
    identities = [Identity("p.B.a", params=(("text", value),)) for value in values]
    emitted = emit(Plan(tuple(map(planned, identities)), "uoptime"), tmp_path)
    assert [path.name for path in emitted.files] == ["1.args"]
    assert emitted.notes == (
        "no argument file runs all of p.B.a: JMH's command line splits the value of a parameter "
        "at its commas; `steady run --plan` runs them",
    )


def test_a_plan_removes_the_configuration_before_and_nothing_else(tmp_path: Path) -> None:
    emit(PLAN, tmp_path, benchmark_list=LINE)
    (tmp_path / "overlay" / "mine").write_bytes(b"kept")
    (tmp_path / "jmh" / "mine.txt").write_bytes(b"kept")
    (tmp_path / "jmh" / "17.args").write_bytes(b"of an earlier plan")
    (tmp_path / "go-test.txt").write_bytes(b"of an earlier plan")
    (tmp_path / "plan.json").write_bytes(b"{}")
    emitted = emit(PLAN, tmp_path)
    assert list(contents(tmp_path)) == ["jmh/1.args", "jmh/mine.txt", "overlay/mine", "plan.json"]
    assert emitted.notes == ()


def test_an_overlay_that_cannot_be_removed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    emit(PLAN, tmp_path, benchmark_list=LINE)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(InputError, match=r"BenchmarkList: is of an earlier plan and cannot be"):
        emit(PLAN, tmp_path)


def test_an_unknown_format_of_the_list_is_told_and_argument_files_serve(tmp_path: Path) -> None:
    emitted = emit(PLAN, tmp_path, benchmark_list=LINE + b"JMH {}\n")
    assert [path.name for path in emitted.files] == ["1.args"]
    assert emitted.notes == (
        "the jar's META-INF/BenchmarkList is not in the format of JMH 1.19 to 1.37 (line 2: the "
        "text at its character 5 does not end), so steady writes argument files instead of an "
        "overlay",
    )


def test_what_the_jar_lacks_is_told(tmp_path: Path) -> None:
    plan = Plan(tuple(planned(Identity(f"p.B.{c}")) for c in "abcdefgh"), "uoptime")
    emitted = emit(plan, tmp_path, benchmark_list=LINE)
    assert emitted.notes == (
        "the jar does not hold these benchmarks of the plan: p.B.b, p.B.c, p.B.d, p.B.e, p.B.f "
        "and 2 more",
    )


def test_only_known_harnesses_are_written_for(tmp_path: Path) -> None:
    own = ["jmh", "go", "google-benchmark", "criterion", "pyperf", "asv", "benchmarkdotnet"]
    assert list(EMITTERS) == [*own, "kotlinx-benchmark"]
    emitted = emit(replace(PLAN, harness="series"), tmp_path / "none")
    assert emitted.files == ()
    assert emitted.notes == (
        "no configuration is written for series; it is for jmh, go, google-benchmark, criterion, "
        "pyperf, asv, benchmarkdotnet, kotlinx-benchmark",
    )
    assert not (tmp_path / "none").exists()
    with pytest.raises(UnknownNameError, match="known are: jmh, go"):
        emit(PLAN, tmp_path, harness="cargo")
    assert emit(replace(PLAN, harness="series"), tmp_path, harness="jmh").files


def test_an_empty_plan_writes_nothing(tmp_path: Path) -> None:
    emitted = emit(Plan((), "uoptime"), tmp_path / "none")
    assert emitted.files == ()
    assert emitted.notes == ("the plan holds no benchmarks, so there is nothing to run",)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"benchmarks\.jar: cannot be read \(No such file or directory\)"),
        (b"", r"benchmarks\.jar: is not a jar, or is damaged"),
        (b"PK\x03\x04 cut off", r"benchmarks\.jar: is not a jar, or is damaged"),
    ],
)
def test_bad_jars_are_told_and_write_nothing(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    jar = tmp_path / "benchmarks.jar"
    if content is not None:
        jar.write_bytes(content)
    with pytest.raises(InputError, match=message):
        emit(PLAN, tmp_path / "out", jar=jar)
    assert not (tmp_path / "out").exists()


def test_a_jar_without_benchmarks_or_with_damage_inside_is_told(tmp_path: Path) -> None:
    other = jar_with(tmp_path / "app.jar", name="META-INF/MANIFEST.MF")
    with pytest.raises(InputError, match=r"app\.jar: holds no META-INF/BenchmarkList; give the"):
        emit(PLAN, tmp_path / "out", jar=other)
    jar = jar_with(tmp_path / "damaged.jar", content=LINE * 50)
    data = bytearray(jar.read_bytes())
    data[60:80] = bytes(20)
    jar.write_bytes(data)
    with pytest.raises(InputError, match=r"damaged\.jar: is not a jar, or is damaged"):
        emit(PLAN, tmp_path / "out", jar=jar)
    with pytest.raises(InputError, match="give one of them"):
        emit(PLAN, tmp_path / "out", jar=jar, benchmark_list=LINE)


@pytest.mark.parametrize(
    ("identity", "configuration", "message"),
    [
        (Identity("p.B.a", "fast"), SMALL, "its mode 'fast' is not one of"),
        (Identity("p.B.a", threads=0), SMALL, "0 threads"),
        (Identity(""), SMALL, "empty or holds control characters"),
        (Identity("p.B.a\nSTEADY_EXPECTED\ntouch x"), SMALL, "holds control characters"),
        (Identity("p.B.a", params=(("a=b", "c"),)), SMALL, "holds '='"),
        (Identity("p.B.a", params=(("a", "\0"),)), SMALL, "NUL"),
        (Identity("p.B.\ud800"), SMALL, "not Unicode text"),
        (Identity("p.B.a", params=(("a", "\udfff"),)), SMALL, "not Unicode text"),
        (Identity("p.B.a"), replace(SMALL, forks=-1), "its forks cannot be -1"),
        (Identity("p.B.a"), replace(SMALL, iterations=0), "its iterations cannot be 0"),
        (Identity("p.B.a"), replace(SMALL, batch_size=0), "its batch size cannot be 0"),
        (Identity("p.B.a"), replace(SMALL, iteration_seconds=0.0), "last no time"),
        (Identity("p.B.a"), replace(SMALL, warmup_seconds=-1.0), "not a duration"),
    ],
)
def test_what_jmh_cannot_be_told_is_refused_before_anything_is_written(
    tmp_path: Path, identity: Identity, configuration: ExecutionConfiguration, message: str
) -> None:
    plan = Plan((planned(Identity("p.B.ok")), planned(identity, configuration)), "uoptime")
    with pytest.raises(InputError, match=message) as caught:
        emit(plan, tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_plan_of_another_operation_is_told(tmp_path: Path) -> None:
    one = planned(Identity("p.B.a"))
    other = replace(one, configuration=replace(one.configuration, batch_size=5000))
    emitted = emit(Plan((other,), "uoptime"), tmp_path, benchmark_list=LINE)
    (told,) = emitted.notes
    assert told.startswith("the plan has another batch size than the jar declares for p.B.a")


@pytest.mark.parametrize("harness", list(EMITTERS))
def test_a_refused_benchmark_is_named_in_one_short_sentence(harness: str, tmp_path: Path) -> None:
    plan = Plan((planned(Identity("p.B.a", "thr" + "(" * 2000)),), "uoptime", harness=harness)
    with pytest.raises(InputError) as error:
        emit(plan, tmp_path)
    assert len(str(error.value)) < 600
