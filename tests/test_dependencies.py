"""What `pip install` brings without extras is little, and enough for all but the Action."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECORDED = ROOT / "tests" / "compare" / "recorded"


def closure(declared: list[str]) -> set[str]:
    """Return the packages that an installation brings, as what is installed declares them."""
    found: set[str] = set()

    def look(requirements: list[str]) -> None:
        for requirement in map(Requirement, requirements):
            name = canonicalize_name(requirement.name)
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and name not in found:
                found.add(name)
                look(requires(name) or [])

    look(declared)
    return found


def test_without_extras_ten_packages_are_installed() -> None:
    packages = "jinja2 markdown-it-py markupsafe mdurl msgspec numpy pygments pyyaml rich scipy"
    assert closure(PROJECT["dependencies"]) == set(packages.split())


def test_the_image_has_what_the_action_needs_and_every_package_by_its_hash() -> None:
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["github"]]
    pinned = set(re.findall(r"(?m)^([\w.-]+)==", lock))
    assert closure(asked) <= pinned
    assert "requirements.txt" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "requirements.txt" in (ROOT / "setup" / "install.sh").read_text(encoding="utf-8")


def test_each_extra_says_for_whom_it_is() -> None:
    page = (ROOT / "docs" / "howto" / "shell.md").read_text(encoding="utf-8")
    described = re.findall(r"(?m)^\| `(\w+)` \| \S", page)
    assert sorted(described) == sorted(PROJECT["optional-dependencies"])


BLOCKED = """
import pkgutil, sys
refused = set({refused!r})
class Absent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent)
import steady
from steady.cli import main
"""


def without_extras(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program where only the packages that come without extras can be imported."""
    own = closure(PROJECT["dependencies"]) | {"steady-action"}
    refused = {
        module
        for module, distributions in packages_distributions().items()
        if not {canonicalize_name(name) for name in distributions} & own
    }
    assert {"github", "requests", "cryptography", "pytest"} <= refused
    command = [sys.executable, "-c", BLOCKED.format(refused=sorted(refused)) + program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


SIDES = [str(RECORDED / f"{side}.json.gz") for side in ("base", "head")]
MODULES = "[m.name for m in pkgutil.walk_packages(steady.__path__, 'steady.', lambda _: None)]"
IMPORTED = f"""
for name in {MODULES}:
    own = name.startswith(('steady.github', 'steady.action'))
    if not (own or name.endswith('__main__')): __import__(name)
"""
RUN = ["run", "--base", "a.jar", "--head", "b.jar", "--time-budget", "1m", "--out", "out"]
PROGRAMS = (
    "for name in steady.__all__: getattr(steady, name)",
    IMPORTED,
    f"assert main({['compare', *SIDES, '--fail-on', 'never']!r}) == 0",
    f"assert main({['report', *SIDES, '--fail-on', 'never', '--out', 'r']!r}) == 0",
    f"assert main({['optimize', SIDES[0], '--out', 'plan']!r}) == 0",
    "assert main(['demo']) == 0",
    f"assert main({RUN!r}) == 2",
)
"""What somebody does who has not got the extras."""


def test_who_measures_and_compares_needs_no_extra(tmp_path: Path) -> None:
    done = without_extras("\n".join(PROGRAMS), tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert re.search(r"steady: \S*a\.jar: does not exist", done.stderr), done.stderr


def test_the_action_without_its_extra_says_what_to_install(tmp_path: Path) -> None:
    done = without_extras("from steady.action.__main__ import main\nsys.exit(main())", tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "steady: the GitHub Action needs PyGithub and requests; install them with `pip install "
        "'steady-action[github]'`\n"
    )


def test_what_lacks_an_extra_names_it() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    for name in PROJECT["optional-dependencies"]:
        assert f"pip install 'steady-action[{name}]'" in sources
