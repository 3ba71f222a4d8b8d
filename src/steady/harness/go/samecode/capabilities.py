"""Capabilities of a Go binary's benchmarks: opening files, and reading lines, names or the build.

The analysis starts at the ``Benchmark`` functions, ``init`` and ``TestMain`` that are not in Go's
standard library, and at every function that data references, because it may be called from
anywhere. It follows all calls (`functions`), but ignores code that only ``Test`` functions run. It
does not follow packages of the standard library that every test binary contains, such as
``testing``: they read files only for flags that steady does not pass, and lines only for messages.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from steady.harness.go.samecode.functions import Functions
from steady.samecode.reachability import closure

_NOT_FOLLOWED = re.compile(
    r"(?:main|testing|testing/internal/testdeps|runtime|runtime/(?:debug|pprof|trace|coverage)|time|"
    r"internal/(?:runtime/.*|sysinfo|bisect|godebug|poll|testlog|coverage/.*|fuzz|sync|abi)|"
    r"reflect|sync|sync/atomic)\.[^/]*"
)
_SYSTEM_CALLS = re.compile(
    r"syscall\.(?:Raw|raw)?(?:Syscall|Vfork).*|internal/runtime/syscall.*\.Syscall6(?:\.abi0)?"
)
_WITHOUT_FILE_NAMES = re.compile(
    r"syscall\.(?:Close|read|write|pread|pwrite|Seek|Fstat|munmap|mmap|wait4|fcntl|Getrusage|Uname|"
    r"pipe2|unlinkat|Mkdirat|Getcwd|prlimit1|Splice|sendfile|doCheckClonePidfd|Kill|Getdents|"
    r"getgroups|isCapDacOverrideSet|socket|bind|listen|connect|accept4?|getsockname|getpeername|"
    r"[gs]etsockopt\w*|sendto\w*|recvfrom\w*|sendmsg\w*|recvmsg\w*|Shutdown|Getpid|Getppid)|"
    r"os\.(?:checkPidfd|checkClonePidfd|\(\*Process\)\.pidfdSendSignal)|"
    r"internal/syscall/unix\.(?:Unlinkat|PidFDOpen|Waitid|CopyFileRange|GetRandom|KernelVersion)"
)
"""Functions that make system calls without the name of a file to read."""

_LISTING = re.compile(r"syscall\.(?:Getdents|ReadDirent)|internal/poll\.\(\*FD\)\.ReadDirent")
_STARTING_PROGRAMS = re.compile(
    r"syscall\.(?:forkExec|Exec|StartProcess|forkAndExecInChild)|plugin\..*"
)
_C_CODE = re.compile(r"\._C(?:func|2func|var|fpvar|macro)?_|\._cgo_|_cgoexp_")
_SYSTEM_CALL = b"\x0f\x05"
_SYSTEM_LIBRARIES = re.compile(r"(?:lib(?:c|m|dl|pthread|resolv|rt)|ld-linux-x86-64)\.so\.\d+")
_REVEALING = re.compile(
    r"runtime\.(?:[Cc]allers?|FuncForPC|Stack|CallersFrames|(?:func|file)line1?|funcname\w*|"
    r"\(\*(?:Frames|Func)\)\..*|\w*Profile\w*|traceback\w*)|"
    r"runtime/(?:pprof|trace)\..*|runtime/debug\.(?:Stack|PrintStack|ReadBuildInfo|modinfo)|"
    r"os\.[Ee]xecutable|debug/.*|internal/(?:buildcfg|saferio|zstd|xcoff)\..*"
)
"""Functions that reveal lines, names of functions, the build information, or the binary itself."""

_COMMANDS = "os/exec.(*Cmd)."
_TABLE_BYTES = 512
"""Upper bound for the bytes between the start of a type and the last entry of its method table."""

_OWN_FILE = b"/proc/self/exe"
_TEST = re.compile(
    r"(?:Test(?!Main\b)|Example|Fuzz)(?![a-z])\w*(?:\.(?:func|gowrap|deferwrap)\d.*)?"
)


@dataclass(frozen=True)
class Capabilities:
    """The capabilities of the benchmarks of a binary.

    Parameters
    ----------
    functions : Functions
        The functions of the binary.
    modules : sequence of str
        Import paths of the modules in it, which do not include Go's standard library.
    package : str
        Import path of the package under test.
    """

    functions: Functions
    modules: Sequence[str]
    package: str

    @cached_property
    def own(self) -> tuple[bool, ...]:
        """Whether each function is not in Go's standard library."""
        return tuple(map(self.is_own, self.functions.names))

    def is_own(self, symbol: str) -> bool:
        """Return whether a symbol is not in Go's standard library."""
        return self._of_modules.match(symbol) is not None

    @cached_property
    def _of_modules(self) -> re.Pattern[str]:
        paths = "|".join(re.escape(path) for path in {*self.modules, self.package} if path)
        return re.compile(rf"(?:{paths})(?=[./_\[])")

    @cached_property
    def _not_followed(self) -> frozenset[int]:
        names = enumerate(self.functions.names)
        return frozenset(
            i for i, name in names if not self.own[i] and _NOT_FOLLOWED.fullmatch(name)
        )

    @cached_property
    def _tests(self) -> frozenset[int]:
        """The functions of tests."""
        own = re.compile(rf"{re.escape(self.package)}(?:_test)?\.")
        return frozenset(
            i
            for i, name in enumerate(self.functions.names)
            if (begin := own.match(name)) and _TEST.fullmatch(name, begin.end())
        )

    @cached_property
    def reached(self) -> frozenset[int]:
        """All functions that the benchmarks may run, except those that are not followed."""
        started = re.compile(r"\.(?:Benchmark(?![a-z])\w*|TestMain|init(?:\.\d+)?)(?:\.|$)")
        names, referenced = self.functions.names, self.functions.referenced_by_data
        starts = [
            i
            for i, name in enumerate(names)
            if i not in self._not_followed
            and i not in self._tests
            and (referenced[i] or (self.own[i] and started.search(name)))
            and not name.startswith(
                ("os.(*File).", _COMMANDS)
            )  # they need an object that other code creates
        ]
        first = self._closure(starts)
        commands = [
            i for i, name in enumerate(names) if referenced[i] and name.startswith(_COMMANDS)
        ]
        if not any(
            self.functions.functions_referencing_type(one, _TABLE_BYTES) & first for one in commands
        ):
            return first
        return self._closure([*starts, *commands])

    def _closure(self, starts: Iterable[int]) -> frozenset[int]:
        calls, excluded = self.functions.calls, self._not_followed
        return frozenset(
            closure(starts, lambda caller: [one for one in calls[caller] if one not in excluded])
        )

    def _first(self, pattern: re.Pattern[str]) -> str:
        """Return the first reached or called function with a matching name; empty if none."""
        names, calls = self.functions.names, self.functions.calls
        for one in sorted(self.reached):
            if pattern.fullmatch(names[one]):
                return names[one]
            if self.own[one] or not _NOT_FOLLOWED.fullmatch(names[one]):
                for called in calls[one]:
                    if called in self._not_followed and pattern.fullmatch(names[called]):
                        return names[called]
        return ""

    @cached_property
    def opens(self) -> str:
        """The function with which the benchmarks may open files by name; empty if there is none."""
        if self.runs_foreign_code:
            return self.runs_foreign_code
        names, calls = self.functions.names, self.functions.calls
        for one in sorted(self.reached):
            if _SYSTEM_CALLS.fullmatch(names[one]) or _WITHOUT_FILE_NAMES.fullmatch(names[one]):
                continue
            if any(_SYSTEM_CALLS.fullmatch(names[called]) for called in calls[one]):
                return names[one]
        return ""

    @cached_property
    def lists(self) -> str:
        """The function with which the benchmarks may list folders; empty if there is none."""
        return self.runs_foreign_code or (self._first(_LISTING) if self.opens else "")

    @cached_property
    def runs_foreign_code(self) -> str:
        """Name of C code, a program or a system call that may run; empty if there is none."""
        functions = self.functions
        other = (one for one in functions.elf.needed() if not _SYSTEM_LIBRARIES.fullmatch(one))
        if library := next(other, ""):
            return library
        for number in (number for number, own in enumerate(self.own) if own):
            name, code = functions.names[number], functions.text[functions.code_range(number)]
            if _C_CODE.search(name) or (name.endswith(".abi0") and _SYSTEM_CALL in code.tobytes()):
                return name
        return self._first(_STARTING_PROGRAMS)

    @cached_property
    def reveals(self) -> str:
        """Name of a symbol that gives access to build information; empty if there is none.

        Build information includes line numbers, names of functions, and the binary itself.
        """
        if self.runs_foreign_code:
            return self.runs_foreign_code
        named = self._first(_REVEALING)
        return named or next((name for name, users in self._own_file if users & self.reached), "")

    @property
    def _own_file(self) -> list[tuple[str, frozenset[int]]]:
        """Data that names the binary itself, and the functions that reference it.

        Functions of Go's standard library are excluded.
        """
        functions, found = self.functions, []
        address = functions.elf.address_of("os.Args")
        if address is not None:
            found.append(("os.Args", functions.functions_referencing(address, 24)))
        section = functions.elf.sections[".rodata"]
        place = section.content.find(_OWN_FILE)
        if place >= 0:
            found.append(
                (_OWN_FILE.decode(), functions.functions_referencing(section.address + place))
            )
        return [(name, frozenset(i for i in own if self.own[i])) for name, own in found]
