"""What the hook costs by which forks take turns: in the scores, and between two iterations.

Usage: python benchmarks/turns_overhead.py JAR [BENCHMARK] [--pairs N] [--iterations N]

Two live forks of one jar take turns, iteration by iteration of 0.1 s, so that the machine does the
same to both. One of them loads the hook. The other one takes its turns by a profiler that asks
for them too, and does nothing else: it measures no costs and returns no results. Which side has the
hook changes from pair to pair. The median of all ratios of neighbouring iterations is what the
hook costs in a score; the table also says how long its work takes in each iteration, as the
profiler that does nothing sees it, and how long a turn takes to pass.
"""
