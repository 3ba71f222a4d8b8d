"""GitHub: which event this run belongs to, its one comment, and its check run."""

from steady.github.client import connect
from steady.github.comment import Posted, post_comment
from steady.github.context import Context, read_context
from steady.github.problems import explain

__all__ = ["Context", "Posted", "connect", "explain", "post_comment", "read_context"]
