"""The decision about JMH's benchmarks, as a run asks for it: from two jars, and no JVM."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from made_jars import a_class, decide, record

from steady.errors import InputError
from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.harness.trial import Version
from steady.model import Identity

ONE, TWO, OLD = (Identity(f"a.{name}.run") for name in ("One", "Two", "Old"))
HELD = {"base": [OLD, ONE], "head": [TWO, ONE]}


def files(text: str = "") -> dict[str, bytes | str]:
    """Return the entries of a jar with three benchmarks; a class of the first one names a text."""
    entries: dict[str, bytes | str] = {
        "META-INF/BenchmarkList": "".join(f"{record(one.name)}\n" for one in (ONE, TWO, OLD))
    }
    for name in ("One", "Two", "Old"):
        entries[f"a/{name}.class"] = a_class(f"a/{name}")
        parent = f"a/{name}"
        entries[f"a/{name}_jmhTest.class"] = a_class(f"a/{name}_jmhTest", parent=parent)
    return entries | ({"a/One.class": a_class("a/One", text, parent="a/Two")} if text else {})


@pytest.fixture(autouse=True)
def _no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", started)


def test_each_benchmark_is_decided_in_the_order_of_base(tmp_path: Path) -> None:
    decided = decide(tmp_path, files(), files("more"), HELD)
    assert [one.identity for one in decided] == [OLD, ONE, TWO]
    assert decided[0].why == "only in base"
    assert (
        decided[1].why == "uses a.One, of which the fields, the parents or the annotations changed"
    )
    assert decided[2].why == "only in head"


def test_the_arguments_of_the_forks_count(tmp_path: Path) -> None:
    held = {"base": [TWO], "head": [TWO]}
    (plain,) = decide(tmp_path, files(), files("more"), held)
    (agent,) = decide(tmp_path, files(), files("more"), held, "-javaagent:x.jar")
    (size,) = decide(tmp_path, files(), files("more"), held, "-Xmx1g")
    assert plain.same
    assert size.same
    assert agent.why.startswith("its JVM gets -javaagent:x.jar, by which other code may run")


def test_a_list_that_is_not_understood_leaves_everything_to_be_measured(tmp_path: Path) -> None:
    head = files("more") | {"META-INF/BenchmarkList": "JMH 9 of tomorrow\n"}
    decided = decide(tmp_path, files(), head, {"base": [ONE, TWO], "head": [ONE, TWO]})
    assert not any(one.same for one in decided)
    assert decided[0].why == "JMH's list of benchmarks is in a format that is not known"


def test_what_is_no_jar_is_the_users_mistake(tmp_path: Path) -> None:
    jar = tmp_path / "head.jar"
    jar.write_text("no zip")
    builds = JmhBuilds(JmhRuns(), [Version("base", jar), Version("head", jar)])
    with pytest.raises(InputError, match=r"head\.jar: is not a jar, or is damaged"):
        builds.decisions({"base": [ONE], "head": [ONE]})
