"""Keywords that a frozen class declares: shown, and the same for a type checker."""

from __future__ import annotations

from dataclasses import fields
from inspect import Parameter, signature

import pytest

import steady
from steady.compare.criteria import CompareKeywords, CompareOptions


def test_a_type_checker_knows_the_fields_of_the_options() -> None:
    declared = {field.name: field.type for field in fields(CompareOptions)}
    keywords = CompareKeywords.__annotations__
    assert {name: kind.__forward_arg__ for name, kind in keywords.items()} == declared


def test_the_signature_shows_each_keyword_with_its_default() -> None:
    base, head, *keywords = signature(steady.compare).parameters.values()
    assert (base.kind, head.kind) == (Parameter.POSITIONAL_OR_KEYWORD,) * 2
    assert {one.kind for one in keywords} == {Parameter.KEYWORD_ONLY}
    assert [one.name for one in keywords] == [field.name for field in fields(CompareOptions)]
    assert all(one.default == getattr(CompareOptions(), one.name) for one in keywords)


def test_an_unknown_keyword_is_refused() -> None:
    suite = steady.Suite.of({"a": [1.0, 2.0]}, unit="ns/op")
    with pytest.raises(TypeError, match="unexpected keyword argument 'min_chnge'"):
        steady.compare(suite, suite, min_chnge=0.03)  # type: ignore[call-arg]
