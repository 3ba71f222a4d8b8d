"""Benchmarks with an identical code path in two builds, which need not be measured."""
