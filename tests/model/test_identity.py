from __future__ import annotations

from steady.model import Identity


def test_a_label_tells_apart_what_the_identity_tells_apart() -> None:
    plain = Identity("org.B.a")
    full = Identity("org.B.a", "thrpt", (("n", "10"), ("kind", "x y")), 4)
    assert plain.label == "org.B.a"
    assert full.label == "org.B.a [n=10, kind=x y] (thrpt, 4 threads)"
