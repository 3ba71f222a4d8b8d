"""The same code in two builds of Go's test binaries."""
