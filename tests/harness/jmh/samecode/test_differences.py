"""Content of jars: order and time stamps are ignored, and no archive does harm."""

import warnings
import zipfile
from itertools import combinations
from pathlib import Path

import pytest
from made_jars import a_class, write_jar

from steady.errors import InputError
from steady.harness.jmh.samecode.class_path import ClassPath, JarLimits, entries_of
from steady.harness.jmh.samecode.resource_differences import (
    ResourceDifferences,
    compare_hints,
    significant_attributes,
)
from tests.looped import looped

FILES: dict[str, bytes | str] = {
    "a/B.class": a_class("a/B", "hello"),
    "META-INF/versions/9/a/B.class": a_class("a/B", "newer"),
    "META-INF/services/a.B": "a.C\n",
    "a/data.txt": "1",
}


def alike(base: Path, head: Path) -> bool:
    return ResourceDifferences(*map(ClassPath.of, (base, head))).all_equal


def test_order_and_time_stamps_are_ignored(tmp_path: Path) -> None:
    one = write_jar(tmp_path / "1.jar", FILES)
    other = write_jar(tmp_path / "2.jar", FILES, list(FILES)[::-1], 2026)
    assert one.read_bytes() != other.read_bytes()
    assert alike(one, other)


@pytest.mark.parametrize("name", FILES)
def test_contents_and_names_are_compared(name: str, tmp_path: Path) -> None:
    base = write_jar(tmp_path / "0.jar", FILES)
    edited = {**FILES, name: b"other"}
    renamed = {(f"{n}x" if n == name else n): c for n, c in FILES.items()}
    for number, files in enumerate((edited, renamed), start=1):
        assert not alike(base, write_jar(tmp_path / f"{number}.jar", files))


def test_class_has_files_for_all_releases(tmp_path: Path) -> None:
    path = ClassPath.of(write_jar(tmp_path / "a.jar", FILES))
    assert [place for place, _ in path.classes["a/B"]] == [":", ":9"]
    assert set(path.files) == {"META-INF/services/a.B", "a/data.txt"}


@pytest.mark.parametrize("name", ["a.txt", "p/X.class"])
def test_duplicate_entries_are_compared_in_order(name: str, tmp_path: Path) -> None:
    jars = []
    for contents in ("1", "12", "21", "11"):
        jars.append(tmp_path / f"{contents}.jar")
        with zipfile.ZipFile(jars[-1], "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for content in contents:
                archive.writestr(name, content)
    assert not any(alike(*pair) for pair in combinations(jars, 2))


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (JarLimits(entries=3), "contains more than 3 files"),
        (JarLimits(entry=1000), "'big' is too large when unpacked"),
        (JarLimits(total=1_000_000), "'big' is too large when unpacked"),
    ],
    ids=["entries", "entry", "total"],
)
def test_jars_beyond_the_limits_are_rejected(limits: JarLimits, what: str, tmp_path: Path) -> None:
    path = write_jar(tmp_path / "a.jar", {"a": "1", "b": "2", "c": "3", "big": bytes(10**6)})
    with pytest.raises(InputError, match=what):
        entries_of(path, limits=limits)


@pytest.mark.parametrize("kept", [0, 10, 60, -30, -1])
def test_damaged_jar_is_an_input_error(kept: int, tmp_path: Path) -> None:
    path = write_jar(tmp_path / "a.jar", FILES)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InputError, match="is not a jar, or is damaged"):
        entries_of(path)


MANIFEST = Path(__file__).with_name("manifest.txt").read_bytes().replace(b"\n", b"\r\n")


def test_build_attributes_of_a_manifest_are_ignored() -> None:
    main, rest = significant_attributes(MANIFEST)
    assert set(main) == {"manifest-version", "multi-release", "class-path"}
    assert main["class-path"].endswith("over-the-end.jar")
    assert rest == "Name: a/B.class\nSealed: true"


@looped(
    ("old", "new", "counts"),
    [
        (b"Maven JAR Plugin 3.4.2", b"Gradle 9", False),
        (b"2026-01-01", b"2026-01-02", False),
        (b"Commit: abc", b"Commit: def", False),
        (b"Release: true", b"Release: false", True),
        (b"a.jar", b"b.jar", True),
        (b"Sealed: true", b"Sealed: false", True),
        (b"Multi-", b"Add-Opens: java.base/java.lang\r\nMulti-", True),
        (b"\r\n", b"\n", False),
    ],
)
def test_significant_changes_of_a_manifest(old: bytes, new: bytes, counts: bool) -> None:
    assert old in MANIFEST
    edited = significant_attributes(MANIFEST.replace(old, new))
    assert (edited != significant_attributes(MANIFEST)) == counts


def test_one_sided_attributes_affect_all_benchmarks(tmp_path: Path) -> None:
    manifests = b"Manifest-Version: 1.0\n", b"Manifest-Version: 1.0\nMulti-Release: true\n"
    sides = [
        ClassPath.of(write_jar(tmp_path / f"{number}.jar", {"META-INF/MANIFEST.MF": manifest}))
        for number, manifest in enumerate(manifests)
    ]
    for pair in (sides, sides[::-1]):
        assert [*ResourceDifferences(*pair).reasons_for_all()] == [
            "the jar's manifest changed (multi-release)"
        ]


HINTS = "dontinline,*.*_jmhStub\ninline,a/B.one\ninline,a/C.two\n"


@looped(
    ("head", "methods"),
    [
        (HINTS, set()),
        (HINTS.replace("a/C.two", "a/C.three"), {"a/C.two", "a/C.three"}),
        (HINTS + "exclude,a/D$E.x\n", {"a/D$E.x"}),
        (HINTS.replace("inline,a/B.one\n", ""), {"a/B.one"}),
        (HINTS + "inline,a/D.*\n", {"a/D.*"}),
        (HINTS + "inline,a/D.x(I)V\n", None),
        (HINTS + "inline,a/*.x\n", None),
        (HINTS.replace("_jmhStub", "_stub"), None),
        ("\n".join(HINTS.split()[::-1]), None),
        (HINTS + "something else\n", None),
    ],
)
def test_methods_with_changed_hints(head: str, methods: set[str] | None) -> None:
    assert compare_hints(HINTS.encode(), head.encode()) == methods
