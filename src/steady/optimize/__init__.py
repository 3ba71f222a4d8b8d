"""Plan a suite from a full run: the smallest stable configuration, its cost and expected error."""

from steady.lazy_package import lazy_names

__all__ = lazy_names(__name__)
