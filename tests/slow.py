"""Update `tests/slow.txt`: the tests that `make quick` excludes, by measured time.

Usage: python -m pytest -n 2 --dist loadgroup --junitxml=times.xml
       python -m tests.slow times.xml

A test is slow if all its parameters together took more than `SHARE` of the time of all tests.
Shares hardly depend on the speed of the machine.
"""

import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

SHARE = 1 / 5_000

LIST = Path(__file__).with_name("slow.txt")

HEADER = "# Tests that `make quick` leaves out; python -m tests.slow writes this list.\n"


def node(test: ElementTree.Element) -> str:
    """Return a test's name in pytest's format, without parameters and group."""
    *modules, last = test.attrib["classname"].split(".")
    classes: list[str] = []
    while modules and not LIST.parent.parent.joinpath(*modules, last + ".py").is_file():
        classes.insert(0, last)
        *modules, last = modules
    name = test.attrib["name"].partition("[")[0].partition("@")[0]
    return "::".join(["/".join([*modules, last]) + ".py", *classes, name])


def main(times: Path) -> None:
    """Write the list."""
    seconds: dict[str, float] = defaultdict(float)
    for test in ElementTree.parse(times).iter("testcase"):
        seconds[node(test)] += float(test.attrib["time"])
    least = SHARE * sum(seconds.values())
    slow = sorted(name for name, took in seconds.items() if took > least)
    LIST.write_text(HEADER + "".join(f"{name}\n" for name in slow), encoding="utf-8")
    left = sum(took for took in seconds.values() if took <= least)
    print(f"{len(slow)} tests are slow; without them {left:.0f} s of {sum(seconds.values()):.0f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
