"""What the code of one method names: calls, classes, and texts that it hands on as names.

Source: JVMS 5.4.3 (resolution), 5.5 (initialization), 6.5 (the instructions), 4.7.23 (bootstrap
methods); JLS 15.27.4 (a lambda's object), java.lang.invoke.LambdaMetafactory.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from steady.harness.jmh.samecode import constant_pool as pools
from steady.harness.jmh.samecode import decode
from steady.harness.jmh.samecode.arguments import given_names, is_only_compared
from steady.harness.jmh.samecode.class_code import ClassCode, MethodCode, Signature, classes_of
from steady.harness.jmh.samecode.constant_pool import Member
from steady.harness.jmh.samecode.jdk_doors import is_of_jdk

_NAMING = frozenset(
    {
        *("forName", "loadClass", "findClass", "findSystemClass", "findLoadedClass", "getBundle"),
        *("getMethod", "getDeclaredMethod", "findStatic", "findVirtual"),
        *("getResource", "getResources", "getResourceAsStream", "findResource", "findResources"),
        *("getSystemResource", "getSystemResources", "getSystemResourceAsStream", "resources"),
    }
)
"""Methods of the JDK that are given the name of a class or of a file."""

_GET_CLASS = ("getClass", "()Ljava/lang/Class;")
_LOOKUP = ("lookup", "()Ljava/lang/invoke/MethodHandles$Lookup;")
_FIELD_HANDLES = range(1, 5)
_VIRTUAL_HANDLES = (5, 9)
_STATIC_HANDLES = (2, 4, 6)
_NEW_HANDLE = 8
_STATIC = (decode.GETSTATIC, decode.PUTSTATIC, decode.STATIC_CALL)
_ARRAYS = (decode.NEW_ARRAY, decode.NEW_ARRAYS)
_TYPES = frozenset({*_ARRAYS, decode.CAST, decode.INSTANCE_OF})
_DEEPEST = 8


@dataclass
class Uses:
    """The uses of a method: what its code names.

    Parameters
    ----------
    loads : set of str
        Classes that are named in any way.
    inits : set of str
        Classes whose static fields or methods are used.
    news : set of str
        Classes of which it makes objects.
    arrays : set of str
        Classes of which it makes arrays.
    literals : set of str
        Classes whose ``Class`` it holds.
    direct : set of Member
        Methods that are called as they stand: static ones, constructors, those of ``super``.
    virtual : set of Member
        Methods that an object decides about.
    makers : set of Member
        Methods of the jar that make what a dynamic call calls.
    takes_class : bool
        Whether it keeps or hands on what ``getClass`` returns.
    texts : dict of Member to set
        For calls that name a class or a file: the names; None for one that is not constant.
    """

    loads: set[str] = field(default_factory=set)
    inits: set[str] = field(default_factory=set)
    news: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)
    literals: set[str] = field(default_factory=set)
    direct: set[Member] = field(default_factory=set)
    virtual: set[Member] = field(default_factory=set)
    makers: set[Member] = field(default_factory=set)
    takes_class: bool = False
    texts: dict[Member, set[str | None]] = field(default_factory=lambda: defaultdict(set))


def uses_of_method(code: ClassCode, signature: Signature, into: Uses) -> None:
    """Add what a method of a class names.

    Raises
    ------
    MalformedError
        If its code is not understood.
    """
    method = code.methods[signature]
    into.loads.update(classes_of(signature[1]))
    if method.start:
        _Reading(code, method, into).read()


class _Reading:
    def __init__(self, code: ClassCode, method: MethodCode, into: Uses) -> None:
        self.code = code
        self.pool = code.pool
        self.method = method
        self.into = into
        self.named: dict[int, Member] = {}

    def read(self) -> None:
        body = decode.code_of(self.code.data, self.method)
        known = set[tuple[int, int]]()
        for operation, place, at in decode.uses_of(body):
            if (operation, place) not in known:
                known.add((operation, place))
                self._use(operation, place)
            if decode.VIRTUAL <= operation <= decode.INTERFACE_CALL:
                self._look(place, body, at)
        if self.named:
            texts = given_names(self.code, body, {at: m[2] for at, m in self.named.items()})
            for at, member in self.named.items():
                self.into.texts[member].add(texts.get(at))
        for place in decode.handlers_of(self.code, self.method):
            self.into.loads.add(self.pool.class_name(place))
        self.into.loads.discard("")

    def _use(self, operation: int, place: int) -> None:
        into, pool = self.into, self.pool
        if operation == decode.LDC:
            self._constant(place)
        elif operation == decode.DYNAMIC_CALL:
            self._dynamic(place)
        elif operation == decode.NEW:
            into.news.add(pool.class_name(place))
        elif operation in _TYPES:
            into.loads.add(pool.class_name(place))
            if operation in _ARRAYS:
                into.arrays.add(pool.class_name(place))
        else:
            member = self._member(place, is_static=operation in _STATIC)
            if operation in (decode.VIRTUAL, decode.INTERFACE_CALL):
                into.virtual.add(member)
            elif operation in (decode.SPECIAL, decode.STATIC_CALL):
                into.direct.add(member)

    def _member(self, place: int, *, is_static: bool) -> Member:
        """Return a field or a method that is used."""
        member = self.pool.member(place)
        self.into.loads.update((member[0], *classes_of(member[2])))
        if is_static:
            self.into.inits.add(member[0])
        return member

    def _look(self, place: int, body: bytes, at: int) -> None:
        member = self.pool.member(place)
        if member[1:] == _GET_CLASS and not is_only_compared(self.code, body, at):
            self.into.takes_class = True
        if member[1:] == _LOOKUP:
            self.into.literals.add(self.code.name)
        if member[1] in _NAMING:
            self.named[at] = member

    def _constant(self, place: int, depth: int = 0) -> None:
        tag = self.pool.tags[place]
        if tag == pools.CLASS:
            self.into.literals.add(self.pool.class_name(place))
            self.into.loads.add(self.pool.class_name(place))
        elif tag == pools.HANDLE:
            self._handle(place)
        elif tag == pools.METHOD_TYPE:
            self.into.literals.update(classes_of(self.pool.word(place, tag)))
        elif tag == pools.DYNAMIC:
            self._dynamic(place, depth + 1)

    def _dynamic(self, place: int, depth: int = 0) -> None:
        if depth > _DEEPEST:
            return
        number, _, descriptor = self.pool.dynamic(place)
        maker, *arguments = self.code.makers[number]
        made = classes_of(descriptor.rpartition(")")[2])
        self.into.loads.update(classes_of(descriptor))
        self._handle(maker)
        owner = self.pool.member(self.pool.handle(maker)[1])
        if not is_of_jdk(owner[0]):
            self.into.makers.add(owner)
        # What a lambda makes is an object of its interface, and of those that it is marked with.
        self.into.news.update(made)
        for argument in arguments:
            tag = self.pool.tags[argument]
            if tag == pools.CLASS:
                self.into.news.add(self.pool.class_name(argument))
            elif tag == pools.STRING:  # the label of a switch may be a class by its name
                name = self.pool.word(argument, tag).replace(".", "/")
                self.into.literals.update((name, *classes_of(name)))
                self.into.inits.update((name, *classes_of(name)))
            self._constant(argument, depth)

    def _handle(self, place: int) -> None:
        kind, place = self.pool.handle(place)
        member, into = self._member(place, is_static=kind in _STATIC_HANDLES), self.into
        if kind in _FIELD_HANDLES:
            return
        (into.virtual if kind in _VIRTUAL_HANDLES else into.direct).add(member)
        if kind == _NEW_HANDLE:
            into.news.add(member[0])
        into.takes_class |= member[1:] == _GET_CLASS
        if member[1] in _NAMING:
            into.texts[member].add(None)
