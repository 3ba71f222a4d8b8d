"""SAME, compared with a literal average linkage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

from steady.errors import InputError
from steady.model import FloatArray
from steady.papers.fork_clusters import kumar_hassebrook, same, scaled_rmse, wave_hedges
from steady.similarity.pair_measures import cosine


def literal_clusters(forks: FloatArray, threshold: float) -> list[list[int]]:
    """Merge the two nearest clusters until their mean distance exceeds the threshold."""
    distance = squareform(
        (cosine(forks) + wave_hedges(forks) + kumar_hassebrook(forks) + scaled_rmse(forks)) / 4
    )
    clusters = [[fork] for fork in range(len(forks))]
    while len(clusters) > 1:
        means = {
            (a, b): float(np.mean([distance[i, j] for i in clusters[a] for j in clusters[b]]))
            for a in range(len(clusters))
            for b in range(a + 1, len(clusters))
        }
        nearest = min(means, key=lambda pair: means[pair])
        if means[nearest] > threshold:
            break
        clusters[nearest[0]] += clusters.pop(nearest[1])
    return clusters


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.sampled_from([0.05, 0.1, 0.25]))
def test_clusters_equal_the_oracle(seed: int, count: int, threshold: float) -> None:
    random = np.random.default_rng(seed)
    forks = 1 + 0.05 * random.standard_normal((count, 40))
    apart, chain = (1.0, 1.15, 2.0), (1.0, 1.07, 1.14, 1.21, 1.28, 1.35)
    forks *= random.choice(apart if random.random() < 0.5 else chain, size=(count, 1))
    clusters = literal_clusters(forks, threshold)
    result = same(forks, threshold=threshold)
    assert result.similar == (len(clusters) == 1)
    assert result.reason.startswith(f"{len(clusters)} cluster")
    majority = [set(cluster) for cluster in clusters if 2 * len(cluster) > count]
    odd = sorted(set(range(count)) - majority[0]) if majority else []
    assert list(result.odd_forks) == odd


def test_distance_of_slightly_different_forks() -> None:
    result = same([[1.0] * 10, [1.1] * 10], threshold=0.05)
    assert result.measures["wave-hedges"] == pytest.approx(1 / 11)
    assert result.measures["rmse"] == pytest.approx(0.1 / 1.05)
    assert result.measures["cosine"] == pytest.approx(0, abs=1e-12)
    assert result.similar
    assert not same([[1.0] * 10, [1.12] * 10], threshold=0.05).similar
    with pytest.raises(InputError, match="threshold must be above 0"):
        same(np.ones((2, 20)), threshold=-1)
