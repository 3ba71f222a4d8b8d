"""What GitHub, or something on the way to it, says of a refused commit becomes one sentence."""

from __future__ import annotations

from typing import Any

import pytest
from github import GithubException

from steady.github import Context
from steady.github.client import Step, StepError
from steady.github.problems import explain_step

CONTEXT = Context("push", "octo/benchmarks", "https://api.github.test")
STEP = Step("branch `main`", "contents: write", moves=True)


@pytest.mark.parametrize("errors", [5, "text", {"message": "x"}, [None, "text", {"message": 1}]])
def test_details_of_any_shape_are_read(errors: Any) -> None:
    error = GithubException(422, {"message": "Rules\nwere broken", "errors": errors}, {})
    sentence = explain_step(StepError(STEP, error), CONTEXT)
    assert sentence.startswith("branch `main` is protected (422: Rules were broken")
