"""Runs a module of steady as on a system that is not Linux: what that lacks is taken away.

    python tests/workflows/another_system.py win32 steady.cli run ...

Only modules of steady lose it: Python's own and libraries go on as they are, because they know by
themselves on which system they run. So this shows what steady asks of a system that it does not
have, and nothing about how that system behaves. Paths and Java's names stay those of this one.
"""

import builtins
import os
import runpy
import sys
from types import ModuleType
from typing import Any

LINUX_ONLY = {"os": {"O_DIRECT", "pidfd_open", "sched_getaffinity", "sched_setaffinity"}}

POSIX_ONLY = {
    "os": {
        *LINUX_ONLY["os"],
        *("chown", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid"),
        *("getloadavg", "getpgid", "getpgrp", "getuid", "kill_group", "killpg", "lchown", "mkfifo"),
        *("nice", "openpty", "posix_spawn", "pread", "pwrite", "set_blocking", "setpgid"),
        *("setsid", "sync", "sysconf", "uname", "wait3", "wait4", "WNOHANG", "O_NOFOLLOW"),
        *("O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC"),
    },
    "signal": {
        *("alarm", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"),
        *("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGSTOP", "SIGUSR1", "SIGUSR2"),
        *("SIGXCPU", "SIG_BLOCK", "SIG_SETMASK", "SIG_UNBLOCK"),
    },
    "select": {"epoll", "kqueue", "poll", "POLLIN", "POLLHUP", "POLLERR"},
    "socket": {"AF_UNIX"},
}

ABSENT = {
    "darwin": (LINUX_ONLY, {"msvcrt", "winreg"}),
    "win32": (
        POSIX_ONLY,
        {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"},
    ),
}
"""For each system, what standard modules lack there, and modules that are not there."""

_SYSTEM = "ANOTHER_SYSTEM"


class _Without(ModuleType):
    """A module without some of its names, and with others."""

    def __init__(self, whole: ModuleType, lacks: set[str], has: dict[str, Any]) -> None:
        self.__dict__.update(_whole=whole, _lacks=lacks, _has=has)

    def __getattr__(self, name: str) -> Any:
        if name in self._has:
            return self._has[name]
        if name in self._lacks:
            raise AttributeError(f"module has no attribute {name!r}", name=name, obj=self)
        return getattr(self._whole, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._whole, name, value)


def _locking(handle: int, mode: int, count: int) -> None:
    import fcntl

    fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _taken_away(system: str) -> None:
    lacks, gone = ABSENT[system]
    changed: dict[str, ModuleType] = {
        name: _Without(sys.modules.get(name) or __import__(name), names, {})
        for name, names in lacks.items()
    }
    changed["sys"] = _Without(sys, set(), {"platform": system})
    if system == "win32":
        changed["msvcrt"] = _Without(sys, set(), {"locking": _locking, "LK_NBLCK": 2})
    whole = builtins.__import__

    def imported(name: str, *rest: Any, **more: Any) -> ModuleType:
        importer = (rest[0] if rest else None) or {}
        if str(importer.get("__name__", "")).partition(".")[0] == "steady":
            if name in gone:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if name in changed:
                return changed[name]
        return whole(name, *rest, **more)

    builtins.__import__ = imported


if __name__ == "__main__":
    os.environ[_SYSTEM] = sys.argv[1]
if _SYSTEM in os.environ:  # also in a process that this one starts
    _taken_away(os.environ[_SYSTEM])
if __name__ == "__main__":
    module, sys.argv[1:] = sys.argv[2], sys.argv[3:]
    runpy.run_module(module, run_name="__main__", alter_sys=False)
