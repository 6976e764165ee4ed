"""Order rules as files: what is required reaches the rule, and their examples prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.files.rules import parse_rule
from dmm.rules.examples import prove
from dmm.rules.form import compile_fields
from dmm.rules.formerror import RuleFormError

if TYPE_CHECKING:
    from dmm.rules.needs import Need

ORDER = """---
before:
  command: git commit
require:
  - run: tests
    since: src/**
  - path: docs/release.md
examples:
  block:
    - git commit -m x
    - {run: git commit -m x, after: [{read: docs/release.md}]}
    - {run: git commit -m x, after: [{read: docs/release.md}, {run: pytest -q, exit: 1}]}
    - run: git commit -m x
      after:
        - {read: docs/release.md}
        - {run: "pytest -q | tail -3", output: "1 failed, 7 passed in 0.3s", exit: 0}
    - run: git commit -m x
      after: [{read: docs/release.md}, "pytest -q | tail -3"]
    - {run: git commit -m x, after: [{read: docs/release.md}, "pytest --help"]}
    - run: git commit -m x
      after: [{read: docs/release.md}, pytest -q, {write: src/a.py, text: x}]
    - run: pytest -q | tail && git commit -m x
      after: [{read: docs/release.md}]
  allow:
    - git status
    - {run: git commit -m x, after: [{read: docs/release.md}, pytest -q]}
    - {run: git commit -m x, after: [{read: docs/release.md}, pytest -q, git commit -m y]}
    - run: git commit -m x
      after: [{read: docs/release.md}, pytest -q, {write: README.md, text: x}]
    - run: git commit -m x
      after:
        - {read: docs/release.md}
        - {run: "pytest -q | tail -3", output: "8 passed in 0.3s"}
    - {run: pytest -q && git commit -m x, after: [{read: docs/release.md}]}
---
# Run the tests and read the release notes before a commit
"""


def needs_of(**fields: object) -> tuple[Need, ...]:
    call = compile_fields({"before": {"command": "git commit"}, **fields}, "x", stem="x").call
    assert call is not None
    return call.needs


def test_the_examples_of_an_order_rule_hold() -> None:
    held = parse_rule("rules/order.md", ORDER)
    assert prove(compile_fields(held.fields, held.title, held.body, "order")) == ()


def test_what_is_required_reaches_the_rule() -> None:
    (tests,) = needs_of(require="tests")
    assert (tests.since, tests.passed, tests.is_procedure) == ((), True, True)
    (lint,) = needs_of(require={"command": "make lint", "since": ["a/**", "!a/b"], "passed": False})
    assert (lint.since, lint.passed) == (("a/**", "!a/b"), False)


def test_since_is_relative_to_the_folder_of_a_rule() -> None:
    require = {"run": "tests", "since": ["src/**", "*.ts", "!/gen/**"]}
    (need,) = needs_of(require=require, folder="web")
    assert need.since == ("web/src/**", "web/**/*.ts", "!web/gen/**")


@pytest.mark.parametrize(
    ("require", "place"),
    [
        ({"run": "tests", "since": ""}, ("require", "since")),
        ({"run": "tests", "since": "../x"}, ("require", "since")),
        ({"run": "tests", "passed": "yes"}, ("require", "passed")),
        ({"run": "deployments"}, ("require", "run")),
        ([], ("require",)),
    ],
)
def test_a_wrong_requirement_is_refused_by_its_place(
    require: object, place: tuple[str, ...]
) -> None:
    with pytest.raises(RuleFormError) as refused:
        needs_of(require=require)
    assert refused.value.place == place
