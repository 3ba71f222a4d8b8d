"""Real programs, with and without an identical code path."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from steady.model import Identity
from steady.programs.elf import Elf
from steady.programs.program_kind import Place
from steady.programs.same_program import ProgramBuilds, difference

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks into programs of Linux"),
    pytest.mark.needs("gcc"),
]


def compiled(path: Path, source: str, *options: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    language = "-xc++" if "-lstdc++" in options else "-xc"
    command = ["gcc", language, "-", "-xnone", "-o", str(path), *options]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


def pair(folder: Path, source: str, *options: str) -> tuple[Path, Path]:
    """Return a program and its copy in another folder."""
    base, head = folder / "base" / "tool", folder / "head" / "tool"
    compiled(base, source, *options)
    head.parent.mkdir(exist_ok=True)
    shutil.copy(base, head)
    return base, head


PLAIN = '#include <stdio.h>\nint main(void) { puts("x"); return 0; }\n'


def test_equal_programs_that_open_nothing_are_the_same(tmp_path: Path) -> None:
    base, head = pair(tmp_path, PLAIN)
    assert difference(base, head) == ""
    head.write_bytes(head.read_bytes() + b"\0")
    assert difference(base, head) == "'tool' differs"
    # The same file is the same whatever it does.
    path = tmp_path / "x"
    path.write_text("#!/bin/sh\ncat data\n")
    (tmp_path / "link").symlink_to(path)
    assert difference(path, tmp_path / "link") == ""


def test_file_accesses_count_as_differences(tmp_path: Path) -> None:
    for number, (include, call) in enumerate(
        (
            ("fcntl", 'open("data", 0)'),
            ("stdio", 'fopen("data", "r") != 0'),
            ("stdio", 'popen("cat data", "r") != 0'),
            ("dirent", 'opendir(".")'),
            ("sys/stat", 'mkdir("x", 0) + lstat("data", (struct stat *)v)'),
            ("unistd", 'access("data", 0)'),
            ("unistd", 'execvp("cat", v)'),
            ("unistd", 'readlink("/proc/self/exe", v[0], 1)'),
            ("stdlib", 'system("cat data")'),
            ("dlfcn", 'dlopen("./plugin", 1) != 0'),
            ("unistd", "syscall(2, v[0], 0)"),
            ("glob", "glob(v[0], 0, 0, (glob_t *)v)"),
            ("spawn", "posix_spawn(0, v[0], 0, 0, v, v)"),
            ("spawn", "posix_spawn_file_actions_addopen((void *)v, 3, v[0], 0, 0)"),
            ("nl_types", "catopen(v[0], 0)"),
            ("mntent", "setmntent(v[0], v[1]) != 0"),
            ("libintl", "bindtextdomain(v[0], v[1])"),
            ("fcntl", "open_by_handle_at(3, (void *)v, 0)"),
            ("unistd", "chdir(v[0])"),
        )
    ):
        main = f"int main(int n, char **v) {{ return n + (int)(long)({call}); }}\n"
        both = pair(tmp_path / str(number), f"#define _GNU_SOURCE\n#include <{include}.h>\n{main}")
        assert "may read files that differ (it calls " in difference(*both)


@pytest.mark.needs("g++")
def test_streams_of_cpp_are_files(tmp_path: Path) -> None:
    source = '#include <fstream>\nint main() { std::ifstream f("d"); int n; f >> n; return n; }\n'
    both = pair(tmp_path, source, "-lstdc++")
    assert "may read files" in difference(*both)


def test_a_program_on_the_search_path_is_unknown(tmp_path: Path) -> None:
    own, held = Place(tmp_path / "tool"), {"base": [Identity("x")], "head": [Identity("x")]}
    for words in (("tool",), ("./absent",)):
        (one,) = ProgramBuilds([own, Place(tmp_path, words)]).decisions(held)
        assert one.why == "the program that runs is unknown"


LIBRARY = "int work(void) {{ return {number}; }}\n"
USER = "int work(void); int main(void) { return work(); }\n"


def with_library(folder: Path, *options: str, head: str = LIBRARY.format(number=1)) -> str:
    """Say the difference of two equal programs, each of which has a library beside it."""
    for side, source in (("base", LIBRARY.format(number=1)), ("head", head)):
        compiled(folder / side / "lib" / "libwork.so", source, "-shared", "-fPIC")
    found = f"-L{folder}/base/lib"
    return difference(*pair(folder, USER, found, "-lwork", *options))


def test_a_library_beside_the_program_counts(tmp_path: Path) -> None:
    path = "-Wl,-rpath,$ORIGIN/lib"
    assert with_library(tmp_path / "a", path) == ""
    other = LIBRARY.format(number=2)
    assert with_library(tmp_path / "b", path, head=other) == "'libwork.so' differs"
    opens = '#include <stdlib.h>\nint work(void) { return system("x"); }\n'
    assert "'libwork.so' differs" in with_library(tmp_path / "c", path, head=opens)
    # As one that only one of them has, and one of the system that may read files.
    compiled(tmp_path / "a" / "head" / "lib" / "libc.so.6", PLAIN, "-shared", "-fPIC")
    both = (tmp_path / "a" / side / "tool" for side in ("base", "head"))
    assert "'libc.so.6' exists in one version" in difference(*both)
    assert "'libwork.so', which may read files" in with_library(tmp_path / "d")
    for number, unknown in enumerate(("lib", "$ORIGIN/$LIB", "$PLATFORM")):
        why = with_library(tmp_path / str(number), f"-Wl,-rpath,{unknown}")
        assert "unknown search path for its libraries" in why


def test_relative_library_paths_count_as_differences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = pair(tmp_path, PLAIN)
    for path, why in (("/opt/lib", ""), ("/opt/lib:lib", "LD_LIBRARY_PATH"), (":", "LD_LIBRARY")):
        monkeypatch.setenv("LD_LIBRARY_PATH", path)
        assert difference(*both).startswith(why)
        assert bool(difference(*both)) == bool(why)


def test_static_programs_and_scripts_count_as_differences(tmp_path: Path) -> None:
    for option in ("-static", "-static-pie"):
        static = pair(tmp_path / option, PLAIN, option)
        assert "does not list the libraries that it loads" in difference(*static)
    (tmp_path / "a").write_text("#!/bin/sh\n")
    (tmp_path / "b").write_text("#!/bin/sh\n")
    assert "does not list" in difference(tmp_path / "a", tmp_path / "b")
    assert "cannot be read" in difference(tmp_path / "a", tmp_path / "absent")


def looked_into(content: bytes) -> None:
    elf = Elf.of(content)
    if elf is not None:
        assert isinstance(elf.needed(), tuple)
        assert isinstance(elf.foreign(), list)
        assert isinstance(elf.delegates(), bool)


def test_damaged_files_are_no_programs(tmp_path: Path) -> None:
    whole = compiled(tmp_path / "tool", PLAIN).read_bytes()
    elf = Elf.of(whole)
    assert elf is not None
    assert elf.needed() == ("libc.so.6",)
    assert "puts" in elf.foreign()
    for length in range(0, len(whole), 97):
        looked_into(whole[:length])
    for place in range(0, 4096, 7):
        spoilt = bytearray(whole)
        spoilt[place] ^= 0xFF
        looked_into(bytes(spoilt))
    at = int.from_bytes(whole[40:48], "little")
    for place in range(at, len(whole)):
        spoilt = bytearray(whole)
        spoilt[place] ^= 0xFF
        looked_into(bytes(spoilt))
