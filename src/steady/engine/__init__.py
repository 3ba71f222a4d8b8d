"""The engine that runs a suite: base and head are interleaved on one machine."""

from steady.lazy_package import lazy_names

__all__ = lazy_names(__name__)
