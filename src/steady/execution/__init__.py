"""Processes of benchmarks: their groups, output and turns, and the end of their warm-up."""
