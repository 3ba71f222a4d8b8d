"""The table of what the JDK may call, held against what its own reflection says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from steady.harness.jmh.samecode.jdk_callbacks import OF_OBJECT, methods_of

FINAL = {"java/lang/Enum": {"describeConstable"}}
"""Declared by an interface, and final in the class."""


@pytest.mark.needs("java")
@pytest.mark.thorough
def test_the_table_lacks_no_method_of_a_type_that_it_holds() -> None:
    program = Path(__file__).with_name("Overridable.java")
    done = subprocess.run(["java", str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = {line.split()[0]: set(line.split()[1:]) for line in done.stdout.splitlines()}
    known = {name: own for name in found if (own := methods_of(name)) is not None}
    assert len(known) > 200
    lacking = {n: found[n] - own - OF_OBJECT - FINAL.get(n, set()) for n, own in known.items()}
    assert {name: own for name, own in lacking.items() if own} == {}
