"""Draw ``how-it-works.svg`` from the recorded demo: a full run, and its planned part.

``make docs`` writes it.
"""

from __future__ import annotations

import numpy as np

import steady
from steady.demo import recording
from steady.model import FloatArray

BENCHMARK = "dev.steady.demo.DigestBenchmark.fingerprint"
WIDTH, ROW, LEFT, GAP = 760, 34, 96, 8
COLORS = {"dropped": "#b9bfc7", "warm-up": "#d08c2a", "measured": "#1f6feb", "text": "#57606a"}


def polyline(
    values: FloatArray, x: FloatArray, top: float, low: float, high: float, ink: str
) -> str:
    """Return one line of the picture."""
    y = top + ROW * (1 - (np.clip(values, low, high) - low) / (high - low))
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="1.6"/>'


def text(x: float, y: float, words: str, *, size: int = 13, weight: str = "normal") -> str:
    """Return a piece of text."""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" '
        f'fill="{COLORS["text"]}">{words}</text>'
    )


def draw() -> str:
    """Return the picture as SVG."""
    with recording() as recorded:
        suite, plan = steady.load(recorded.full), steady.read_plan(recorded.plan)
    benchmark, entry = suite[BENCHMARK], plan[BENCHMARK]
    forks = benchmark.fork_times
    count, iterations = forks.shape
    x = LEFT + np.arange(iterations) * (WIDTH - LEFT - 16) / (iterations - 1)
    low, high = float(forks.min()), float(np.quantile(forks, 0.95))
    stop = entry.warmup + entry.iterations
    height = 92 + count * (ROW + GAP)
    parts = [
        text(8, 22, f"{BENCHMARK.rpartition('demo.')[2]}: time per operation, "
             f"{iterations} iterations of {count} forks", size=15, weight="bold"),
        text(8, 44, f"full run {entry.full_seconds:.0f} s, plan {entry.seconds:.0f} s: "
             f"{entry.forks} forks × ({entry.warmup} warm-up + {entry.iterations} measured)"),
    ]  # fmt: skip
    for fork, values in enumerate(forks):
        top = 60 + fork * (ROW + GAP)
        parts.append(text(8, top + ROW * 0.65, f"fork {fork + 1}"))
        parts.append(polyline(values, x, top, low, high, COLORS["dropped"]))
        if fork < entry.forks:
            warm = slice(0, entry.warmup + 1)
            kept = slice(entry.warmup, stop)
            parts.append(polyline(values[warm], x[warm], top, low, high, COLORS["warm-up"]))
            parts.append(polyline(values[kept], x[kept], top, low, high, COLORS["measured"]))
            start = entry.starts[fork]
            if start is not None:
                parts.append(
                    f'<line x1="{x[start]:.1f}" x2="{x[start]:.1f}" y1="{top}" y2="{top + ROW}" '
                    f'stroke="{COLORS["text"]}" stroke-dasharray="2 2"/>'
                )
    legend = LEFT
    for name, words in (
        ("warm-up", "warm-up"),
        ("measured", "measured"),
        ("dropped", "no longer run"),
    ):
        y = height - 14
        parts.append(
            f'<line x1="{legend}" x2="{legend + 22}" y1="{y - 4}" y2="{y - 4}" '
            f'stroke="{COLORS[name]}" stroke-width="3"/>'
        )
        parts.append(text(legend + 28, y, words))
        legend += 130
    parts.append(text(legend, height - 14, "┆ steady, says the detector"))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="system-ui, sans-serif" role="img">\n<title>How a full run becomes a plan'
        f'</title>\n<rect width="{WIDTH}" height="{height}" rx="8" fill="#fff"/>\n{body}\n</svg>\n'
    )
