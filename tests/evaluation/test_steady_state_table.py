"""Table 1 on labels made by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from evaluation.steady_state import Labels, calls_table, crossed_constants, read_labels, read_starts

LABELS = Labels(
    ["a#1", "a#2", "b#1", "b#2", "b#3"],
    np.array(["a", "a", "b", "b", "b"]),
    np.array([10, 30, 100, 200, -1]),
)


def test_a_project_gets_the_median_of_the_others() -> None:
    assert crossed_constants(LABELS).tolist() == [150, 150, 20, 20, 20]


def test_calls_count_a_found_start_as_steady() -> None:
    found = np.array([0, -1, 5, 5, 5])
    table = calls_table(LABELS.starts, {"mine": found}, {}, {})
    lines = str(table).splitlines()
    assert lines[2].startswith("| always steady | 4 | 80.0 | 1 | 0 | 0.50 | 0.00 |")
    # 3 of 4 steady ones found, the unsteady one missed: MCC = (3*0 - 1*1) / sqrt(4*4*1*1)
    assert lines[3].startswith("| steady: mine | 3 | 60.0 | 1 | 1 | 0.38 | -0.25 |")


def test_the_published_counts_of_the_open_labels(shared: Path) -> None:
    """The data's README: KB-KSSD agrees 301 times, CP-SSD 299, always-steady 302, of 430."""
    folder = shared / "data" / "jmh-steady"
    labels = read_labels(folder)
    starts = read_starts(folder, "baselines", labels, {"kb": "kb_kssd_start", "cp": "cp_ssd_start"})
    assert len(labels.starts) == 430
    assert labels.steady.sum() == 302
    agreements = {k: int(((v >= 0) == labels.steady).sum()) for k, v in starts.items()}
    assert agreements == {"kb": 301, "cp": 299}
    both = labels.steady & (starts["kb"] >= 0) & (starts["cp"] >= 0)
    distances = {k: int(np.abs(v - labels.starts)[both].sum()) for k, v in starts.items()}
    assert distances == {"kb": 101716, "cp": 119935}
