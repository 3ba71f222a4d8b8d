"""``/steady accept``: permissions and parsing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standin import BOT, REPOSITORY, StandIn

from steady.github import connect
from steady.github.acceptances import Acceptances, commands, find_acceptances
from steady.settings.repo_settings import DEFAULT_BOUND, SOURCE, Acceptance, parse_accept
from tests.looped import looped

ASKED = r"/collaborators/[^/]+/permission$"


def accepts(state: StandIn) -> Acceptances:
    return find_acceptances(connect("token", state.url), REPOSITORY, 7)


@looped(
    ("role", "counts"),
    [
        *(("admin", True), ("maintain", True), ("write", True)),
        *(("triage", False), ("read", False), ("none", False)),
    ],
)
def test_only_people_with_push_access_can_accept(github: StandIn, role: str, counts: bool) -> None:
    github.roles["bea"] = role
    github.comments.clear()
    github.add_comment("/steady accept Bench.get it checks its input", "bea")
    entry = Acceptance("Bench.get", "it checks its input", bound=0.2, author="bea", source=SOURCE)
    assert accepts(github) == (Acceptances((entry,)) if counts else Acceptances(others=("bea",)))


def test_the_permission_of_each_author_is_requested_once(github: StandIn) -> None:
    github.unknown.add("ghost")
    for _ in range(3):
        github.add_comment("/steady accept a b\n/steady accept c d", "ada")
        github.add_comment("/steady accept a b", "stranger")
        github.add_comment("slow, is it not?", "reader")
    github.add_comment("/steady accept a b", "ada", number=8)
    github.add_comment("/steady accept a b", "ghost")  # a deleted user
    accepted = accepts(github)
    assert len(accepted.entries) == 6
    assert accepted.others == ("stranger", "ghost")
    asked = [request.path.split("/")[-2] for request in github.sent("GET", ASKED)]
    assert asked == ["ada", "stranger", "ghost"]


def test_comments_by_bots_and_by_steady_are_ignored(github: StandIn) -> None:
    github.roles |= {BOT: "admin", "evil[bot]": "admin"}
    github.add_comment("/steady accept * because", BOT)
    github.add_comment("/steady accept * because", "evil[bot]")
    github.add_comment("<!-- steady:default -->\n/steady accept * because", "ada")
    assert accepts(github) == Acceptances()
    assert github.sent("GET", ASKED) == []


def test_invalid_commands_are_reported_and_valid_ones_count(github: StandIn) -> None:
    github.add_comment("/steady accept\n/steady accept a b\ud83d\n/steady accept a", "ada")
    github.add_comment("Well,\n/steady accept a b", "ada")
    accepted = accepts(github)
    # A lone surrogate cannot be written to a file.
    assert [(entry.pattern, entry.reason) for entry in accepted.entries] == [("a", "b?")]
    assert [text.partition(";")[0] for text in accepted.problems] == [
        f"a `/steady accept` by ada is ignored: {problem}"
        for problem in (
            "it does not name a benchmark",
            "it does not give a reason",
            "it must be at the beginning of the comment",
        )
    ]


LATE = "it must be at the beginning of the comment"
CONTROL = "it contains a control character or a line separator; type the line again"


@looped(
    ("body", "arguments"),
    [
        ("/steady accept a b", [" a b"]),
        ("/steady accept a b\r\nthat is all", [" a b"]),
        ("/steady\taccept  a  b  ", ["  a  b  "]),
        ("\n \t\n/steady accept a b\n\n```\nx", [" a b"]),
        *(
            (f"/steady accept a b{end}/steady accept c d", [" a b", " c d"])
            for end in ("\n", "\r\n", "\r", "\n\n")
        ),
        ("> /steady accept a b", []),
        (" /steady accept a b", []),
        ("`/steady accept a b`", []),
        ("/steady accepting a b", []),
        ("/Steady Accept a b", []),
        ("/steadyaccept a b", []),
        ("", []),
    ],
)
def test_commands_count_at_the_beginning_of_a_comment(body: str, arguments: list[str]) -> None:
    assert list(commands(body)) == [(text, "") for text in arguments]


@looped("above", [
    "Well,", "> Thanks!", "- q", "```", "~~~ java", "`", "<!-- for example:", "<details>\n",
    "<pre>\n\nx", '[a]: x "', "[^1]: a", "![", "a | b\n--|--", "\u2003", "\v", "\0",
])  # fmt: skip
def test_commands_after_other_text_are_rejected(above: str) -> None:
    assert list(commands(f"{above}\n/steady accept * why\n")) == [(" * why", LATE)]


@looped("separator", [*"\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\0", "\x1b"])
def test_line_separators_within_a_line_begin_no_command(separator: str) -> None:
    # An untrusted comment, and a maintainer's answer that quotes it.
    for quoted in ("> Thanks!", "Thanks!", "- Thanks!", ""):
        text = f"{quoted}{separator}/steady accept * it is meant\n\nYou are welcome."
        assert list(commands(text)) == []
    [(_, obstacle)] = commands(f"/steady accept a b{separator}/steady accept * c")
    assert obstacle == CONTROL


@looped(
    ("text", "pattern", "bound", "reason"),
    [
        ("Bench.get why not", "Bench.get", DEFAULT_BOUND, "why not"),
        ('"Bench.get [n=10] (thrpt)" why', "Bench.get [n=10] (thrpt)", DEFAULT_BOUND, "why"),
        ("'Bench.g*' why", "Bench.g*", DEFAULT_BOUND, "why"),
        ("`Bench.get` why", "Bench.get", DEFAULT_BOUND, "why"),
        ("* --bound 20% why", "*", 0.2, "why"),
        ("* --bound=12.5% why", "*", 0.125, "why"),
        ("* --bound 20 % why", "*", 0.2, "why"),
        ("* --bound 0.2 why", "*", 0.2, "why"),
        ("--bound 150% * why", "*", 1.5, "why"),
        ("--bound 10% * --bound 20% why", "*", 0.2, "why"),
        ("* why --bound 20%", "*", DEFAULT_BOUND, "why --bound 20%"),
        ("a 'b' c", "a", DEFAULT_BOUND, "'b' c"),
        ('"open why', '"open', DEFAULT_BOUND, "why"),
        ('"a"b why', '"a"b', DEFAULT_BOUND, "why"),
    ],
)
def test_pattern_bound_metric_and_reason_are_parsed(
    text: str, pattern: str, bound: float, reason: str
) -> None:
    expected = Acceptance(pattern, reason, bound=bound, author="ada", source=SOURCE)
    assert parse_accept(f" {text} ", "ada") == expected


@looped(
    ("text", "metric"),
    [
        ("C.get --metric B/op --bound 50% why", "B/op"),
        ("--bound 50% C.get --metric=gc.* why", "gc.*"),
    ],
)
def test_a_secondary_metric_is_accepted_by_name(text: str, metric: str) -> None:
    expected = Acceptance("C.get", "why", bound=0.5, author="ada", source=SOURCE, metric=metric)
    assert parse_accept(text, "ada") == expected


@looped(
    ("text", "problem"),
    [
        ("", "does not name a benchmark"),
        ('"" why', "does not name a benchmark"),
        ("--bound 20%", "does not name a benchmark"),
        ("a", "does not give a reason"),
        ("a --bound 20%", "does not give a reason"),
        ("a --bound 20 why", "expected a percentage above 0 such as 20%"),
        ("a --bound= why", "expected a percentage above 0 such as 20%"),
        ("x" * 501 + " why", "500 characters"),
        ("a " + "y" * 501, "500 characters"),
    ],
)
def test_missing_parts_are_errors(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_accept(text, "ada")


@given(st.text(max_size=60) | st.text("-bound=%'\"` 12a", max_size=30))
def test_any_text_is_parsed_or_rejected(text: str) -> None:
    try:
        entry = parse_accept(text, "ada")
    except ValueError:
        return
    assert entry.pattern
    assert entry.reason
    assert entry.bound is None or entry.bound > 0
