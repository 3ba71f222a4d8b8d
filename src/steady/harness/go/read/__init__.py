"""Go's benchmark output, and benchstat's input files."""
