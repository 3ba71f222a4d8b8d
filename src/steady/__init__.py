"""steady: microbenchmark suites fast enough for every pull request, and verdicts to act on.

Arrays in, small frozen results out; everything that the Action does, a notebook can do::

    import steady

    suite = steady.load("results/*.json")
    plan = steady.optimize(suite)
    diff = steady.compare(steady.load("base.json"), steady.load("head.json"), plan=plan)

    run = steady.run("base.jar", "head.jar", time_budget="10m", out="results")
    diff = steady.compare(run.suites["base"], run.suites["head"])
"""

from steady.lazy_package import lazy_names

__all__ = lazy_names(__name__)
