"""The engine that runs a suite: base and head take turns on one machine."""

from steady.lazy_package import names_on_demand

__all__ = names_on_demand(__name__)
