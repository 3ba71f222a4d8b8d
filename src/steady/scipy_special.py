"""`scipy.special`, imported without unnecessary dependencies.

SciPy accesses all names of NumPy, which triggers NumPy's lazy imports: `numpy.testing` and
`numpy.f2py` alone took a sixth of a command's start-up time.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def _imported_numpy_names() -> Iterator[None]:
    """Hide the subpackages of NumPy that are not imported yet; SciPy can access them later."""
    former = {"__all__": np.__all__, "__dir__": np.__dir__}
    there = [name for name in np.__all__ if name in vars(np)]
    vars(np).update({"__all__": there, "__dir__": lambda: there})
    try:
        yield
    finally:
        vars(np).update(former)
        copy = sys.modules.get("scipy._lib.array_api_compat.numpy")
        if copy is not None:
            vars(copy).setdefault("__getattr__", lambda name: getattr(np, name))


with _imported_numpy_names():
    from scipy.special import betainc as betainc
    from scipy.special import betaincinv as betaincinv
    from scipy.special import chdtrc as chdtrc
    from scipy.special import chdtri as chdtri
    from scipy.special import fdtri as fdtri
    from scipy.special import gammaincinv as gammaincinv
    from scipy.special import gammaln as gammaln
    from scipy.special import ndtr as ndtr
    from scipy.special import ndtri as ndtri
    from scipy.special import polygamma as polygamma
    from scipy.special import psi as psi
    from scipy.special import stdtrit as stdtrit
