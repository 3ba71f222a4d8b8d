"""The GitHub Action: from a workflow's inputs to outputs, summary, annotations and comment."""

from steady.action.one_run import run

__all__ = ["run"]
