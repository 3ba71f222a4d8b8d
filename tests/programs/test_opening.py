"""Every function of the C library is classified by whether it can access a file."""

import re
import sys
from pathlib import Path

import pytest
import yaml

from steady.programs.elf import Elf
from steady.programs.same_program import opens, opens_by_name

HARMLESS = yaml.safe_load(Path(__file__).with_name("harmless.yml").read_text(encoding="utf-8"))
PATTERN = re.compile("|".join(f"(?:{one})" for text in HARMLESS.values() for one in text.split()))
LIBRARIES = [
    *Path("/lib").glob("*-linux-gnu/libc.so.6"),
    *Path("/lib64").glob("libc.so.6"),
    *Path("/lib").glob("ld-musl-*.so.1"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into the library of Linux")
def test_each_system_function_is_classified() -> None:
    assert LIBRARIES
    for library in LIBRARIES:
        elf = Elf.of(library.read_bytes())
        assert elf is not None
        names = elf.provided()
        assert len(names) > 1000
        assert [one for one in names if not opens(one) and not PATTERN.fullmatch(one)] == []
        assert [one for one in names if opens(one) and PATTERN.fullmatch(one)] == []


def test_functions_on_open_files_do_not_open_by_name() -> None:
    for name in ("fopen", "openat64", "catopen", "bindtextdomain", "setmntent", "unlink"):
        assert opens(name)
        assert opens_by_name(name)
    for name in ("fstat64", "dl_iterate_phdr", "_ZNSt13basic_filebufIcSt11char_traitsIcEEC1Ev"):
        assert opens(name)
        assert not opens_by_name(name)
