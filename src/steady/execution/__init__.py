"""Processes of benchmarks: groups, output, turns, and the end of the warm-up."""
