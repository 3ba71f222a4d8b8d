"""Real runs of ``examples/jmh-demo``, recorded, so that the whole loop can be seen in seconds."""

from steady.demo.recorded import BUDGET, Command, PullRequest, Recording, recording
from steady.demo.recorded_facts import Facts

__all__ = ["BUDGET", "Command", "Facts", "PullRequest", "Recording", "recording"]
