"""What the benchmarks of a Go binary can see beside their code: files, lines, names, the build.

The benchmarks' own code is what does not belong to Go's library: `Benchmark` functions, `init` and
`TestMain`, and every function that data names, because somebody may call it. From there all ways
are followed (`functions`). What only ``Test`` functions run does not count. Packages of Go's
library that every test binary holds for itself, such as ``testing``, are not followed: they read
files only for flags that steady does not give, and lines only for what they print.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from steady.harness.go.samecode.functions import Functions

_NOT_FOLLOWED = re.compile(
    r"(?:main|testing|testing/internal/testdeps|runtime|runtime/(?:debug|pprof|trace|coverage)|time|"
    r"internal/(?:runtime/.*|sysinfo|bisect|godebug|poll|testlog|coverage/.*|fuzz|sync|abi)|"
    r"reflect|sync|sync/atomic)\.[^/]*"
)
_GATES = re.compile(
    r"syscall\.(?:Raw|raw)?(?:Syscall|Vfork).*|internal/runtime/syscall.*\.Syscall6(?:\.abi0)?"
)
_HARMLESS = re.compile(
    r"syscall\.(?:Close|read|write|pread|pwrite|Seek|Fstat|munmap|mmap|wait4|fcntl|Getrusage|Uname|"
    r"pipe2|unlinkat|Mkdirat|Getcwd|prlimit1|Splice|sendfile|doCheckClonePidfd|Kill|Getdents|"
    r"getgroups|isCapDacOverrideSet|socket|bind|listen|connect|accept4?|getsockname|getpeername|"
    r"[gs]etsockopt\w*|sendto\w*|recvfrom\w*|sendmsg\w*|recvmsg\w*|Shutdown|Getpid|Getppid)|"
    r"os\.(?:checkPidfd|checkClonePidfd|\(\*Process\)\.pidfdSendSignal)|"
    r"internal/syscall/unix\.(?:Unlinkat|PidFDOpen|Waitid|CopyFileRange|GetRandom|KernelVersion)"
)
"""What calls the system without the name of a file that it looks at."""

_LISTING = re.compile(r"syscall\.(?:Getdents|ReadDirent)|internal/poll\.\(\*FD\)\.ReadDirent")
_PROGRAMS = re.compile(r"syscall\.(?:forkExec|Exec|StartProcess|forkAndExecInChild)|plugin\..*")
_C_CODE = re.compile(r"\._C(?:func|2func|var|fpvar|macro)?_|\._cgo_|_cgoexp_")
_SYSTEM_CALL = b"\x0f\x05"
_SYSTEM_LIBRARIES = re.compile(r"(?:lib(?:c|m|dl|pthread|resolv|rt)|ld-linux-x86-64)\.so\.\d+")
_REVEALING = re.compile(
    r"runtime\.(?:[Cc]allers?|FuncForPC|Stack|CallersFrames|(?:func|file)line1?|funcname\w*|"
    r"\(\*(?:Frames|Func)\)\..*|\w*Profile\w*|traceback\w*)|"
    r"runtime/(?:pprof|trace)\..*|runtime/debug\.(?:Stack|PrintStack|ReadBuildInfo|modinfo)|"
    r"os\.[Ee]xecutable|debug/.*|internal/(?:buildcfg|saferio|zstd|xcoff)\..*"
)
"""What reveals lines, names of functions, the description of the build, or the binary itself."""

_COMMANDS = "os/exec.(*Cmd)."
_TABLE_BYTES = 512
"""More than lies between the beginning of a type and the last entry of its table of methods."""

_OWN_FILE = b"/proc/self/exe"
_TEST = re.compile(
    r"(?:Test(?!Main\b)|Example|Fuzz)(?![a-z])\w*(?:\.(?:func|gowrap|deferwrap)\d.*)?"
)


@dataclass(frozen=True)
class Reach:
    """What the benchmarks of a binary can come to.

    Parameters
    ----------
    functions : Functions
        Of the binary.
    modules : sequence of str
        The import paths of the modules in it: what does not belong to Go's library.
    package : str
        The import path of the package under test.
    """

    functions: Functions
    modules: Sequence[str]
    package: str

    @cached_property
    def own(self) -> tuple[bool, ...]:
        """Which functions do not belong to Go's library."""
        return tuple(map(self.is_own, self.functions.names))

    def is_own(self, symbol: str) -> bool:
        """Tell whether a symbol does not belong to Go's library."""
        return self._of_modules.match(symbol) is not None

    @cached_property
    def _of_modules(self) -> re.Pattern[str]:
        paths = "|".join(re.escape(path) for path in {*self.modules, self.package} if path)
        return re.compile(rf"(?:{paths})(?=[./_\[])")

    @cached_property
    def _passed_over(self) -> frozenset[int]:
        names = enumerate(self.functions.names)
        return frozenset(
            i for i, name in names if not self.own[i] and _NOT_FOLLOWED.fullmatch(name)
        )

    @cached_property
    def _tests(self) -> frozenset[int]:
        """What is only a test's."""
        own = re.compile(rf"{re.escape(self.package)}(?:_test)?\.")
        return frozenset(
            i
            for i, name in enumerate(self.functions.names)
            if (begin := own.match(name)) and _TEST.fullmatch(name, begin.end())
        )

    @cached_property
    def reached(self) -> frozenset[int]:
        """All functions that the benchmarks may run, and that count."""
        started = re.compile(r"\.(?:Benchmark(?![a-z])\w*|TestMain|init(?:\.\d+)?)(?:\.|$)")
        names, named = self.functions.names, self.functions.in_data
        starts = [
            i
            for i, name in enumerate(names)
            if i not in self._passed_over
            and i not in self._tests
            and (named[i] or (self.own[i] and started.search(name)))
            and not name.startswith(("os.(*File).", _COMMANDS))  # who has none does not call them
        ]
        first = self.functions.reached(starts, self._passed_over)
        commands = [i for i, name in enumerate(names) if named[i] and name.startswith(_COMMANDS)]
        if not any(self.functions.names_table_of(one, _TABLE_BYTES) & first for one in commands):
            return first
        return self.functions.reached([*starts, *commands], self._passed_over)

    def _first(self, pattern: re.Pattern[str]) -> str:
        """Return a function that is reached, or called from there, of some names; empty if none."""
        names, calls = self.functions.names, self.functions.calls
        for one in sorted(self.reached):
            if pattern.fullmatch(names[one]):
                return names[one]
            if self.own[one] or not _NOT_FOLLOWED.fullmatch(names[one]):
                for called in calls.get(one, ()):
                    if called in self._passed_over and pattern.fullmatch(names[called]):
                        return names[called]
        return ""

    @cached_property
    def opens(self) -> str:
        """A function by which the benchmarks may open files by name; empty if they cannot."""
        if self.calls_others:
            return self.calls_others
        names, calls = self.functions.names, self.functions.calls
        for one in sorted(self.reached):
            if _GATES.fullmatch(names[one]) or _HARMLESS.fullmatch(names[one]):
                continue
            if any(_GATES.fullmatch(names[called]) for called in calls.get(one, ())):
                return names[one]
        return ""

    @cached_property
    def lists(self) -> str:
        """A function by which they may find files without a name; empty if they cannot."""
        return self.calls_others or (self._first(_LISTING) if self.opens else "")

    @cached_property
    def calls_others(self) -> str:
        """What they may run that is not looked into: C, other programs, the system itself."""
        functions = self.functions
        other = (one for one in functions.elf.needed() if not _SYSTEM_LIBRARIES.fullmatch(one))
        if library := next(other, ""):
            return library
        for number in (number for number, own in enumerate(self.own) if own):
            name, code = functions.names[number], functions.text[functions.range_of(number)]
            if _C_CODE.search(name) or (name.endswith(".abi0") and _SYSTEM_CALL in code.tobytes()):
                return name
        return self._first(_PROGRAMS)

    @cached_property
    def reveals(self) -> str:
        """What shows them lines, names, the build or the binary; empty if nothing does."""
        if self.calls_others:
            return self.calls_others
        named = self._first(_REVEALING)
        return named or next((what for what, refers in self._own_file if refers & self.reached), "")

    @property
    def _own_file(self) -> list[tuple[str, frozenset[int]]]:
        """What names the binary itself, and which functions outside of Go's library name that."""
        functions, found = self.functions, []
        address = functions.elf.address_of("os.Args")
        if address is not None:
            found.append(("os.Args", functions.referring(address, 24)))
        section = functions.elf.sections[".rodata"]
        place = section.content.find(_OWN_FILE)
        if place >= 0:
            found.append((_OWN_FILE.decode(), functions.referring(section.address + place)))
        return [(name, frozenset(i for i in own if self.own[i])) for name, own in found]
