"""Which methods run in a fork of a benchmark, as its JVM lists them: an oracle of its own."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

TOUCHED = (
    "-Djmh.ignoreLock=true -Xint -XX:+UnlockDiagnosticVMOptions -XX:+LogTouchedMethods "
    "-XX:+PrintTouchedMethodsAtExit -XX:+LogVMOutput -XX:-DisplayVMOutput -XX:LogFile={}/%p.log"
)
"""Has a JVM of Java 9 to 20 list the methods that ran; interpreted, none of them is inlined."""

METHOD = re.compile(r"^[^\s.]+\.[^\s.:]+:\(\S*\)\S+$", re.MULTILINE)


def touched_methods(jar: Path, options: Iterable[str]) -> frozenset[str]:
    """Run one fork of each benchmark; return the methods that ran in it, or in JMH beside it.

    Parameters
    ----------
    jar : Path
        The jar, with JMH.
    options : iterable of str
        JMH's options for iterations and times, and regular expressions of names.

    Returns
    -------
    frozenset of str
        As in ``a/B.method:(I)V``; empty if this Java cannot tell.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"JAVA_TOOL_OPTIONS": TOUCHED.format(folder)}
        command = ["java", "-jar", str(jar.resolve()), "-f", "1", "-wf", "0", "-to", "20s"]
        subprocess.run([*command, *options], cwd=folder, env=environment, capture_output=True)
        logs = [p.read_text(encoding="utf-8", errors="replace") for p in Path(folder).glob("*.log")]
    return frozenset(method for log in logs for method in METHOD.findall(log))
