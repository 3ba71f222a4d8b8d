"""Generator of the files that follow from declarations in the code (``make docs``).

These are `action.yml` (only its inputs and outputs), `action-types.yml`, the JSON schemas in
`docs/schemas`, the pages of inputs, commands and Python, and quotations of `examples/workflows` and
of the recorded demo in pages and the README. In every file, the repository's name is replaced by
that in `pyproject.toml`. New entries are added to the lists in `tests/surface`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from docs import recorded_demo, surface
from docs.api_reference import api_reference
from docs.command_reference import command_reference
from docs.images.draw import draw
from docs.project import BASE, files_that_name_it, moved, named_before
from docs.quoted_workflows import quoted_jobs, quoted_workflow
from steady.action.input_fields import Input
from steady.action.inputs import INPUTS
from steady.action.runner import OUTPUTS
from steady.cli.settings import KINDS, schema_text
from steady.options.option import MODES
from steady.report.output_formats import OUTPUT_FORMATS

ROOT = Path(__file__).resolve().parent.parent

_TYPES_HEAD = """\
# The types of inputs and outputs, for tools that check or generate workflows; format:
# https://github.com/typesafegithub/github-actions-typing. `make docs` writes this file.
"""


def action_yml(present: str) -> str:
    """Return `action.yml` with the declared inputs and outputs."""
    inputs = {
        declared.name: {
            "description": _Folded(declared.in_action.description),
            "required": declared.in_action.required and declared.in_action.modes == MODES,
            **({"default": declared.in_action.default} if declared.in_action.default else {}),
        }
        for declared in INPUTS
    }
    outputs = {output.name: {"description": _Folded(output.description)} for output in OUTPUTS}
    written = _yaml({"inputs": inputs, "outputs": outputs})
    return _replaced(present, r"(?ms)^inputs:\n.*?(?=^runs:)", written)


def action_types(_: str) -> str:
    """Return `action-types.yml`."""
    inputs = {declared.name: dict(declared.kind.type) for declared in INPUTS}
    outputs = {output.name: dict(output.type) for output in OUTPUTS}
    return _TYPES_HEAD + _yaml({"inputs": inputs, "outputs": outputs})


def readme(present: str) -> str:
    """Return the README with its workflows, and its paragraphs on the recorded demo."""
    for name in re.findall(r"<!-- short (\S+) -->", present):
        present = _block(present, f"short {name}", quoted_workflow(name, short=True))
    for name, jobs in re.findall(r"<!-- jobs (\S+) (.+?) -->", present):
        present = _block(present, f"jobs {name} {jobs}", quoted_jobs(name, jobs.split()))
    present = _block(present, "plan", recorded_demo.savings(BASE))
    return _block(present, "demo", recorded_demo.introduction(BASE))


def inputs(present: str) -> str:
    """Return the page of inputs and outputs."""
    taken = ((f"`{i.name}`", _modes(i), _default(i), i.in_action.description) for i in INPUTS)
    given = ((f"`{output.name}`", output.description) for output in OUTPUTS)
    text = _block(present, "inputs", _table(("input", "mode", "default", "what it is"), taken))
    return _block(text, "outputs", _table(("output", "what it is"), given))


def output_formats() -> str:
    """Return the table of output formats."""
    rows = (
        (
            f"[`{entry.name}`]({Path(entry.source).name})",
            entry.summary,
            f"`--output {entry.name}`" * entry.value.printed,
            f"`{entry.value.file}`{', on request' * entry.value.extra}" * bool(entry.value.file),
        )
        for entry in OUTPUT_FORMATS.values()
    )
    return _table(("format", "what it is", "`steady compare`", "file of a report"), rows)


def quoting(present: str) -> str:
    """Return a page with the workflows that it quotes."""
    for name in re.findall(r"<!-- workflow (\S+) -->", present):
        present = _block(present, f"workflow {name}", quoted_workflow(name))
    return present


def demo_run(present: str) -> str:
    """Return the page of the recorded demo with the recording's figures."""
    for name, make in (
        ("demo-transcript", recorded_demo.transcript),
        ("demo-found", recorded_demo.found_table),
        ("demo-seconds", recorded_demo.seconds_table),
    ):
        present = _block(present, name, make())
    return present


def savings(present: str) -> str:
    """Return the page on savings, with the figures of both recordings."""
    for name, make in (
        ("receipt", recorded_demo.quoted_receipt),
        ("quietness", recorded_demo.quietness_sentence),
        ("plans", recorded_demo.plans_table),
        ("noisy-plan", recorded_demo.noisy_plan),
    ):
        present = _block(present, name, make())
    return present


def _from(name: str, make: Callable[[], str], present: str) -> str:
    return _block(present, name, make())


def _picture(_: str) -> str:
    return draw()


def _schema(name: str, _: str) -> str:
    return schema_text(name)


SCHEMES = ("light", "dark")
"""Of pictures that stand on pages of either."""

FILES: Mapping[str, Callable[[str], str]] = {
    "action.yml": action_yml,
    "action-types.yml": action_types,
    "README.md": readme,
    "docs/inputs.md": inputs,
    "docs/commands.md": partial(_from, "commands", command_reference),
    "docs/api.md": partial(_from, "api", api_reference),
    "docs/report.md": partial(_from, "outputs", output_formats),
    "docs/demo-comment.md": partial(_from, "comment", recorded_demo.quoted_comment),
    "docs/savings.md": savings,
    "docs/demo-run.md": demo_run,
    "docs/workflows.md": quoting,
    **{f"docs/howto/{page.name}": quoting for page in sorted((ROOT / "docs/howto").glob("*.md"))},
    "docs/images/how-it-works.svg": _picture,
    **{f"docs/images/plan-{one}.svg": partial(recorded_demo.plan_picture, one) for one in SCHEMES},
    **{f"docs/schemas/{name}.schema.json": partial(_schema, name) for name in KINDS},
}
"""By path: what makes the file from the present one."""


def main() -> None:
    """Write the files, and record what users can reach."""
    before = named_before()
    for path in files_that_name_it():
        _rewrite(path, partial(moved, before=before))
    for name, make in FILES.items():
        _rewrite(ROOT / name, make)
    surface.record()


def _rewrite(path: Path, make: Callable[[str], str]) -> None:
    """Write a file if its content changed, because make compares modification times."""
    present = path.read_text(encoding="utf-8")
    if (text := make(present)) != present:
        path.write_text(text, encoding="utf-8")


def _modes(declared: Input) -> str:
    return "all" if declared.in_action.modes == MODES else ", ".join(declared.in_action.modes)


def _default(declared: Input) -> str:
    if declared.in_action.required:
        return "required"
    return f"`{declared.in_action.default}`" if declared.in_action.default else ""


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _block(text: str, name: str, content: str) -> str:
    """Return `text` with other content between the markers of `name`."""
    return _replaced(text, rf"(?s)(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", content)


def _replaced(text: str, pattern: str, content: str) -> str:
    replaced, count = re.subn(pattern, lambda _: content, text)
    if count != 1:
        raise ValueError(f"the place to write to is there {count} times: {pattern}")
    return replaced


class _Folded(str):
    """A text that YAML breaks into lines."""


class _Dumper(yaml.SafeDumper):
    """YAML as people write it: lists are indented, long texts folded, and nothing has a name."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, indentless=False)


def _folded(dumper: yaml.SafeDumper, text: _Folded) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=">")


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(_Folded, _folded)
_Dumper.add_representer(str, _text)


def _yaml(data: Any) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=92)


if __name__ == "__main__":
    main()
