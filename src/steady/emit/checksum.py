"""The checksum of the POSIX command ``cksum``, which every shell can compute again."""

from __future__ import annotations

_POLYNOMIAL = 0x04C11DB7


def _entry(byte: int) -> int:
    remainder = byte << 24
    for _ in range(8):
        remainder = (remainder << 1) ^ (_POLYNOMIAL if remainder & 0x80000000 else 0)
    return remainder & 0xFFFFFFFF


_TABLE = tuple(map(_entry, range(256)))


def posix_checksum(data: bytes) -> str:
    """Return what ``cksum`` prints of `data`: its CRC and its length, parted by a space.

    Parameters
    ----------
    data : bytes
        Anything.

    Returns
    -------
    str
        IEEE Std 1003.1, ``cksum``: the CRC over the data and then over the bytes of its length,
        low byte first.
    """
    length = len(data)
    crc = 0
    for byte in data + length.to_bytes((length.bit_length() + 7) // 8, "little"):
        crc = (crc << 8 & 0xFFFFFFFF) ^ _TABLE[crc >> 24 ^ byte]
    return f"{crc ^ 0xFFFFFFFF} {length}"
