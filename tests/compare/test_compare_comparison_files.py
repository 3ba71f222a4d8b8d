"""The file of a comparison: complete, valid, and reproducible."""

import json
from dataclasses import asdict, replace
from datetime import date
from math import inf
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec import structs

from steady.cli.settings import schema
from steady.compare import Change, Comparison, Estimate, Ignored, Ledger, Missing, comparison_files
from steady.compare.comparison import MetricComparison, Narrowing
from steady.compare.validity import Difference
from steady.files import json_text
from steady.model import Environment, Identity, NotRun
from steady.model.changed_method import ChangedMethod
from steady.settings.repo_settings import Acceptance

ODD = 'a "word" \\ \n\t\x00\x7f \u2028 <b> é 😀'
GET, PUT = Identity("org.B.get", "thrpt", (("n", ODD), ("", "")), 4), Identity(ODD)
ACCEPTANCE = Acceptance(ODD, "why", "improvement", 0.25, date(2026, 11, 22), "a link", "gc.*")
SIDES = Estimate(1 / 3, 0.1, 1e300, 3, 40, 0.5), Estimate(-0.0, -1e-300, 5e-324, 1, 2)
PLAIN = Change(PUT, ODD, "lower", *SIDES, "unclear", inf)
FULL = Change(
    GET,
    "ops/s",
    "higher",
    *SIDES,
    "regression",
    smallest=0.03,
    notes=(ODD, ""),
    interval=(-0.25, 0.5),
    min_change=0.02,
    accepted=ACCEPTANCE,
    excluded=0.5,
    lacking="rounds",
    refused=("it is larger",),
    cold_seconds=6.5,
)
LEDGER = Ledger(
    compared=(GET, PUT),
    failed=(Missing(PUT, "base", ODD, "failed"),),
    missing=(Missing(GET, "both", "lost"),),
    new=(PUT,),
    gone=(GET,),
    unplanned=(PUT,),
    incomparable=(Missing(PUT, "head", ODD, "incomparable"),),
    renamed=((PUT, GET),),
    ignored=(Ignored(PUT, ODD),),
    not_run=(NotRun(GET, ODD),),
    same_code=(PUT,),
    controls=(GET,),
)
ALL = Comparison(
    (FULL, PLAIN, FULL),
    LEDGER,
    (Difference("CPU", "", ODD, 3),),
    "moderated-t",
    {"a": 0.1, "b": True, ODD: None, "d": ODD, "e": 2**53},
    comparable=False,
    base_environments=(Environment(ODD, "os", "jdk", "vm", ("-X",)),),
    head_environments=(Environment(),),
    remarks=(ODD,),
    metrics=MetricComparison((replace(FULL, metric=ODD),), (replace(PLAIN, metric="m"),)),
    controls=(PLAIN,),
    narrowed=Narrowing("a.*", 2),
    changed_methods=(ChangedMethod(ODD, "<init>", "int", reached=True), ChangedMethod("a.B", ODD)),
)


def without_infinity(value: Any) -> Any:
    """Return data as in JSON: lists for tuples, null for infinity, strings for dates."""
    if isinstance(value, dict):
        return {
            key: without_infinity(item)
            for key, item in value.items()
            if (key, item) not in (("score", None), ("cold_seconds", 0.0))
        }
    if isinstance(value, list | tuple):
        return list(map(without_infinity, value))
    if isinstance(value, date):
        return value.isoformat()
    return None if value == inf else value


@pytest.mark.parametrize("comparison", [ALL, Comparison((), Ledger(()))], ids=["all", "nothing"])
@pytest.mark.parametrize("at_a_time", [1, 2, 3, 1000])
def test_the_file_contains_the_whole_comparison(
    comparison: Comparison, at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_files, "_AT_A_TIME", at_a_time)
    text = comparison_files.to_json(comparison)
    data = json.loads(text)
    jsonschema.validate(data, schema("comparison"))
    known = ["changed_methods"] * (comparison.changed_methods is not None)
    assert list(data) == schema("comparison")["required"] + known
    verdicts = {name: getattr(comparison, name) for name in ("verdict", "metric_verdict")}
    plain = without_infinity(asdict(comparison))
    methods = plain.pop("changed_methods")
    if known:
        plain["changed_methods"] = list(map(structs.asdict, methods))
    for place in ("failed", "missing", "incomparable"):
        lost_ones = getattr(comparison.ledger, place)
        for entry, lost in zip(plain["ledger"][place], lost_ones, strict=True):
            del entry["kind"]
            entry["reason"] = lost.what_happened
    for change in (*plain["changes"], *plain["controls"]):
        del change["metric"]
    del plain["metrics"]["asked"]
    assert data == {"steady_comparison": 2, **verdicts, **plain}
    assert text == json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    assert json_text(msgspec.json.decode(text, type=comparison_files.ComparisonFile)) == text
