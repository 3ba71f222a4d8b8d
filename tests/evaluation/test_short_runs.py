"""Short records: what is their label, the best constant, and who is better, counted by hand."""

import numpy as np

from evaluation._short_records import RECORDS, Labelled, Record, crossed, methods, share_better
from evaluation.short_plans import MEASURED, deviations
from steady.steadystate import METHODS


def test_a_series_is_steady_within_a_record_if_enough_of_it_follows() -> None:
    starts = np.array([-1, 0, 1, 10, 15, 16, 2999])
    assert Record(20, 1).labels(starts).tolist() == [20, 0, 1, 10, 15, 20, 20]
    # Ten iterations are joined to one; it is steady if all of it is.
    assert Record(20, 10).labels(starts).tolist() == [20, 0, 1, 1, 2, 2, 20]
    assert [record.title for record in RECORDS[::6]] == ["20 of 0.1 s", "20 of 1 s"]


def test_a_record_is_the_beginning_joined() -> None:
    values = np.full(3000, 0.05)
    values[:10] = 0.1
    cut = Record(20, 10).of(values)
    assert cut.shape == (20,)
    np.testing.assert_allclose(cut, [0.1, *[0.05] * 19])


def test_the_constant_of_a_project_is_the_median_of_the_others() -> None:
    labels, projects = np.array([1, 3, 5, 100]), np.array(["a", "a", "b", "c"])
    every = np.ones(4, bool)
    assert crossed(labels, projects, every).tolist() == [52, 52, 3, 3]
    assert crossed(labels, projects, labels < 100).tolist() == [5, 5, 2, 3]


def test_better_is_counted_over_draws_of_projects() -> None:
    projects = np.array(["a", "b", "c"])
    constant = np.array([5, 5, 5])
    assert share_better(np.array([1, 1, 1]), constant, projects) == 1
    assert share_better(constant, constant, projects) == 0
    assert 0.2 < share_better(np.array([0, 6, 6]), constant, projects) < 0.9


def test_every_detector_that_did_not_learn_from_these_forks_is_judged() -> None:
    left_out = {"by-length", "rocket", "fcn", "oscnn", "onset", "recommended"}
    assert {*methods()} == {*METHODS} - left_out | {"onset, fit to the other projects"}


def test_a_deviation_is_that_of_the_next_iterations_of_the_other_forks() -> None:
    forks = np.ones((10, 3000))
    forks[5:, :4] = 1.5
    data = Labelled(("x",), np.array(["p"]), np.array([0]), (forks,), None)  # type: ignore[arg-type]
    [off] = deviations(data, Record(20, 1))
    assert MEASURED == 10
    np.testing.assert_allclose(off[:5], [0.2, 0.15, 0.1, 0.05, 0], atol=1e-12)
