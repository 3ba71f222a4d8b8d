"""References in the code of a method: classes, calls, and constant names in calls.

Source: JVMS 5.4.3 (resolution), 5.5 (initialization), 6.5 (the instructions), 4.7.23 (bootstrap
methods); JLS 15.27.4 (a lambda's object), java.lang.invoke.LambdaMetafactory.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from steady.harness.jmh.samecode import constant_pool as constant_pool
from steady.harness.jmh.samecode import instructions
from steady.harness.jmh.samecode.class_file import (
    ClassFile,
    MethodCode,
    Signature,
    classes_in_descriptor,
)
from steady.harness.jmh.samecode.constant_pool import Member
from steady.harness.jmh.samecode.instructions import constant_strings, is_class_only_compared
from steady.harness.jmh.samecode.jdk_effects import is_of_jdk

_BY_NAME = frozenset(
    {
        *("forName", "loadClass", "findClass", "findSystemClass", "findLoadedClass", "getBundle"),
        *("getMethod", "getDeclaredMethod", "findStatic", "findVirtual"),
        *("getResource", "getResources", "getResourceAsStream", "findResource", "findResources"),
        *("getSystemResource", "getSystemResources", "getSystemResourceAsStream", "resources"),
    }
)
"""Names of JDK methods with an argument that names a class, a member or a file."""

_GET_CLASS = ("getClass", "()Ljava/lang/Class;")
_LOOKUP = ("lookup", "()Ljava/lang/invoke/MethodHandles$Lookup;")
_FIELD_HANDLES = range(1, 5)
_VIRTUAL_HANDLES = (5, 9)
_STATIC_HANDLES = (2, 4, 6)
_CONSTRUCTOR_HANDLE = 8
_STATIC = (instructions.GETSTATIC, instructions.PUTSTATIC, instructions.INVOKESTATIC)
_ARRAYS = (instructions.ANEWARRAY, instructions.MULTIANEWARRAY)
_TYPES = frozenset({*_ARRAYS, instructions.CHECKCAST, instructions.INSTANCEOF})
_DEEPEST = 8


@dataclass
class MethodReferences:
    """References in the code of methods.

    Parameters
    ----------
    loaded : set of str
        Classes that the code names.
    initialized : set of str
        Classes whose static fields or methods the code uses.
    instantiated : set of str
        Classes that the code instantiates.
    array_elements : set of str
        Classes of whose type the code creates arrays.
    class_literals : set of str
        Classes whose ``Class`` object the code has.
    direct_calls : set of Member
        Methods that are called without selection: static, constructors, or by ``super``.
    virtual_calls : set of Member
        Methods that are selected by the class of an object.
    bootstrap_methods : set of Member
        Bootstrap methods of dynamic calls, except those of the JDK.
    uses_get_class : bool
        Whether the code stores a result of ``getClass`` or passes it on.
    constant_names : dict of Member to set
        Constant names passed to each method that finds by name; None for other values.
    """

    loaded: set[str] = field(default_factory=set)
    initialized: set[str] = field(default_factory=set)
    instantiated: set[str] = field(default_factory=set)
    array_elements: set[str] = field(default_factory=set)
    class_literals: set[str] = field(default_factory=set)
    direct_calls: set[Member] = field(default_factory=set)
    virtual_calls: set[Member] = field(default_factory=set)
    bootstrap_methods: set[Member] = field(default_factory=set)
    uses_get_class: bool = False
    constant_names: dict[Member, set[str | None]] = field(default_factory=lambda: defaultdict(set))


def add_references(file: ClassFile, signature: Signature, into: MethodReferences) -> None:
    """Add the references in the code of a method.

    Raises
    ------
    MalformedError
        If the code cannot be decoded.
    """
    method = file.methods[signature]
    into.loaded.update(classes_in_descriptor(signature[1]))
    if method.start:
        _Reader(file, method, into).read()


class _Reader:
    def __init__(self, file: ClassFile, method: MethodCode, into: MethodReferences) -> None:
        self.file = file
        self.pool = file.pool
        self.method = method
        self.into = into
        self.by_name: dict[int, Member] = {}

    def read(self) -> None:
        body = instructions.bytecode_of(self.file.data, self.method)
        known = set[tuple[int, int]]()
        for opcode, index, at in instructions.constant_uses(body):
            if (opcode, index) not in known:
                known.add((opcode, index))
                self._use(opcode, index)
            if instructions.INVOKEVIRTUAL <= opcode <= instructions.INVOKEINTERFACE:
                self._call(index, body, at)
        if self.by_name:
            descriptors = {at: member[2] for at, member in self.by_name.items()}
            strings = constant_strings(self.file, body, descriptors)
            for at, member in self.by_name.items():
                self.into.constant_names[member].add(strings.get(at))
        for index in instructions.caught_types(self.file, self.method):
            self.into.loaded.add(self.pool.class_name(index))
        self.into.loaded.discard("")

    def _use(self, opcode: int, index: int) -> None:
        into, pool = self.into, self.pool
        if opcode == instructions.LDC:
            self._constant(index)
        elif opcode == instructions.INVOKEDYNAMIC:
            self._dynamic(index)
        elif opcode == instructions.NEW:
            into.instantiated.add(pool.class_name(index))
        elif opcode in _TYPES:
            into.loaded.add(pool.class_name(index))
            if opcode in _ARRAYS:
                into.array_elements.add(pool.class_name(index))
        else:
            member = self._member(index, is_static=opcode in _STATIC)
            if opcode in (instructions.INVOKEVIRTUAL, instructions.INVOKEINTERFACE):
                into.virtual_calls.add(member)
            elif opcode in (instructions.INVOKESPECIAL, instructions.INVOKESTATIC):
                into.direct_calls.add(member)

    def _member(self, index: int, *, is_static: bool) -> Member:
        """Add a used field or method, and return it."""
        member = self.pool.member(index)
        self.into.loaded.update((member[0], *classes_in_descriptor(member[2])))
        if is_static:
            self.into.initialized.add(member[0])
        return member

    def _call(self, index: int, body: bytes, at: int) -> None:
        member = self.pool.member(index)
        if member[1:] == _GET_CLASS and not is_class_only_compared(self.file, body, at):
            self.into.uses_get_class = True
        if member[1:] == _LOOKUP:
            self.into.class_literals.add(self.file.name)
        if member[1] in _BY_NAME:
            self.by_name[at] = member

    def _constant(self, index: int, depth: int = 0) -> None:
        tag = self.pool.tags[index]
        if tag == constant_pool.CLASS:
            self.into.class_literals.add(self.pool.class_name(index))
            self.into.loaded.add(self.pool.class_name(index))
        elif tag == constant_pool.METHOD_HANDLE:
            self._method_handle(index)
        elif tag == constant_pool.METHOD_TYPE:
            self.into.class_literals.update(classes_in_descriptor(self.pool.utf8_of(index, tag)))
        elif tag == constant_pool.DYNAMIC:
            self._dynamic(index, depth + 1)

    def _dynamic(self, index: int, depth: int = 0) -> None:
        if depth > _DEEPEST:
            return
        number, _, descriptor = self.pool.dynamic(index)
        bootstrap, *arguments = self.file.bootstrap_methods[number]
        returned = classes_in_descriptor(descriptor.rpartition(")")[2])
        self.into.loaded.update(classes_in_descriptor(descriptor))
        self._method_handle(bootstrap)
        owner = self.pool.member(self.pool.method_handle(bootstrap)[1])
        if not is_of_jdk(owner[0]):
            self.into.bootstrap_methods.add(owner)
        # A lambda is an instance of its interface, and of its marker interfaces.
        self.into.instantiated.update(returned)
        for argument in arguments:
            tag = self.pool.tags[argument]
            if tag == constant_pool.CLASS:
                self.into.instantiated.add(self.pool.class_name(argument))
            elif tag == constant_pool.STRING:  # a label of a switch may be the name of a class
                name = self.pool.utf8_of(argument, tag).replace(".", "/")
                self.into.class_literals.update((name, *classes_in_descriptor(name)))
                self.into.initialized.update((name, *classes_in_descriptor(name)))
            self._constant(argument, depth)

    def _method_handle(self, index: int) -> None:
        kind, index = self.pool.method_handle(index)
        member, into = self._member(index, is_static=kind in _STATIC_HANDLES), self.into
        if kind in _FIELD_HANDLES:
            return
        (into.virtual_calls if kind in _VIRTUAL_HANDLES else into.direct_calls).add(member)
        if kind == _CONSTRUCTOR_HANDLE:
            into.instantiated.add(member[0])
        into.uses_get_class |= member[1:] == _GET_CLASS
        if member[1] in _BY_NAME:
            into.constant_names[member].add(None)
