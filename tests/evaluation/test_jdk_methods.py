"""The tables of the JDK lack no effect of any JDK that is installed here."""

import shutil
from pathlib import Path

import pytest

from evaluation import jdk_methods
from evaluation.jdk_methods import Jdk, written_types
from steady.harness.jmh.samecode import jdk_effects

pytestmark = pytest.mark.needs("java")


def installed() -> list[Jdk]:
    """Return the JDK of ``java``, and those that lie beside it."""
    own = Path(shutil.which("java") or "").resolve().parents[1]
    homes = {path.resolve().parent for path in own.parent.glob("*/release")}
    return [Jdk(home) for home in sorted({own, *homes}) if (home / "lib" / "modules").is_file()]


@pytest.mark.thorough
def test_no_effect_of_a_jdk_is_called_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    jdks = installed()
    assert jdks
    for jdk in jdks:
        assert (sorted({*jdk.classes_given()}), [*jdk.serializing()]) == ([], []), jdk.version
    monkeypatch.setattr(jdk_effects, "listed_effect", lambda owner, name: jdk_effects.NO_EFFECT)
    given = {*jdks[0].classes_given()}
    assert {
        ("java/util/ServiceLoader$Provider", "type"),
        ("java/lang/invoke/TypeDescriptor$OfMethod", "returnType"),
        ("java/lang/management/ManagementFactory", "getPlatformManagementInterfaces"),
    } <= given
    assert ("javax/crypto/SealedObject", "<init>") in {*jdks[0].serializing()}


def test_the_file_of_types_is_as_it_is_written() -> None:
    types = jdk_effects.known_types() - jdk_effects.REMOVED_TYPES
    text = jdk_methods.TYPES.read_text(encoding="utf-8")
    (versions,) = (line for line in text.splitlines() if "of Java" in line)
    assert written_types(versions.partition("Java ")[2].rstrip(".").split(", "), types) == text
    assert len(types) > 1000
