"""Benchmark harnesses: the contract of one, and a folder for each."""
