"""The log of loaded classes, as real JVMs write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from steady.harness.jmh.samecode.class_log import Loaded, parse_loaded, read_loaded

HELD = {"a/B", "a/B$C", "d/E"}
B_AND_C = frozenset({"a/B", "a/B$C"})

LOG = """\
java.lang.Object source: shared objects file
java.lang.invoke.LambdaForm$MH/0x00007f2c4c001000 source: __JVM_LookupDefineClass__
a.B source: {jar}
a.B$C source: shared objects file (top)
a.B$$Lambda$14/0x00007f2c4c003000 source: a.B
jdk.internal.misc.Unsafe source: jrt:/java.base
SteadyTurns source: file:/tmp/hook/
jdk.proxy2.$Proxy5 source: __dynamic_proxy__
"""


@pytest.mark.parametrize("form", ["file:{}", "file://{}", "jar:file:{}!/", "jar:file:{}!/BOOT-INF"])
def test_classes_of_the_jar_are_kept(form: str, tmp_path: Path) -> None:
    jar = tmp_path / "a b.jar"
    place = form.format(str(jar).replace(" ", "%20"))
    text = LOG.format(jar=place)
    loaded = parse_loaded(text, HELD, [jar, Path("/tmp/hook")])
    assert loaded == Loaded(frozenset({"a/B", "a/B$C"}))


def test_a_decorated_log_is_read_too(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    lines = LOG.format(jar=f"file:{jar}").splitlines()
    text = "\n".join(f"[0.045s][info][class,load] {line}" for line in lines)
    loaded = parse_loaded(text, HELD, [jar, Path("/tmp/hook")])
    assert loaded == Loaded(frozenset({"a/B", "a/B$C"}))


def test_what_is_not_used_is_idle() -> None:
    text = LOG.format(jar="a.jar")
    used = "[info][class,init] 7 Initializing 'a/B'(no method) (0x0000000800c0b8a0)\n"
    checked = "Start class verification for: a.B$C\nEnd class verification for: a.B$C\n"
    own = [Path("/tmp/hook")]
    assert parse_loaded(text + used, HELD, own) == Loaded(B_AND_C, idle=frozenset({"a/B$C"}))
    assert parse_loaded(text + used + checked, HELD, own) == Loaded(B_AND_C)


def test_other_places_are_named(tmp_path: Path) -> None:
    text = LOG.format(jar="file:/elsewhere/other%20one.jar")
    loaded = parse_loaded(text, HELD, [tmp_path / "a.jar", Path("/tmp/hook")])
    assert loaded is not None
    assert loaded.elsewhere == {"/elsewhere/other one.jar"}


def test_without_a_class_nothing_is_known(tmp_path: Path) -> None:
    assert parse_loaded("Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n", HELD) is None
    assert read_loaded(tmp_path / "no such file", HELD) is None


def test_what_several_forks_have_loaded_is_put_together() -> None:
    one, other = Loaded(frozenset({"a"})), Loaded(frozenset({"b"}), frozenset({"/x"}))
    assert one | other == Loaded(frozenset({"a", "b"}), frozenset({"/x"}))


def test_what_one_fork_uses_is_not_idle() -> None:
    one = Loaded(frozenset("abc"), idle=frozenset("ab"))
    other = Loaded(frozenset("abd"), idle=frozenset("bd"))
    assert one | other == Loaded(frozenset("abcd"), idle=frozenset("bd"))
