"""Go: its results, its test binaries, its command lines, and the same code in two builds."""
