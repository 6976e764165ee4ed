"""Rules of which one denies what another requires or shows as allowed are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.rules.clashes import clashes
from dmm.rules.form import compile_fields

if TYPE_CHECKING:
    from dmm.rules.rule import Rule

NO_MAKE = {"match": {"command": "make"}}
NO_NPM = {"match": {"command": "npm"}}
LINT = {"before": {"command": "git push"}, "require": {"command": "make lint"}}
TESTS = {
    "before": {"command": "git commit"},
    "require": "tests",
    "examples": {"allow": [{"run": "git commit -m x", "after": ["npm test"]}]},
}


def rules(*fields: dict[str, Any]) -> list[Rule]:
    return [compile_fields(one, f"Rule {at}", stem=f"rule-{at}") for at, one in enumerate(fields)]


def told(*fields: dict[str, Any]) -> list[tuple[int, int, str, bool]]:
    return [(one.wanting, one.denying, one.call, one.required) for one in clashes(rules(*fields))]


def test_a_required_command_that_another_rule_denies_is_a_clash() -> None:
    assert told(LINT, NO_MAKE) == [(0, 1, "make lint", True)]
    assert told(NO_MAKE, LINT) == [(1, 0, "make lint", True)]


def test_the_field_that_wants_it_is_named() -> None:
    steps = [{"command": "npm run check"}, {"command": "make lint"}]
    found = clashes(rules(LINT | {"require": steps}, NO_MAKE))
    assert [one.field for one in found] == [("require", 1)]
    found = clashes(rules(TESTS, NO_NPM))
    assert [one.field for one in found] == [("examples", "allow", 0, "after", 0)]


def test_an_example_that_another_rule_denies_is_a_clash_and_each_pair_is_named_once() -> None:
    allow = {"match": {"command": "pip"}, "examples": {"allow": ["npm ci", "npm i"]}}
    assert told(allow, NO_NPM) == [(0, 1, "npm ci", False)]


def test_a_step_in_an_example_counts_only_where_it_is_the_required_one() -> None:
    block = [{"run": "git commit -m x", "after": ["make docs", {"run": "npm test", "exit": 1}]}]
    order = TESTS | {"examples": {"block": block}}
    assert told(order, NO_MAKE) == []
    assert told(order, NO_NPM) == [(0, 1, "npm test", False)]


@pytest.mark.parametrize(
    "other",
    [
        NO_MAKE | {"level": "ask"},
        NO_MAKE | {"level": "warn"},
        NO_MAKE | {"disabled": True},
        NO_MAKE | {"unless": {"command": "make lint"}},
        {"before": {"command": "make"}, "require": {"command": "npm ci"}},
    ],
)
def test_what_does_not_deny_for_good_is_no_clash(other: dict[str, Any]) -> None:
    assert told(LINT, other) == []


def test_of_several_commands_one_that_may_run_suffices() -> None:
    either = LINT | {"require": {"command": ["make lint", "npm run lint"]}}
    assert told(either, NO_MAKE) == []
    both = {"match": {"command": ["make", "npm"]}}
    assert told(either, both) == [(0, 1, "make lint", True)]


def test_the_same_rule_twice_is_not_told_here() -> None:
    one = {"match": {"command": "npm"}, "examples": {"allow": ["pnpm ci"]}}
    assert told(one, one) == []
    assert told(NO_NPM, NO_NPM | {"examples": {"allow": ["npm ci"]}}) == []
