"""GitHub: which event this run belongs to, its one comment, and its check run."""

from steady.github.checks import Check, post_check
from steady.github.client import connect
from steady.github.comment import Draft, Posted, post_comment
from steady.github.context import Context, read_context
from steady.github.patience import patiently
from steady.github.problems import explain

__all__ = [
    "Check",
    "Context",
    "Draft",
    "Posted",
    "connect",
    "explain",
    "patiently",
    "post_check",
    "post_comment",
    "read_context",
]
