"""Benchmarks that run the same code in two builds, so that they need not be measured."""
