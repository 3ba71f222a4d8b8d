"""From a full run to a plan: the smallest stable configuration, its cost and expected error."""

from steady.lazy_package import lazy_names

__all__ = lazy_names(__name__)
