"""What the code of one method names: calls, classes, and texts that it hands on as names.

Source: JVMS 5.4.3 (resolution), 5.5 (initialization), 6.5 (the instructions), 4.7.23 (bootstrap
methods); JLS 15.27.4 (a lambda's object), java.lang.invoke.LambdaMetafactory.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from steady.harness.jmh.samecode import constant_pool as constant_pool
from steady.harness.jmh.samecode import instructions
from steady.harness.jmh.samecode.constant_arguments import constant_names, is_class_only_compared
from steady.harness.jmh.samecode.class_file import ClassFile, MethodCode, Signature, classes_in_descriptor
from steady.harness.jmh.samecode.constant_pool import Member
from steady.harness.jmh.samecode.jdk_effects import is_of_jdk

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
_STATIC = (instructions.GETSTATIC, instructions.PUTSTATIC, instructions.INVOKESTATIC)
_ARRAYS = (instructions.ANEWARRAY, instructions.MULTIANEWARRAY)
_TYPES = frozenset({*_ARRAYS, instructions.CHECKCAST, instructions.INSTANCEOF})
_DEEPEST = 8


@dataclass
class MethodReferences:
    """The references of a method: what its code names.

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
    bootstrap_methods: set[Member] = field(default_factory=set)
    takes_class: bool = False
    texts: dict[Member, set[str | None]] = field(default_factory=lambda: defaultdict(set))


def add_references(code: ClassFile, signature: Signature, into: MethodReferences) -> None:
    """Add what a method of a class names.

    Raises
    ------
    MalformedError
        If its code is not understood.
    """
    method = code.methods[signature]
    into.loaded.update(classes_in_descriptor(signature[1]))
    if method.start:
        _Reading(code, method, into).read()


class _Reading:
    def __init__(self, code: ClassFile, method: MethodCode, into: MethodReferences) -> None:
        self.code = code
        self.pool = code.pool
        self.method = method
        self.into = into
        self.named: dict[int, Member] = {}

    def read(self) -> None:
        body = instructions.bytecode_of(self.code.data, self.method)
        known = set[tuple[int, int]]()
        for operation, place, at in instructions.constant_uses(body):
            if (operation, place) not in known:
                known.add((operation, place))
                self._use(operation, place)
            if instructions.INVOKEVIRTUAL <= operation <= instructions.INVOKEINTERFACE:
                self._look(place, body, at)
        if self.named:
            texts = constant_names(self.code, body, {at: m[2] for at, m in self.named.items()})
            for at, member in self.named.items():
                self.into.constant_names[member].add(texts.get(at))
        for place in instructions.caught_types(self.code, self.method):
            self.into.loaded.add(self.pool.class_name(place))
        self.into.loaded.discard("")

    def _use(self, operation: int, place: int) -> None:
        into, pool = self.into, self.pool
        if operation == instructions.LDC:
            self._constant(place)
        elif operation == instructions.INVOKEDYNAMIC:
            self._dynamic(place)
        elif operation == instructions.NEW:
            into.instantiated.add(pool.class_name(place))
        elif operation in _TYPES:
            into.loaded.add(pool.class_name(place))
            if operation in _ARRAYS:
                into.array_elements.add(pool.class_name(place))
        else:
            member = self._member(place, is_static=operation in _STATIC)
            if operation in (instructions.INVOKEVIRTUAL, instructions.INVOKEINTERFACE):
                into.virtual_calls.add(member)
            elif operation in (instructions.INVOKESPECIAL, instructions.INVOKESTATIC):
                into.direct_calls.add(member)

    def _member(self, place: int, *, is_static: bool) -> Member:
        """Return a field or a method that is used."""
        member = self.pool.member(place)
        self.into.loaded.update((member[0], *classes_in_descriptor(member[2])))
        if is_static:
            self.into.initialized.add(member[0])
        return member

    def _look(self, place: int, body: bytes, at: int) -> None:
        member = self.pool.member(place)
        if member[1:] == _GET_CLASS and not is_class_only_compared(self.code, body, at):
            self.into.uses_get_class = True
        if member[1:] == _LOOKUP:
            self.into.class_literals.add(self.code.name)
        if member[1] in _NAMING:
            self.named[at] = member

    def _constant(self, place: int, depth: int = 0) -> None:
        tag = self.pool.tags[place]
        if tag == constant_pool.CLASS:
            self.into.class_literals.add(self.pool.class_name(place))
            self.into.loaded.add(self.pool.class_name(place))
        elif tag == constant_pool.METHOD_HANDLE:
            self._handle(place)
        elif tag == constant_pool.METHOD_TYPE:
            self.into.class_literals.update(classes_in_descriptor(self.pool.utf8_of(place, tag)))
        elif tag == constant_pool.DYNAMIC:
            self._dynamic(place, depth + 1)

    def _dynamic(self, place: int, depth: int = 0) -> None:
        if depth > _DEEPEST:
            return
        number, _, descriptor = self.pool.dynamic(place)
        maker, *arguments = self.code.bootstrap_methods[number]
        made = classes_in_descriptor(descriptor.rpartition(")")[2])
        self.into.loaded.update(classes_in_descriptor(descriptor))
        self._handle(maker)
        owner = self.pool.member(self.pool.method_handle(maker)[1])
        if not is_of_jdk(owner[0]):
            self.into.bootstrap_methods.add(owner)
        # What a lambda makes is an object of its interface, and of those that it is marked with.
        self.into.instantiated.update(made)
        for argument in arguments:
            tag = self.pool.tags[argument]
            if tag == constant_pool.CLASS:
                self.into.instantiated.add(self.pool.class_name(argument))
            elif tag == constant_pool.STRING:  # the label of a switch may be a class by its name
                name = self.pool.utf8_of(argument, tag).replace(".", "/")
                self.into.class_literals.update((name, *classes_in_descriptor(name)))
                self.into.initialized.update((name, *classes_in_descriptor(name)))
            self._constant(argument, depth)

    def _handle(self, place: int) -> None:
        kind, place = self.pool.method_handle(place)
        member, into = self._member(place, is_static=kind in _STATIC_HANDLES), self.into
        if kind in _FIELD_HANDLES:
            return
        (into.virtual_calls if kind in _VIRTUAL_HANDLES else into.direct_calls).add(member)
        if kind == _NEW_HANDLE:
            into.instantiated.add(member[0])
        into.uses_get_class |= member[1:] == _GET_CLASS
        if member[1] in _NAMING:
            into.constant_names[member].add(None)
