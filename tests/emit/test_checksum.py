from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steady.emit.checksum import posix_checksum


@pytest.mark.parametrize(
    ("data", "printed"),
    [(b"", "4294967295 0"), (b"123456789", "930766865 9"), (b"\0", "4215202376 1")],
)
def test_known_values(data: bytes, printed: str) -> None:
    assert posix_checksum(data) == printed


@pytest.mark.needs("cksum")
@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=2000))
def test_the_command_prints_the_same(data: bytes) -> None:
    done = subprocess.run(["cksum"], input=data, capture_output=True, check=True)
    assert done.stdout.decode().split() == posix_checksum(data).split()
