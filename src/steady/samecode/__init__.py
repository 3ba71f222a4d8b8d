"""Benchmarks with identical code paths in two builds, which need not be measured."""
