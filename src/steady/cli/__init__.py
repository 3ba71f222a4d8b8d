"""The ``steady`` command: a thin door to the same engine as the Action."""

from steady.cli.main import main

__all__ = ["main"]
