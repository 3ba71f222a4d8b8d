"""Untrusted input of every kind, mutated without end; see `docs/fuzzing.md`."""

import os

# Before NumPy is imported: two workers with two threads each would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time

BEGAN = time.monotonic()
"""When this was imported: before all that takes long to be imported."""
