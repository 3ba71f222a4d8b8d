"""Messages without the password of the side that should have sent them: somebody tampers."""

from __future__ import annotations

from dataclasses import dataclass

from steady.harness.trial import Trial
from steady.text.counting import count

_BASE = "base"


@dataclass(eq=False, slots=True)
class Foreign:
    """Counts such messages until a fork answers for them.

    Nobody can tell who sent one. But base is what the repository holds already, so what tampers is
    what head has added: a fork of head fails, or of the only version, and base loses nothing.

    Parameters
    ----------
    messages : int
        How many came that no fork has answered for yet.
    """

    messages: int = 0

    def heard(self) -> None:
        """Take note of a message; it has no other effect."""
        self.messages += 1

    def blame(self, trial: Trial) -> str:
        """Return why a fork that left a result fails all the same; empty if it does not."""
        if not self.messages or trial.version == _BASE:
            return ""
        told, self.messages = count(self.messages, "message"), 0
        return (
            f"tampering: {told} without the password of a fork reached steady while it ran; see "
            "what the benchmarks start, and which processes and ports they look for"
        )
