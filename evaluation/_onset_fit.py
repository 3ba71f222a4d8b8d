"""Fit of the additive model of the detector `onset`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from steady.model import FloatArray
from steady.papers.onset_model import PROPERTIES, PlotProperties, PointsModel

QUANTILES = (0.05, 0.35, 0.65, 0.95)
"""Quantiles of each property that are the knots of the piecewise linear model."""

PENALTY = 3.0
"""Ridge penalty of the differences between knots."""

STEPS = 12
"""Iterations of Newton's method, more than enough for convergence."""


def fit_points(seen: Sequence[PlotProperties], steady: FloatArray) -> PointsModel:
    """Fit an additive logistic regression.

    Parameters
    ----------
    seen : sequence of PlotProperties
        Properties of the plots.
    steady : ndarray of float64, shape (forks,)
        1 where people call the fork steady, 0 elsewhere.
    """
    table = np.array([[one[name] for name in PROPERTIES] for one in seen])
    values = np.round(np.quantile(table, QUANTILES, axis=0), 4)
    widths = np.maximum(np.diff(values, axis=0), 1e-9)
    # Position of each fork in each interval, from -1/2 to 1/2; shape (forks, intervals, names).
    along = np.clip((table[:, np.newaxis] - values[:-1]) / widths, 0, 1) - 0.5
    rows = np.column_stack([along.reshape(len(table), -1), np.ones(len(table))])
    gains = _ridge(rows, steady)
    rises = gains[:-1].reshape(len(widths), len(PROPERTIES))
    points = np.cumsum(np.vstack([-rises.sum(axis=0) / 2, rises]), axis=0)
    usual = np.mean(_at(table, values, points), axis=0)
    curves = {
        name: (values[:, place], np.round(points[:, place] - usual[place], 4))
        for place, name in enumerate(PROPERTIES)
    }
    return PointsModel(round(float(gains[-1] + usual.sum()), 4), curves)


def _ridge(rows: FloatArray, steady: FloatArray) -> FloatArray:
    """Fit a logistic regression whose last column, the constant, is not penalised."""
    penalty = np.full(rows.shape[1], PENALTY)
    penalty[-1] = 0
    gains = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-rows @ gains))
        pull = rows.T @ (steady - expected) - penalty * gains
        weights = expected * (1 - expected)
        gains += np.linalg.solve((rows.T * weights) @ rows + np.diag(penalty), pull)
    return gains


def _at(table: FloatArray, values: FloatArray, points: FloatArray) -> FloatArray:
    columns = zip(table.T, values.T, points.T, strict=True)
    return np.column_stack([np.interp(*one) for one in columns])


def points_json(points: PointsModel) -> str:
    """Return JSON with one property per line."""
    lines = [
        json.dumps({"property": name, "values": values.tolist(), "points": worth.tolist()})
        for name, (values, worth) in points.curves.items()
    ]
    return f'{{"base": {points.base}, "curves": [\n' + ",\n".join(lines) + "\n]}\n"
