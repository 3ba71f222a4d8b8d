"""CPU time of deciding about identical code paths, for jars of growing size.

Usage: python benchmarks/same_code_scale.py [--benchmarks N] [--classes N ...]

The jars are synthetic: javac compiles classes that call each other at random, through interfaces
and lambdas too, and a class for each benchmark as JMH generates it. Creating the jars is not timed.
A hundredth of the classes has a changed method; `same` is the fraction of benchmarks that cannot
reach one. The CPU time is that of the whole decision, including reading the jars. The last column
is the additional CPU time for the changed methods that no benchmark reaches.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from steady.harness.jmh.run.jmh_runs import JmhRuns
from steady.harness.jmh.samecode.class_path import ClassPath
from steady.harness.jmh.samecode.decide import JmhBuilds
from steady.harness.trial import Version
from steady.model import Identity

SEED = 20260729
TEMPLATE = """
package p;
import java.util.*;
import java.util.function.*;
public class C{own} extends {parent} implements Comparable<Object>, Supplier<Object> {{
  private final List<Object> list = new ArrayList<>();
  private int count;
  static final int LIMIT = {limit};
  public int compareTo(Object other) {{ return Integer.compare(count, other.hashCode()); }}
  public Object get() {{ return list.size() + LIMIT; }}
  public String toString() {{ return "C{own}" + count; }}
  public long a(int n) {{
    long s = 0;
    for (int i = 0; i < n; i++) s += b(i) * {k};
    return s + (long) {last};
  }}
  long b(int n) {{ return n > LIMIT ? new C{one}().a(n - 1) : c(n); }}
  long c(int n) {{
    Function<Integer, Integer> f = x -> x + count;
    return f.apply(n) + C{two}.d("x" + n);
  }}
  static long d(String s) {{
    switch (s) {{ case "a": return 1; case "b": return 2; default: return s.length(); }}
  }}
  public void e(Object o) {{
    if (o instanceof C{one}) list.add(((C{one}) o).get()); else list.add(o.toString());
    count++;
  }}
  private double f() {{
    try {{ return Double.parseDouble(toString()); }}
    catch (NumberFormatException x) {{ return {version}; }}
  }}
  public double g() {{ return f() + Math.sin(count); }}
}}
"""
STUB = """package p.jmh_generated;
public class B{own}_run_jmhTest {{
  public Object run() {{ p.C{one} c = new p.C{one}(); c.e({call}); return c.a(5); }}
}}
"""
RECORD = "JMH S {} {} S {} {} S 3 run S 11 AverageTime E A 1 1 1 " + 17 * "E "


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--benchmarks", type=int, default=5_000, metavar="N")
    parser.add_argument("--classes", type=int, nargs="+", default=(1_000, 5_000), metavar="N")
    given = parser.parse_args(arguments)
    print("| benchmarks | classes | bytes | same | s | changed methods | unreached | more s |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for classes in given.classes:
        with tempfile.TemporaryDirectory() as folder:
            jars = [_jar(Path(folder), side, given.benchmarks, classes) for side in (0, 1)]
            held = [Identity(f"p.B{number}.run") for number in range(given.benchmarks)]
            versions = [Version("base", jars[0]), Version("head", jars[1])]
            start = time.process_time()
            builds = JmhBuilds(JmhRuns(), versions)
            found = builds.decisions({"base": held, "head": held})
            seconds = time.process_time() - start
            methods = builds.changed_methods({"base": held, "head": held}) or ()
            more = time.process_time() - start - seconds
            unreached = sum(not one.reached for one in methods)
            size = sum(len(c) for _, v in _contents(jars[0]) for _, c in v)
        same = sum(decision.same for decision in found) / len(found)
        row = [len(held), classes, size, f"{same:.0%}", f"{seconds:.1f}"]
        row += [len(methods), unreached, f"{more:.1f}"]
        print(f"| {' | '.join(map(str, row))} |", flush=True)
    return 0


def _contents(jar: Path) -> list[tuple[str, tuple[tuple[str, bytes], ...]]]:
    return list(ClassPath.of(jar).classes.items())


def _jar(folder: Path, side: int, benchmarks: int, classes: int) -> Path:
    """Compile and pack one version; the program is determined by the seed."""
    chance, sources = random.Random(SEED), folder / f"src{side}"
    sources.mkdir()
    changed = set(chance.sample(range(classes), max(classes // 100, 1)))
    for place in range(classes):
        near = [min(max(place + chance.randint(1, 40), 0), classes - 1) for _ in range(2)]
        text = TEMPLATE.format(
            own=place,
            parent=f"C{place - place % 10}" if place % 10 else "Object",
            limit=place % 90,
            k=place % 7 + 1,
            last="g()" if place % 9 == 7 else "0",
            one=near[0],
            two=near[1],
            version=side if place in changed else 0,
        )
        (sources / f"C{place}.java").write_text(text)
    lines = []
    for number in range(benchmarks):
        call = f"new p.C{chance.randrange(classes)}()" if number % 3 else '"x"'
        text = STUB.format(own=number, one=chance.randrange(classes), call=call)
        (sources / f"B{number}_run_jmhTest.java").write_text(text)
        own, stub = f"p.B{number}", f"p.jmh_generated.B{number}_run_jmhTest"
        lines.append(RECORD.format(len(own), own, len(stub), stub))
    target = folder / f"classes{side}"
    files = folder / "files"
    files.write_text("\n".join(str(path) for path in sources.iterdir()))
    command = ["javac", "-J-Xmx2g", "-g", "-nowarn", "-proc:none", "-Xlint:none", "-d", str(target)]
    subprocess.run([*command, f"@{files}"], check=True)
    jar = folder / f"{side}.jar"
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        archive.writestr("META-INF/BenchmarkList", "\n".join(lines))
        for path in sorted(target.rglob("*.class")):
            archive.write(path, path.relative_to(target).as_posix())
    return jar


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
