"""A real JMH project, built with Maven by `tests/conftest.py` for several versions of JMH."""

from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).with_name("project")

BuildJar = Callable[[str], Path]
