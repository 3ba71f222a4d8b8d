"""Facts about forks in merged files, read by the simplest means."""

import json
import re
from pathlib import Path
from typing import Any


def facts_in_file(path: Path) -> list[dict[str, Any]]:
    """Return all facts about forks in a merged file, in its order."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        return [
            json.loads(line) for line in re.findall(r"(?m)^# (?:steady process|fork) (.+)", text)
        ]
    found: list[dict[str, Any]] = []

    def see(table: dict[str, Any]) -> dict[str, Any]:
        facts = table.get("steady", [])
        found.extend(facts if isinstance(facts, list) else [facts])
        return table

    json.loads(text, object_hook=see)
    return found
