"""The same code in two jars of benchmarks."""
