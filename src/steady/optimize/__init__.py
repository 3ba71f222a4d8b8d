"""Plan a suite from a full run: the smallest stable configuration, its cost and expected error."""

from steady.lazy_package import names_on_demand

__all__ = names_on_demand(__name__)
