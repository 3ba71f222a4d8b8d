"""A real run of ``examples/jmh-demo``, recorded, so that the whole loop can be seen in seconds."""

from steady.demo.recorded import BUDGET, Recording, recording

__all__ = ["BUDGET", "Recording", "recording"]
