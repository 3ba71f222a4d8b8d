"""The base of all commands: values of options, made of words and printed as words again."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from steady.options.option import Use, uses

CommandT = TypeVar("CommandT", bound="Command")

LAST = "out"
"""Where something goes is said last."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command that somebody typed, or might type: a field for each of its options."""

    called: ClassVar[str]
    """Its words behind ``steady``."""

    help: ClassVar[str] = ""
    """What the list of commands says, where this is one below another."""

    description: ClassVar[str] = ""
    """What its own help says first, if not the sentence above its options."""

    ending: ClassVar[str] = ""
    """What its own help says last."""

    exclusive: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Fields of which one at most is given."""

    @classmethod
    def of(cls: type[CommandT], namespace: Namespace) -> CommandT:
        """Return what was parsed; see `steady.options.parser`."""
        known = {one.name for one in fields(cls)}
        given = {name: value for name, value in vars(namespace).items() if name in known}
        return cls(**{n: tuple(v) if isinstance(v, list) else v for n, v in given.items()})

    @classmethod
    def described(cls) -> str:
        """Return what its own help says first; of one below another nothing, if not declared."""
        said = "" if cls.help else (cls.__doc__ or "").replace("``", "").rstrip(".")
        return cls.description or said

    @property
    def words(self) -> list[str]:
        """The words behind ``steady``: operands, then options as they are declared.

        What has its default is left out, and where the results go comes last.
        """
        operands: list[str] = []
        options: list[str] = []
        last: list[str] = []
        for used in uses(type(self)).values():
            value = getattr(self, used.field)
            if value == used.default and not used.required:
                continue
            if used.operand:
                operands += _texts(used, value)
            else:
                (last if used.field == LAST else options).extend(_option_words(used, value))
        options += last
        if any(word.startswith("-") for word in operands):
            return [*self.called.split(), *options, "--", *operands]
        return [*self.called.split(), *operands, *options]

    @property
    def line(self) -> str:
        """The whole command, as a shell takes it."""
        return shlex.join(["steady", *self.words])


def taken(kind: type[CommandT], command: Command, **more: Any) -> CommandT:
    """Return another command with those options of one that both have, and some more."""
    names = uses(kind).keys() & uses(type(command)).keys() - more.keys()
    shared: Mapping[str, Any] = {name: getattr(command, name) for name in names}
    return kind(**shared, **more)


def _texts(used: Use, value: Any) -> list[str]:
    show = used.option.kind.show
    return [show(one) for one in value] if isinstance(value, tuple) and _holds_several(used) else [
        show(value)
    ]  # fmt: skip


def _holds_several(used: Use) -> bool:
    return used.operand in ("*", "+") if used.operand else used.option.takes != "one"


def _option_words(used: Use, value: Any) -> list[str]:
    if used.is_switch:
        return [used.flag]
    texts = _texts(used, value)
    if used.option.takes == "several" and not any(text.startswith("-") for text in texts):
        return [used.flag, *texts]
    return [word for text in texts for word in _pair(used.flag, text)]


def _pair(flag: str, text: str) -> list[str]:
    """Return an option and its value, as two words where the value does not look like an option."""
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]
