"""Go's benchmark output, and the files that benchstat reads."""
