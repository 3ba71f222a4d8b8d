"""Writes what is installed beside steady as CycloneDX 1.6, from the report of `pip install`.

It is what requirements.txt pins, for the machine on which pip was asked: `make sbom`.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def component(kind: str, name: str, version: str, **more: Any) -> dict[str, Any]:
    """Return a component; its address among packages tells it from all others."""
    address = f"pkg:pypi/{name.lower().replace('_', '-')}@{version}"
    named = {"type": kind, "bom-ref": address, "name": name, "version": version, "purl": address}
    return named | {key: value for key, value in more.items() if value}


def bill(report: dict[str, Any], project: dict[str, Any]) -> dict[str, Any]:
    """Return the bill of materials of a project and of what pip would install for it."""
    own = component(
        "application", project["name"], project["version"], licenses=licenses(project["license"])
    )
    parts = [
        component(
            "library",
            found["metadata"]["name"],
            found["metadata"]["version"],
            licenses=licenses(found["metadata"].get("license_expression")),
            hashes=[
                {
                    "alg": "SHA-256",
                    "content": found["download_info"]["archive_info"]["hashes"]["sha256"],
                }
            ],
        )
        for found in report["install"]
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": sorted(parts, key=lambda part: str(part["bom-ref"])),
    }


def licenses(expression: str | None) -> list[dict[str, str]]:
    """Return a licence where the package names it as SPDX does."""
    return [{"expression": expression}] if expression else []


if __name__ == "__main__":
    told = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    own_project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    sys.stdout.write(json.dumps(bill(told, own_project), indent=2) + "\n")
