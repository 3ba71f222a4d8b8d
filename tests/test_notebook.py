"""The notebook tutorial: every cell runs, and shows the output that the text describes."""

import re
import sys
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "examples" / "notebook" / "tutorial.ipynb"


def read() -> Any:
    return nbformat.read(PATH, as_version=4)  # type: ignore[no-untyped-call]


def test_the_tutorial_runs_and_is_stored_without_outputs() -> None:
    cells = read().cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert len({cell.id for cell in cells}) == len(cells)
    assert "examples/notebook/tutorial.ipynb" in (ROOT / "docs" / "notebook.md").read_text()


@pytest.fixture(scope="module")
def executed() -> list[Any]:
    """Return the code cells with their outputs."""
    notebook = read()
    client = NotebookClient(notebook, timeout=120, kernel_name="python3")
    with warnings.catch_warnings():  # warnings of the kernel client
        warnings.simplefilter("ignore")
        client.execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: Any, kind: str) -> str:
    """Return the result of a cell in a format."""
    [output] = cell.outputs
    assert output.output_type == "execute_result"
    return str(output.data[kind])


@pytest.mark.skipif(sys.platform == "win32", reason="kernels need another event loop")
def test_cells_show_the_promised_outputs(executed: list[Any]) -> None:
    kinds = ["text/html" if "text/html" in c.outputs[0].data else "image/png" for c in executed]
    html, png = "text/html", "image/png"
    assert kinds == [html, html, png, png, html, html, png, html, html, png]
    for cell, kind in zip(executed, kinds, strict=True):
        assert len(shown(cell, kind)) > 500
    assert "Suite of 19 benchmarks (jmh)" in shown(executed[0], "text/html")
    assert "the forks are" in shown(executed[4], "text/html")
    assert re.search(r"Comparison: regression", shown(executed[7], "text/html"))
