"""The ``steady`` command: a thin interface to the engine that the Action also uses."""

from steady.cli.main import main

__all__ = ["main"]
