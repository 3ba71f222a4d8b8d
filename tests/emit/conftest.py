"""A real JMH project, which `tests/conftest.py` builds with Maven for several versions of JMH."""

from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).with_name("project")

BuildJar = Callable[[str], Path]
