"""Java sources, read by a parser: their classes, and where benchmarks stand in them."""
