"""How JMH since 1.24 writes the values of parameters (``util/lines/Armor.java``).

Three 16-bit characters become eight letters of six bits, low bits first; an incomplete last group
is filled with ``=``.
"""

from __future__ import annotations

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_PAD = "="
_GROUP = 8
_BITS_OF_CHARACTERS = {1: 3, 2: 6, 3: 8}
"""Numbers of letters for one, two and three characters."""


def encode(text: str) -> str:
    """Encode `text` as in JMH's list."""
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(_encode_group(data[start : start + 6]) for start in range(0, len(data), 6))


def decode(text: str) -> str | None:
    """Decode `text`; None if it is not encoded."""
    if len(text) % _GROUP or not set(text) <= set(_LETTERS + _PAD):
        return None
    groups = [text[start : start + _GROUP] for start in range(0, len(text), _GROUP)]
    data = b"".join(map(_decode_group, groups))
    decoded = data.decode("utf-16-le", "surrogatepass")
    return decoded if encode(decoded) == text else None


def _encode_group(data: bytes) -> str:
    number = int.from_bytes(data.ljust(6, b"\0"), "little")
    letters = "".join(_LETTERS[number >> 6 * place & 63] for place in range(_GROUP))
    return letters[: _BITS_OF_CHARACTERS[len(data) // 2]].ljust(_GROUP, _PAD)


def _decode_group(letters: str) -> bytes:
    held = letters.rstrip(_PAD)
    characters = max((n for n, size in _BITS_OF_CHARACTERS.items() if size <= len(held)), default=0)
    number = sum(_LETTERS.find(letter) << 6 * place for place, letter in enumerate(held))
    return (number & (1 << 48) - 1).to_bytes(6, "little")[: 2 * characters]
