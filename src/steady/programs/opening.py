"""System functions by which a program can access a file.

`tests/programs/test_opening.py` checks these names against all functions of the C library.
"""

import re

_NAMED = re.compile(
    r"_{0,2}(f?open(at|dir|at2)?|creat|freopen|p?open|(shm|mq|sem)_open|dlm?open|catopen|fs(open|pick))"
    r"(64)?(_2)?(at)?(_nocancel)?"
    r"|_IO_(file_f?open|fopen|popen|proc_open)\w*|(name_to|open_by)_handle_at|open_tree"
    r"|_{0,2}[lf]?x?stat(at|x|fs|vfs)?(64)?|_{0,2}f?access(at)?|euidaccess|eaccess"
    r"|_{0,2}(readlink(at)?|realpath)(_chk)?|canonicalize_file_name|[lf]?(get|set|list|remove)xattr|f?pathconf"
    r"|scandir(at)?(64)?|n?ftw(64)?|fts(64)?_open|glob(64)?|wordexp|ftok"
    r"|system|__libc_system|f?exec\w+|_{0,2}vfork|(posix|pidfd)_spawnp?|syscall|uselib"
    r"|posix_spawn_file_actions_add(open|chdir(_np)?)|chdir|chroot|pivot_root|acct"
    r"|u?mount2?|mount_setattr|move_mount|swapo(n|ff)|quotactl|bindtextdomain|_{0,2}setmntent"
    r"|inotify_add_watch|fanotify_mark|utmpx?name|updwtmpx?|ruserpass"
    r"|rename(at2?)?|remove|rmdir|(sym)?link(at)?|unlink(at)?|mk(dir|fifo|nod)(at)?|_{0,2}xmknod(at)?"
    r"|truncate(64)?|l?chmod|fchmodat|l?chown|fchownat|l?utimes?|futimesat|utimensat|__nss_files_fopen"
    r"|mk(os|s|d)?temps?(64)?|tempnam|__mktemp|fattach|fdetach|revoke|chflags|__open_catalog|__shm_get_name"
)
_STREAMS = re.compile(r"basic_filebuf|basic_[io]?fstream|10filesystem|__basic_file")
"""Parts of names in the C++ library, which calls the functions above."""
_PLACE = re.compile(
    r"dladdr1?|dlv?sym|dl_iterate_phdr|getauxval|program_invocation(_short)?_name|__progname(_full)?"
)
"""Functions that return the location of the program, or a function by its name."""
_BY_NUMBER = re.compile(r"_{0,2}f(x?stat|statv?fs)(64)?|f(get|set|list|remove)xattr|fpathconf")
"""Functions that act on a file that is already open."""


def opens(function: str) -> bool:
    """Return whether a program that calls this function may find, open or run a file with it."""
    named = any(one.fullmatch(function) for one in (_NAMED, _PLACE))
    return named or _STREAMS.search(function) is not None


def opens_by_name(function: str) -> bool:
    """Return whether the function itself accesses a file by its name."""
    return _NAMED.fullmatch(function) is not None and not _BY_NUMBER.fullmatch(function)
