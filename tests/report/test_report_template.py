"""Templates of Markdown: all variables are escaped, except Markdown."""

import re
from importlib.resources import files
from typing import Any

import pytest

from steady.errors import InputError
from steady.report.document import Cell, Code, Name, Names, Row, Section
from steady.report.markdown import Markdown, _environment, characters, render_template, web_address
from tests.looped import looped
from tests.report.made import HOSTILE


def written(template: str, **content: Any) -> str:
    return _environment().from_string(template).render(content)


@looped(
    "template",
    [
        "{{ text }}",
        "{{ text|plain }}",
        "{{ text|plain(1000) }}",
        "{{ text|unbroken }}",
        "{{ text|upper }}",
        # Strings derived from Markdown are text again.
        "{{ ok ~ text }}",
        "{{ ok + text }}",
        "{{ [ok, text]|join }}",
        "{% set both = ok ~ text %}{{ both }}",
        "{% set both %}{{ text }}{% endset %}{{ both }}",
        "{% macro said(text) %}{{ text }}{% endmacro %}{{ said(text) }}",
        "{% for one in [text] %}{{ one }}{% endfor %}",
        "{{ (text, ' and ', text) }}",
    ],
)
def test_all_text_is_escaped(template: str) -> None:
    text = written(template, text=HOSTILE, ok=Markdown("**ok** "))
    assert not re.search(r"(?<!\\)<(img|!--)", text)
    assert not re.search("@(?!\u2060)", text)
    assert "://evil" not in text
    assert "\n" not in text
    assert "\u202e" not in text


def test_markdown_and_the_template_s_own_text_are_unchanged() -> None:
    assert written("**a** {{ ok }}", ok=Markdown("**b**")) == "**a** **b**"
    assert written("{{ '**c**' }}") == r"\*\*c\*\*"
    assert written("{{ number }}", number=1200) == "1,200"
    names = Names((Name("a.B", "[n=1]"), Name("c")))
    assert written("{{ words }}", words=("see ", names, Code("x|y"))) == "see `a.B [n=1]`, `c``x|y`"


def test_text_at_the_beginning_of_a_line_starts_no_list_or_heading() -> None:
    assert written("{{ text }}", text="1. x") == r"1\. x"
    assert written("{{ text }}", text="- x") == r"\- x"


def test_other_types_in_a_template_are_an_error() -> None:
    with pytest.raises(TypeError, match=r"cannot write 1\.5"):
        written("{{ value }}", value=1.5)
    with pytest.raises(TypeError, match="cannot write Undefined"):
        written("{{ missing }}")


def test_only_a_url_becomes_a_link() -> None:
    assert written("[x]({{ url|address }})", url="https://a.example/_b") == (
        "[x](https://a.example/_b)"
    )
    for bad in ("javascript:alert(1)", "https://x.example/a)b", "https://x y", ""):
        with pytest.raises(InputError, match="not the address of a web page"):
            web_address(bad)


def test_rows_replace_their_placeholders_as_separate_paragraphs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    template = (
        "{{ text }}\n\n\n\n{{ rows(first) }}\n{% if x %}{% endif %}\n\n{{ rows(empty) }}\n\nend"
    )
    environment = _environment().overlay()
    monkeypatch.setattr("steady.report.markdown._environment", lambda: environment)
    monkeypatch.setattr(environment, "get_template", lambda _: environment.from_string(template))
    listed = tuple(Row((Cell(name),)) for name in "ab")
    sections = {
        "first": Section("", "row", "rows", listed),
        "empty": Section("Nothing", "row", "rows", ()),
    }

    def text(limit: int) -> str:
        return render_template("x", "there", limit, characters, text="\0000\0", x=1, **sections)

    # No text can imitate the placeholder of rows.
    assert text(1000) == "\\\\x000\\\\x00\n\n- a\n- b\n\nend\n"
    assert text(55) == "\\\\x000\\\\x00\n\n- a\n\n1 more row in there.\n\nend\n"


def test_the_only_verbatim_text_in_templates_is_lines_to_paste() -> None:
    templates = (files("steady.report") / "templates").iterdir()
    found = {t.name: re.findall(r"\{\{[^}]*verbatim[^}]*\}\}", t.read_text()) for t in templates}
    assert {name: own for name, own in found.items() if own} == {
        "comment.md.j2": ["{{ line.text|verbatim }}"]
    }
