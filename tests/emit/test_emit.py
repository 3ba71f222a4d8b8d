import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steady.emit import EMITTERS, emit
from steady.errors import InputError, UnknownNameError
from steady.harness.jmh.configure.benchmark_list_file import LIST
from steady.model import ExecutionConfiguration, Identity
from steady.plan.suite_plan import BenchmarkPlan, Plan
from tests.looped import looped

SMALL = ExecutionConfiguration(1, 2, 3, 0.1, 0.2)
LINE = b"JMH S 3 p.B S 1 g S 1 a S 11 AverageTime E A 1 1 1 E E E E E E E E E E E E E E E E E \n"


def planned(identity: Identity, configuration: ExecutionConfiguration = SMALL) -> BenchmarkPlan:
    return BenchmarkPlan(identity, configuration, configuration, 1.0, 2.0, "full", "")


def planned_all(*identities: Identity, **more: Any) -> Plan:
    return Plan(tuple(map(planned, identities)), "uoptime", **more)


PLAN = planned_all(Identity("p.B.a"))
TWO = planned_all(Identity("p.B.a"), Identity("p.B.b", params=(("n", "x y"),)))


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


def test_a_jar_and_its_list_are_exported_identically(tmp_path: Path) -> None:
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


def test_argument_files_contain_what_an_overlay_cannot_express(tmp_path: Path) -> None:
    emitted = emit(TWO, tmp_path, benchmark_list=LINE)
    assert [path.name for path in emitted.files] == ["BenchmarkList", "overlay.args", "1.args"]
    assert contents(tmp_path)["jmh/1.args"].decode().splitlines()[1:] == [
        *("org.openjdk.jmh.Main", "-bm", "avgt", "-t", "1", "-f", "1", "-wi", "2", "-w", "100ms"),
        *("-wbs", "1", "-i", "3", "-r", "200ms", "-bs", "1", "-p", '"n=x y"', r"^\Qp.B.b\E$"),
    ]


OVERLAY = ["BenchmarkList", "overlay.args"]
COMMAS = [Identity("p.B.a", params=(("text", value),)) for value in ("a,b", "c", "d,e")]
ANOTHER_OPERATION = replace(
    PLAN.benchmarks[0], configuration=replace(PLAN.benchmarks[0].configuration, batch_size=5000)
)
KNOWN = "jmh, go, google-benchmark, criterion, pyperf, asv, benchmarkdotnet, kotlinx-benchmark"


@pytest.mark.parametrize(
    ("plan", "listed", "files", "note"),
    [
        (
            *(planned_all(*COMMAS), None, ["1.args"]),
            "no argument file runs all of p.B.a: JMH's command line splits the value of a "
            "parameter at its commas; `steady run --plan` runs them",
        ),
        (
            *(PLAN, LINE + b"JMH {}\n", ["1.args"]),
            "the jar's META-INF/BenchmarkList is not in the format of JMH 1.19 to 1.37 (line 2: "
            "the text at its character 5 does not end), so steady writes argument files instead "
            "of an overlay",
        ),
        (
            *(planned_all(*(Identity(f"p.B.{c}") for c in "abcdefgh")), LINE, [*OVERLAY, "1.args"]),
            "the jar lacks these benchmarks of the plan: p.B.b, p.B.c, p.B.d, p.B.e, "
            "p.B.f and 2 more",
        ),
        (
            *(Plan((ANOTHER_OPERATION,), "uoptime"), LINE, OVERLAY),
            "the batch size of the plan differs from that of the jar for p.B.a",
        ),
        (planned_all(), None, [], "the plan contains no benchmarks, so there is nothing to run"),
        (
            *(replace(PLAN, harness="series"), None, []),
            f"no configuration is written for series, only for {KNOWN}",
        ),
        (
            *(replace(PLAN, harness="tinybench"), None, []),
            "tinybench takes no configuration: `steady run --plan` follows plan.json",
        ),
    ],
    ids=["commas", "format", "lacking", "operation", "empty", "harness", "run"],
)
def test_notes_describe_differences_from_the_plan(
    tmp_path: Path, plan: Plan, listed: bytes | None, files: list[str], note: str
) -> None:
    emitted = emit(plan, tmp_path / "out", benchmark_list=listed)
    assert [path.name for path in emitted.files] == files
    (message,) = emitted.notes
    assert message.startswith(note)
    assert (tmp_path / "out").exists() == bool(files)


def test_only_files_of_the_previous_plan_are_removed(tmp_path: Path) -> None:
    emit(PLAN, tmp_path, benchmark_list=LINE)
    (tmp_path / "overlay" / "mine").write_bytes(b"kept")
    (tmp_path / "jmh" / "mine.txt").write_bytes(b"kept")
    (tmp_path / "jmh" / "17.args").write_bytes(b"of an earlier plan")
    (tmp_path / "go-test.txt").write_bytes(b"of an earlier plan")
    (tmp_path / "plan.json").write_bytes(b"{}")
    emitted = emit(PLAN, tmp_path)
    assert list(contents(tmp_path)) == ["jmh/1.args", "jmh/mine.txt", "overlay/mine", "plan.json"]
    assert emitted.notes == ()


def test_an_overlay_that_cannot_be_removed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    emit(PLAN, tmp_path, benchmark_list=LINE)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(
        InputError, match=r"BenchmarkList: belongs to an earlier plan and cannot be"
    ):
        emit(PLAN, tmp_path)


def test_only_known_harnesses_get_a_configuration(tmp_path: Path) -> None:
    assert ", ".join(EMITTERS) == KNOWN
    with pytest.raises(UnknownNameError, match="expected one of: jmh, go"):
        emit(PLAN, tmp_path, harness="cargo")
    assert emit(replace(PLAN, harness="series"), tmp_path, harness="jmh").files


def test_invalid_jars_are_errors_and_nothing_is_written(tmp_path: Path) -> None:
    damaged = bytearray(jar_with(tmp_path / "damaged.jar", content=LINE * 50).read_bytes())
    damaged[60:80] = bytes(20)
    other = jar_with(tmp_path / "app.jar", name="META-INF/MANIFEST.MF")
    contents = {"empty.jar": b"", "cut.jar": b"PK\x03\x04 cut off", "damaged.jar": bytes(damaged)}
    refused = {other: "contains no META-INF/BenchmarkList; give a jar"}
    refused[tmp_path / "none.jar"] = r"cannot be read \(No such file or directory\)"
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        refused[tmp_path / name] = "is not a jar, or is damaged"
    for jar, message in refused.items():
        with pytest.raises(InputError, match=rf"{jar.name}: {message}"):
            emit(PLAN, tmp_path / "out", jar=jar)
    with pytest.raises(InputError, match="give one of them"):
        emit(PLAN, tmp_path / "out", jar=other, benchmark_list=LINE)
    assert not (tmp_path / "out").exists()


@looped(
    ("identity", "configuration", "message"),
    [
        (Identity("p.B.a", "fast"), SMALL, "its mode 'fast' is not one of"),
        (Identity("p.B.a", threads=0), SMALL, "0 threads"),
        (Identity(""), SMALL, "empty or contains control characters"),
        (Identity("p.B.a\nSTEADY_EXPECTED\ntouch x"), SMALL, "contains control characters"),
        (Identity("p.B.a", params=(("a=b", "c"),)), SMALL, "contains '='"),
        (Identity("p.B.a", params=(("a", "\0"),)), SMALL, "NUL"),
        (Identity("p.B.\ud800"), SMALL, "not Unicode text"),
        (Identity("p.B.a", params=(("a", "\udfff"),)), SMALL, "not Unicode text"),
        (Identity("p.B.a"), replace(SMALL, forks=-1), "its forks cannot be -1"),
        (Identity("p.B.a"), replace(SMALL, iterations=0), "its iterations cannot be 0"),
        (Identity("p.B.a"), replace(SMALL, batch_size=0), "its batch size cannot be 0"),
        (Identity("p.B.a"), replace(SMALL, iteration_seconds=0.0), "have length 0"),
        (Identity("p.B.a"), replace(SMALL, warmup_seconds=-1.0), "not a duration"),
    ],
)
def test_plans_that_jmh_cannot_express_are_rejected_before_writing(
    tmp_path: Path, identity: Identity, configuration: ExecutionConfiguration, message: str
) -> None:
    plan = Plan((planned(Identity("p.B.ok")), planned(identity, configuration)), "uoptime")
    with pytest.raises(InputError, match=message) as caught:
        emit(plan, tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


@looped("harness", EMITTERS)
def test_a_rejected_benchmark_is_named_in_one_short_sentence(tmp_path: Path, harness: str) -> None:
    plan = planned_all(Identity("p.B.a", "thr" + "(" * 2000), harness=harness)
    with pytest.raises(InputError) as error:
        emit(plan, tmp_path)
    assert len(str(error.value)) < 600
