"""Identical code paths in two builds of Go's test binaries."""
