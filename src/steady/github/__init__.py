"""GitHub: the event that started this run, and the run's comment on the pull request."""

from steady.errors import MissingToolError

try:
    import github  # noqa: F401
    import requests  # noqa: F401
except ModuleNotFoundError:
    raise MissingToolError(
        "the GitHub Action needs PyGithub and requests; install them with "
        "`pip install 'steady-action[github]'`"
    ) from None

from steady.github.client import connect
from steady.github.comment import Posted, post_comment
from steady.github.context import Context, read_context
from steady.github.error_messages import explain

__all__ = ["Context", "Posted", "connect", "explain", "post_comment", "read_context"]
