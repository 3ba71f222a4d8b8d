"""``/steady accept``: whose word counts, and what it says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import standin
from github import GithubException
from hypothesis import given
from hypothesis import strategies as st
from standin import BOT, REPOSITORY, StandIn
from standin_permissions import Permissions

from steady.compare import Acceptance
from steady.github import connect
from steady.github.accepts import Accepts, find_accepts
from steady.settings.accept_line import DEFAULT_BOUND, SOURCE, parse_accept
from tests.looped import looped

ASKED = r"/collaborators/[^/]+/permission$"


@pytest.fixture
def github() -> Iterator[StandIn]:
    """Run a stand-in for GitHub where ``ada`` may push."""
    with standin.github() as state:
        state.part(Permissions).roles |= {"ada": "write"}
        yield state


def accepts(state: StandIn) -> Accepts:
    client = connect("token", state.url)
    return find_accepts(client, REPOSITORY, 7)


def patterns(state: StandIn) -> list[str]:
    return [entry.pattern for entry in accepts(state).entries]


class TestWhoseWord:
    @pytest.mark.parametrize(
        ("role", "counts"),
        [
            *(("admin", True), ("maintain", True), ("write", True)),
            *(("triage", False), ("read", False), ("none", False)),
        ],
    )
    def test_those_who_may_push(self, github: StandIn, role: str, counts: bool) -> None:
        github.part(Permissions).roles["bea"] = role
        github.add_comment("/steady accept Bench.get it checks its input", "bea")
        entry = Acceptance(
            "Bench.get", "it checks its input", bound=0.2, author="bea", source=SOURCE
        )
        assert accepts(github) == (Accepts((entry,)) if counts else Accepts(others=("bea",)))

    def test_each_author_is_asked_for_once_and_nobody_else(self, github: StandIn) -> None:
        for _ in range(3):
            github.add_comment("/steady accept a b\n/steady accept c d", "ada")
            github.add_comment("/steady accept a b", "stranger")
            github.add_comment("slow, is it not?", "reader")
        accepted = accepts(github)
        assert len(accepted.entries) == 6
        assert accepted.others == ("stranger",)
        asked = [request.path.split("/")[-2] for request in github.sent("GET", ASKED)]
        assert asked == ["ada", "stranger"]

    def test_all_pages_are_read_and_what_stands_there_now_counts(self, github: StandIn) -> None:
        first = github.add_comment("/steady accept first why", "ada")
        for number in range(250):
            github.add_comment(f"comment {number}", "reader")
        last = github.add_comment("/steady accept last why", "ada")
        github.add_comment("/steady accept elsewhere why", "ada", number=8)
        assert patterns(github) == ["first", "last"]
        first["body"] = "I take it back."
        assert patterns(github) == ["last"]
        github.comments.remove(last)
        assert accepts(github) == Accepts()

    def test_bots_and_our_own_comment_give_no_orders(self, github: StandIn) -> None:
        github.part(Permissions).roles |= {BOT: "admin", "evil[bot]": "admin"}
        github.add_comment("/steady accept * because", BOT)
        github.add_comment("/steady accept * because", "evil[bot]")
        github.add_comment("<!-- steady:default -->\n/steady accept * because", "ada")
        assert accepts(github) == Accepts()
        assert github.sent("GET", ASKED) == []

    def test_somebody_who_is_gone_may_nothing(self, github: StandIn) -> None:
        github.part(Permissions).unknown.add("ghost")
        github.add_comment("/steady accept a b", "ghost")
        assert accepts(github).others == ("ghost",)

    def test_what_github_refuses_is_the_callers(self, github: StandIn) -> None:
        github.add_comment("/steady accept a b", "ada")
        github.fail("GET", ASKED, 403, message="Resource not accessible by integration")
        with pytest.raises(GithubException):
            accepts(github)


class TestWhereItStands:
    @looped(
        "body",
        [
            "/steady accept a b",
            "/steady accept a b\r\nthat is all",
            "/steady\taccept  a  b  ",
            "\n \t\n/steady accept a b\n\n```\nx",
        ],
    )
    def test_the_beginning_of_a_comment(self, github: StandIn, body: str) -> None:
        github.comments.clear()
        github.add_comment(body, "ada")
        accepted = accepts(github)
        assert [(entry.pattern, entry.reason) for entry in accepted.entries] == [("a", "b")]
        assert accepted.problems == ()

    @looped("between", ["\n", "\r\n", "\r", "\n\n"])
    def test_several_lines_there(self, github: StandIn, between: str) -> None:
        github.comments.clear()
        github.add_comment(f"/steady accept com.*.get why{between}/steady accept b why", "ada")
        assert patterns(github) == ["com.*.get", "b"]

    @looped(
        "body",
        [
            "> /steady accept a b",
            "please write /steady accept a b",
            " /steady accept a b",
            "    /steady accept a b",
            "`/steady accept a b`",
            "/steady accepting a b",
            "/steady accepts",
            "/Steady Accept a b",
            "/steadyaccept a b",
            "- /steady accept a b",
            "",
        ],
    )
    def test_another_line_is_no_command(self, github: StandIn, body: str) -> None:
        github.comments.clear()
        github.add_comment(body, "ada")
        assert accepts(github) == Accepts()

    @looped(
        "above",
        [
            "Well,",
            "> Thanks!",
            "- q",
            "```",
            "~~~ java",
            "`",
            "<!-- for example:",
            "<details>\n",
            "<pre>\n\nx",
            '[a]: x "',
            "[^1]: a",
            "![",
            "a | b\n--|--",
            "\u2003",
            "\v",
            "\0",
        ],
    )
    def test_what_may_belong_to_something_above_does_not_count_and_is_told(
        self, github: StandIn, above: str
    ) -> None:
        github.comments.clear()
        github.add_comment(f"{above}\n/steady accept * it is meant\n", "ada")
        accepted = accepts(github)
        assert accepted.entries == ()
        assert accepted.problems == (
            "a `/steady accept` by ada does not count: it has to stand at the beginning of its "
            "comment",
        )

    @looped("separator", [*"\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\0", "\x1b"])
    @looped("quoted", ["> Thanks!", "Thanks!", "- Thanks!", ""])
    def test_a_strangers_text_is_no_order_of_who_quotes_it(
        self, github: StandIn, quoted: str, separator: str
    ) -> None:
        github.comments.clear()
        # The stranger's comment, and a maintainer's answer that quotes it as GitHub does.
        words = f"{separator}/steady accept * it is meant"
        github.add_comment(f"Thanks!{words}", "stranger")
        github.add_comment(f"{quoted}{words}\n\nYou are welcome.", "ada")
        assert accepts(github) == Accepts()

    @looped("separator", [*"\v\x1c\x85\u2028\u2029", "\0"])
    def test_an_order_of_several_lines_in_one_does_not_count(
        self, github: StandIn, separator: str
    ) -> None:
        github.comments.clear()
        github.add_comment(f"/steady accept a b{separator}/steady accept * c", "ada")
        accepted = accepts(github)
        assert accepted.entries == ()
        assert [text.partition("; ")[0] for text in accepted.problems] == [
            "a `/steady accept` by ada does not count: it holds a control character or a "
            "separator of lines"
        ]

    def test_a_command_that_cannot_be_read_is_told(self, github: StandIn) -> None:
        github.add_comment("/steady accept\n/steady accept a b\n/steady accept a", "ada")
        accepted = accepts(github)
        assert len(accepted.entries) == 1
        assert [text.partition(";")[0] for text in accepted.problems] == [
            "a `/steady accept` by ada does not count: it does not name a benchmark",
            "a `/steady accept` by ada does not count: it does not give a reason",
        ]

    def test_half_a_character_can_be_written_to_a_file(self, github: StandIn) -> None:
        github.add_comment("/steady accept a b\ud83d", "ada")
        assert accepts(github).entries[0].reason == "b?"


class TestWhatItSays:
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
    def test_all_parts(self, text: str, pattern: str, bound: float | None, reason: str) -> None:
        expected = Acceptance(pattern, reason, bound=bound, author="ada", source=SOURCE)
        assert parse_accept(f" {text} ", "ada") == expected

    @looped(
        ("text", "problem"),
        [
            ("", "does not name a benchmark"),
            ('"" why', "does not name a benchmark"),
            ("--bound 20%", "does not name a benchmark"),
            ("a", "does not give a reason"),
            ("a --bound 20%", "does not give a reason"),
            ("a --bound 20 why", "expected a percentage above 0 such as 20%"),
            ("a --bound 0% why", "expected a percentage above 0 such as 20%"),
            ("a --bound= why", "expected a percentage above 0 such as 20%"),
            ("a --bound=-5% why", "expected a percentage above 0 such as 20%"),
            ("x" * 501 + " why", "500 characters"),
            ("a " + "y" * 501, "500 characters"),
        ],
    )
    def test_what_is_missing(self, text: str, problem: str) -> None:
        with pytest.raises(ValueError, match=problem):
            parse_accept(text, "ada")

    @given(st.text(max_size=60) | st.text("-bound=%'\"` 12a", max_size=30))
    def test_no_text_breaks_it(self, text: str) -> None:
        try:
            entry = parse_accept(text, "ada")
        except ValueError:
            return
        assert entry.pattern
        assert entry.reason
        assert entry.bound is None or entry.bound > 0


@pytest.mark.parametrize(
    ("arguments", "metric", "bound"),
    [
        ("C.get --metric B/op it keeps a copy", "B/op", 0.2),
        ("C.get --metric=gc.* --bound 50% it keeps a copy", "gc.*", 0.5),
        ("--bound 50% C.get --metric allocs/op it keeps a copy", "allocs/op", 0.5),
        ("C.get it keeps a copy", "", 0.2),
    ],
)
def test_a_further_result_is_accepted_by_its_name(
    arguments: str, metric: str, bound: float
) -> None:
    entry = parse_accept(arguments, "ada")
    assert (entry.pattern, entry.metric, entry.bound) == ("C.get", metric, bound)
    assert entry.reason == "it keeps a copy"
