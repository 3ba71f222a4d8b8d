"""Changes of classes that a fork may notice: methods that may run, or more than is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from steady.harness.jmh.samecode.class_log import Loaded
from steady.harness.jmh.samecode.difference import Difference
from steady.harness.jmh.samecode.members import Signature, TouchedMethods
from steady.harness.jmh.samecode.reached import OBJECT, Code


@dataclass(frozen=True, slots=True)
class Noticed:
    """What a fork may notice of the classes that changed.

    Parameters
    ----------
    classes : tuple of str
        Classes of which more changed than methods, or of which the change is not known.
    methods : tuple of str
        Changed methods of other classes that may run, as in ``a/B.method``.
    """

    classes: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Touched:
    """The changed classes of two jars, method by method.

    Parameters
    ----------
    difference : Difference
        Of the two jars.
    """

    difference: Difference
    _codes: dict[Loaded, Code | None] = field(default_factory=dict, repr=False)

    def noticed(self, loaded: Loaded, changed: Sequence[str]) -> Noticed:
        """Tell what a fork may notice.

        A fork of head does what the fork of base does up to the first method that differs. If none
        of the differing methods may run, it does the same to its end. Of a class that is asleep, a
        JVM looks at nothing but its parents and which methods it has.

        Parameters
        ----------
        loaded : Loaded
            What the fork of base loads.
        changed : sequence of str
            Those of its classes that changed.
        """
        asleep = self._asleep(loaded, changed)
        changes = [self._change(name, asleep=name in asleep) for name in changed]
        known = [change for change in changes if change is not None]
        if len(known) < len(changed):
            pairs = zip(changed, changes, strict=True)
            return Noticed(tuple(name for name, change in pairs if change is None))
        code = self._code(loaded)
        if code is None:
            return Noticed(tuple(changed))
        methods = [_called(one.name, s[0]) for one in known for s in one.running(code)]
        if methods:
            return Noticed(methods=tuple(dict.fromkeys(methods)))
        return Noticed(tuple(one.name for one in known if not self._is_unseen(one, code)))

    def _asleep(self, loaded: Loaded, changed: Sequence[str]) -> set[str]:
        """Return which of the changed classes are asleep."""
        if loaded.idle.isdisjoint(changed):
            return set()
        code = self._code(loaded)
        return set() if code is None else code.walk.asleep.intersection(changed)

    def _change(self, name: str, *, asleep: bool) -> _Change | None:
        sides = self.difference.base, self.difference.head
        base, head = (side.members([name])[name] for side in sides)
        if base is None or head is None:
            return None
        methods = base.touched(head, fields=not asleep)
        return None if methods is None else _Change(name, methods, asleep)

    def _code(self, loaded: Loaded) -> Code | None:
        """Return the code of all that a fork loads; None if more may run than is named."""
        if loaded not in self._codes:
            members = self.difference.base.members(loaded.classes)
            known = {name: one for name, one in members.items() if one is not None}
            code = Code(known, self.difference.base.classes, loaded.idle)
            whole = len(known) == len(loaded.classes) and code.walk.whole
            self._codes[loaded] = code if whole else None
        return self._codes[loaded]

    def _is_unseen(self, change: _Change, code: Code) -> bool:
        """Tell whether a JVM that checks the changed methods loads nothing that other code notices.

        To check the types of a method the JVM may load classes that it names. A class that extends
        one of those that run may change how calls of that one are compiled. The JVM does not check
        a class that is asleep.
        """
        if change.asleep:
            return True
        for name in change.classes_in_head - code.members.keys():
            if name in self.difference.head.classes:
                if not self._extends_nothing(name):
                    return False
            elif not name.startswith("[") and name not in code.classes_named:
                return False
        return True

    def _extends_nothing(self, name: str) -> bool:
        one = self.difference.head.members([name])[name]
        return one is not None and one.parents == (OBJECT,)


def _called(owner: str, method: str) -> str:
    """Name a method as a person would."""
    special = {"<init>": "the constructor", "<clinit>": "the static initializer"}
    return f"{special[method]} of {owner}" if method in special else f"{owner}.{method}"


@dataclass(frozen=True, slots=True)
class _Change:
    """A class of which only methods changed."""

    name: str
    methods: TouchedMethods
    asleep: bool

    def running(self, code: Code) -> Iterable[Signature]:
        """Return the changed methods that may run."""
        return [
            signature
            for signature, sides in self.methods.items()
            if code.may_run(self.name, signature, *filter(None, sides))
        ]

    @property
    def classes_in_head(self) -> frozenset[str]:
        """The classes that the changed methods of head name."""
        heads = (head for _, head in self.methods.values())
        return frozenset[str]().union(*(head.classes for head in heads if head is not None))
