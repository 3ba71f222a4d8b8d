"""Runs of Go's test binaries, one at a time or interleaved."""
