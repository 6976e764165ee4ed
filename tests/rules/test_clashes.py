"""Rules that can't both hold are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.english import compile_sentence
from dmm.rules.faults import Clash, check_rule_files, clashes
from dmm.rules.form import compile_fields

if TYPE_CHECKING:
    from dmm.rules.rule import Rule


def rule(name: str, **fields: object) -> Rule:
    return compile_fields(fields, f"Rule {name}", stem=name)


NO_MAKE = rule("no-make", match={"command": "make"})
CHECK_FIRST = rule("check", before={"command": "git commit"}, require={"command": "make check"})


def test_a_required_step_that_another_rule_denies_is_a_clash() -> None:
    assert clashes([NO_MAKE, CHECK_FIRST]) == [
        Clash("check", "no-make", "it requires `make check`, which is denied")
    ]


def test_a_step_that_can_be_done_in_another_way_is_none() -> None:
    either = rule(
        "check",
        before={"command": "git commit"},
        require={"command": ["make check", "just check"]},
    )
    assert clashes([NO_MAKE, either]) == []


def test_a_rule_whose_every_allowed_example_is_denied_can_never_be_kept() -> None:
    only = rule(
        "only-rebase",
        match={"command": "git merge"},
        examples={"block": "git merge main", "allow": "git rebase main"},
    )
    never = rule("no-rebase", match={"command": "git rebase"})
    assert [(one.rule, one.other) for one in clashes([only, never])] == [
        ("only-rebase", "no-rebase")
    ]
    more = rule(
        "only-rebase",
        match={"command": "git merge"},
        examples={"allow": ["git rebase main", "git pull --ff-only"]},
    )
    assert clashes([more, never]) == []


def test_validation_names_the_files_that_clash() -> None:
    files: dict[str, bytes | None] = {
        "rules/a.md": b"---\nmatch: {command: make}\n---\n# No make\n",
        "rules/b.md": b"---\nbefore: {command: git commit}\n"
        b"require: {command: make check}\n---\n# B\n",
    }
    (finding,) = check_rule_files(files)
    assert (finding.path, finding.level, finding.check) == ("rules/b.md", "warning", "clash")
    assert "rules/a.md: it requires `make check`" in finding.message


def test_rules_that_ask_or_are_disabled_clash_with_nothing() -> None:
    asking = rule("no-make", match={"command": "make"}, level="ask")
    disabled = rule("no-make", match={"command": "make"}, disabled=True)
    assert clashes([asking, CHECK_FIRST]) == clashes([disabled, CHECK_FIRST]) == []


def test_every_rule_that_denies_all_ways_is_named_and_no_other() -> None:
    shown = rule(
        "shown",
        match={"command": "git merge"},
        examples={"block": "git merge main", "allow": ["git rebase main", "git rebase dev"]},
    )
    one = rule("one", match={"command": "git rebase"})
    two = rule("two", match={"command": {"program": "git", "subcommand": "rebase"}})
    half = rule("half", match={"command": "git rebase main"})
    found = clashes([one, half, shown, two])
    assert [(clash.rule, clash.other) for clash in found] == [("shown", "one"), ("shown", "two")]


def test_rules_of_one_id_are_told_apart() -> None:
    again = rule("no-make", match={"command": "gmake"})
    assert [clash.other for clash in clashes([again, NO_MAKE, CHECK_FIRST])] == ["no-make"]


def said(title: str, **fields: object) -> Rule:
    name = title.lower().replace(",", "").replace(" ", "-")
    return compile_fields((compile_sentence(title).fields or {}) | fields, title, stem=name)


def test_rules_that_stop_the_same_for_different_choices_clash() -> None:
    pnpm, bun = said("Use pnpm, not npm"), said("Use bun, not npm or yarn")
    (clash,) = clashes([pnpm, bun])
    assert (clash.rule, clash.other) == (bun.id, pnpm.id)
    assert clash.what == "use-pnpm-not-npm stops the same and says to use pnpm"
    assert clashes([pnpm, said("Never use npm or yarn"), said("Use pnpm, not yarn")]) == []
    assert clashes([pnpm, said("Use bun, not npm", disabled=True)]) == []


def test_two_rules_that_choose_what_the_other_forbids_clash() -> None:
    pnpm, npm = said("Use pnpm, not npm"), said("Use npm, not pnpm")
    assert {(one.rule, one.other) for one in clashes([pnpm, npm])} == {
        (pnpm.id, npm.id),
        (npm.id, pnpm.id),
    }
