"""Order rules as files: what is required reaches the rule, and their examples prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.errors import RuleFormError
from dmm.files.rules import parse_rule
from dmm.rules.form import compile_fields
from dmm.rules.source import prove

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


SINCE = {"before": {"command": "git push"}, "require": {"run": "tests", "since": "src/**"}}


def is_stopped(*after: str) -> bool:
    example = {"run": "git push", "after": list(after)}
    rule = compile_fields({**SINCE, "examples": {"allow": [example]}}, "x", stem="x")
    return bool(prove(rule))


@pytest.mark.parametrize(
    "command",
    [
        "git pull --rebase",
        "git merge main",
        "git checkout main",
        "git switch main",
        "git stash pop",
        "git reset --hard HEAD~1",
        "git cherry-pick abc",
        "git restore .",
        "git clean -fd",
        "black .",
        "black src/app",
        "ruff format",
        "ruff check --fix",
        "npx prettier --write .",
        "cargo fmt",
        "npm run format",
        "make fmt",
        "tar xzf a.tgz",
    ],
)
def test_tests_that_ran_before_files_may_have_changed_do_not_count(command: str) -> None:
    assert is_stopped("pytest -q", command)
    assert not is_stopped(command, "pytest -q")


@pytest.mark.parametrize(
    "command",
    [
        "git add -A",
        "git commit -am x",
        "git status",
        "git fetch",
        "git checkout -b topic",
        "git switch -c topic",
        "git stash list",
        "git reset HEAD~1",
        "git checkout -- README.md",
        "black --check .",
        "black docs",
        "ruff check",
        "prettier --write README.md",
        "tar xzf a.tgz -C /tmp/x",
        "unzip a.zip -d vendor",
    ],
)
def test_tests_stay_passed_where_their_files_stay(command: str) -> None:
    assert not is_stopped("pytest -q", command)


@pytest.mark.parametrize(
    ("step", "done", "other"),
    [
        ("build", "npm run build", "npm run lint"),
        ("build", "make", "make test"),
        ("build", "cargo build --release", "cargo test"),
        ("build", "webpack", "npm install webpack"),
        ("format", "prettier --write .", "prettier --version"),
        ("format", "ruff format", "ruff check"),
        ("format", "npm run format", "npm test"),
        ("format", "cargo fmt", "cargo build"),
        ("lint", "ruff check", "ruff format"),
        ("tests", "pytest", "black tests"),
    ],
)
def test_a_step_is_known_by_its_kind(step: str, done: str, other: str) -> None:
    rule = {"before": {"command": "git push"}, "require": {"run": step}}
    held = compile_fields(
        {
            **rule,
            "examples": {
                "allow": [{"run": "git push", "after": [done]}],
                "block": [{"run": "git push", "after": [other]}],
            },
        },
        "x",
        stem="x",
    )
    assert prove(held) == ()
