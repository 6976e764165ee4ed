"""Rules written, proposed, accepted, tried and adopted; the same answers for every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import Trust
from dmm.embed.tokens import TokenCounter
from dmm.errors import LedgerRefused, MemoryFileError, RuleFormError, StorageError, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.rules.checks import Asked
from dmm.rules.drafts import NOTHING, matcher_reference
from dmm.rules.form import _KINDS as EXAMPLES
from dmm.rules.matchers import COMMAND
from dmm.rules.results import ConstraintRecorded, RuleAccepted, RuleRow, RuleView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

FORCE = {"command": "git push --force"}
PROOF = {"block": ["git push -f"], "allow": ["git push"]}
AGENT = Actor(name="claude", source="mcp", trust=Trust.AGENT)
PERSON = Actor()


@pytest.fixture
def dmm(project: Project, open_project: Opener) -> Iterator[Dmm]:
    opened = open_project(project)
    opened.trust_store.trust(opened.root.folder)
    opened = open_project(project)
    yield opened
    opened.close()


def propose(
    dmm: Dmm, text: str = "never force-push", **given: Any
) -> RuleView | ConstraintRecorded:
    wanted: dict[str, Any] = {"match": FORCE, "examples": PROOF} | given
    return dmm.as_actor(AGENT).rules.add_constraint(text, **wanted)


def outcome(dmm: Dmm, command: str) -> str:
    return str(dmm.rules.check(Asked(command)).outcome)


def test_a_sentence_becomes_a_file_that_is_in_force_at_once(dmm: Dmm) -> None:
    told = dmm.rules.add("never run rm -rf", why="It can't be undone.")
    assert isinstance(told, RuleView)
    assert (told.id, told.state) == ("never-run-rm-rf", "enforced")
    assert told.matches[0].startswith("Blocks ")
    assert told.examples.block
    assert (dmm.root.folder / "rules" / "never-run-rm-rf.md").is_file()
    assert outcome(dmm, "rm -rf src") == "denied"
    assert outcome(dmm, "ls") == "allowed"


@pytest.mark.parametrize(
    ("text", "state"),
    [("Be kind to users", "advice"), ("verify budget before booking", "checked on decisions only")],
)
def test_a_sentence_without_a_matcher_says_so(dmm: Dmm, text: str, state: str) -> None:
    told = dmm.rules.add(text)
    assert isinstance(told, RuleView)
    assert told.state == state
    assert told.matches[0].startswith("Not enforced")
    assert told.note.startswith("no matcher: ")


@pytest.mark.parametrize("again", ["never force push", "Never force push!"])
def test_the_same_rule_is_not_added_twice(dmm: Dmm, again: str) -> None:
    dmm.rules.add("never force push", match=FORCE)
    with pytest.raises(UsageError, match="rule never-force-push says the same"):
        dmm.rules.add(again)


def test_another_sentence_with_the_same_matcher_is_the_same_rule(dmm: Dmm) -> None:
    dmm.rules.add("never force push", match=FORCE)
    with pytest.raises(UsageError, match="rule never-force-push says the same"):
        dmm.rules.add("history on the remote stays", match=FORCE)


@pytest.mark.parametrize(
    "other", ["Use bun, not npm", "Use bun instead of npm.", "Use bun, not npm or yarn"]
)
def test_a_rule_that_stops_the_same_for_another_choice_is_refused_by_name(
    dmm: Dmm, other: str
) -> None:
    dmm.rules.add("Use pnpm, not npm")
    with pytest.raises(UsageError, match="use-pnpm-not-npm stops the same and says to use pnpm"):
        dmm.rules.add(other)
    with pytest.raises(UsageError, match="use-pnpm-not-npm says the same"):
        dmm.rules.add("Use pnpm for installs, not npm")
    dmm.rules.disable("use-pnpm-not-npm")
    dmm.rules.add(other)
    assert [one.rule.disabled for one in dmm.shelf.rules()] == [False, True]


def test_a_choice_of_what_another_rule_forbids_is_refused(dmm: Dmm) -> None:
    dmm.rules.add("Use pnpm, not npm")
    with pytest.raises(UsageError, match="`pnpm install` as allowed, which is denied") as refused:
        dmm.rules.add("Use npm, not pnpm")
    assert refused.value.hint == "dmm rules disable use-pnpm-not-npm"


def test_what_a_ledger_constraint_says_is_not_added_again(dmm: Dmm) -> None:
    dmm.ledger.add_constraint("never run rm -rf")
    with pytest.raises(UsageError, match="constraint 1 says the same") as refused:
        dmm.rules.add("never run rm -rf")
    assert refused.value.hint == "dmm rules adopt 1"


def test_a_sentence_that_wants_to_be_asked_never_denies(dmm: Dmm) -> None:
    told = dmm.rules.add("Ask before running migrations.")
    assert isinstance(told, RuleView)
    assert told.level == "ask"


def test_a_sentence_without_a_matcher_gets_one_later(dmm: Dmm) -> None:
    dmm.rules.add("history on the remote stays")
    told = dmm.rules.add("history on the remote stays", match=FORCE, examples=PROOF)
    assert (told.id, told.state) == ("history-on-the-remote-stays", "enforced")
    assert len(dmm.rules.list().rules) == 1


@pytest.mark.parametrize(
    ("given", "where", "hint"),
    [
        ({"match": {"comand": "x"}}, "match.comand", "did you mean 'command'?"),
        (
            {"match": FORCE, "examples": {"block": ["ls"]}},
            "examples.block[0]",
            "correct the matcher or the example",
        ),
        (
            {"match": FORCE, "examples": {"allow": ["git push -f"]}},
            "examples.allow[0]",
            "correct the matcher or the example",
        ),
    ],
)
def test_a_bad_matcher_is_named_by_its_place(
    dmm: Dmm, given: dict[str, Any], where: str, hint: str
) -> None:
    with pytest.raises(RuleFormError) as refused:
        dmm.rules.add("some rule", **given)
    assert (refused.value.where, refused.value.hint) == (where, hint)
    assert dmm.rules.list().rules == ()


def test_an_agents_rule_asks_until_a_person_accepts_it(dmm: Dmm) -> None:
    told = propose(dmm)
    assert told.pending is True
    assert told.state == "asks"
    assert not (dmm.root.folder / "rules" / "never-force-push.md").exists()
    assert outcome(dmm, "git push -f origin x") == "asks"
    shown = dmm.rules.show(str(told.seq))
    assert (shown.state, shown.becomes, shown.pending) == ("asks", "enforced", True)
    (accepted,) = dmm.rules.accept(["never-force-push"])
    assert isinstance(accepted, RuleAccepted)
    assert accepted.state == "enforced"
    assert (dmm.root.folder / "rules" / "never-force-push.md").is_file()
    assert outcome(dmm, "git push -f origin x") == "denied"
    assert dmm.ledger.list_pending().pending == ()
    with pytest.raises(LedgerRefused, match="already accepted"):
        dmm.rules.accept(["never-force-push"])


def test_an_agent_neither_accepts_nor_changes_rules_nor_sees_pending_ones(dmm: Dmm) -> None:
    dmm.rules.add("never run rm -rf")
    propose(dmm)
    dmm = dmm.as_actor(AGENT)
    for act in (
        lambda: dmm.rules.accept(["never-force-push"]),
        lambda: dmm.rules.disable("never-run-rm-rf"),
        lambda: dmm.rules.edit("never-run-rm-rf", "---\n---\n# x\n"),
        lambda: dmm.rules.adopt(),
    ):
        with pytest.raises(LedgerRefused, match="an agent can't"):
            act()
    assert [one.id for one in dmm.rules.list().rules] == ["never-run-rm-rf"]


@pytest.mark.parametrize("missing", [None, {}, {"block": ["git push -f"]}])
def test_an_agent_shows_what_its_rule_blocks_and_allows(dmm: Dmm, missing: Any) -> None:
    with pytest.raises(UsageError, match="has no example of a call that it must"):
        propose(dmm, examples=missing)


def test_an_agents_matcher_completes_a_sentence_of_the_ledger(dmm: Dmm) -> None:
    dmm.ledger.add_constraint("history on the remote stays")
    told = propose(dmm, "history on the remote stays")
    dmm.rules.accept([str(told.seq)])
    assert [(one.kind, one.state) for one in dmm.rules.list().rules] == [("file", "enforced")]


def test_an_order_rule_is_proposed_by_its_fields(dmm: Dmm) -> None:
    order = {"before": [{"command": "git commit"}], "require": [{"run": "tests"}]}
    examples = {
        "block": ["git commit -m x"],
        "allow": [{"run": "git commit -m x", "after": ["pytest -q"]}],
    }
    told = propose(dmm, "test first", match=order, examples=examples)
    assert told.pending is True


def test_a_rule_is_switched_off_and_on_and_its_other_lines_stay(dmm: Dmm) -> None:
    dmm.rules.add("never run rm -rf")
    before = dmm.rules.show("never-run-rm-rf").source
    disabled = dmm.rules.disable("never-run-rm-rf")
    assert isinstance(disabled, RuleRow)
    assert disabled.disabled
    assert outcome(dmm, "rm -rf src") == "allowed"
    dmm.rules.enable("never-run-rm-rf")
    assert dmm.rules.show("never-run-rm-rf").source == before
    assert outcome(dmm, "rm -rf src") == "denied"
    with pytest.raises(UsageError, match="already enabled"):
        dmm.rules.enable("never-run-rm-rf")


def test_a_change_that_waits_for_approval_is_never_written_over(dmm: Dmm) -> None:
    dmm.rules.add("never run rm -rf")
    file = dmm.root.folder / "rules" / "never-run-rm-rf.md"
    agreed = file.read_text()
    changed = agreed + "\nA colleague has said why.\n"
    file.write_text(changed)
    acts: list[Callable[[], object]] = [
        lambda: dmm.rules.disable("never-run-rm-rf"),
        lambda: dmm.rules.edit("never-run-rm-rf", agreed),
    ]
    for act in acts:
        with pytest.raises(UsageError, match="not approved yet") as refused:
            act()
        assert (refused.value.where, refused.value.hint) == (
            "rules/never-run-rm-rf.md",
            "review the change first: dmm trust",
        )
        assert file.read_text() == changed
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(UsageError, match="not approved yet"):
        dmm.rules.edit("never-run-rm-rf", agreed)
    file.unlink()
    file.write_text(changed)
    # What a person writes as it is there is what they approve.
    assert not dmm.shelf.write("never-run-rm-rf", changed).held
    dmm.rules.disable("never-run-rm-rf")
    assert "A colleague has said why." in file.read_text()


def test_a_rule_whose_file_is_gone_here_says_so_where_it_is_added_again(dmm: Dmm) -> None:
    dmm.rules.add("never run rm -rf")
    (dmm.root.folder / "rules" / "never-run-rm-rf.md").unlink()
    with pytest.raises(UsageError, match="says the same") as refused:
        dmm.rules.add("never run rm -rf")
    assert refused.value.hint is not None
    assert refused.value.hint.endswith("gone since you approved it; review that: dmm trust")


def test_an_edit_that_can_not_be_used_changes_nothing(dmm: Dmm) -> None:
    dmm.rules.add("never run rm -rf")
    before = dmm.rules.show("never-run-rm-rf").source
    with pytest.raises(MemoryFileError, match=r"never-run-rm-rf\.md:2"):
        dmm.rules.edit("never-run-rm-rf", "---\nmatch: {comand: x}\n---\n# Never run rm -rf\n")
    assert dmm.rules.show("never-run-rm-rf").source == before


def test_constraints_become_files_that_bind_as_hard(dmm: Dmm) -> None:
    dmm.ledger.add_constraint("never run rm -rf")
    dmm.ledger.add_constraint("Be kind to users")
    dmm.ledger.add_constraint("verify budget before booking")
    told = dmm.rules.adopt()
    assert told.kept == ()
    assert {one.adopted: one.state for one in told.adopted} == {
        1: "enforced",
        2: "advice",
        3: "checked on decisions only",
    }
    assert {one.kind for one in dmm.rules.list().rules} == {"file"}
    assert outcome(dmm, "rm -rf src") == "denied"
    with pytest.raises(LedgerRefused, match="no active constraint 1"):
        dmm.rules.adopt([1])


def test_a_draft_holds_the_sentences_without_a_matcher_and_the_reference(dmm: Dmm) -> None:
    assert dmm.rules.draft().text == NOTHING
    dmm.rules.add("never run rm -rf")
    dmm.rules.add("Be kind to users")
    dmm.ledger.add_constraint("Keep commits small")
    told = dmm.rules.draft()
    assert [one.title for one in told.sentences] == ["Be kind to users", "Keep commits small"]
    assert matcher_reference() in told.text
    assert "never run rm -rf" not in told.text


def test_the_reference_names_every_field_and_is_short() -> None:
    text = matcher_reference()
    for name in (*COMMAND, *EXAMPLES, "path", "content", "message", "tool", "unless", "since"):
        assert name in text
    assert TokenCounter().count(text) <= 1_200


def test_a_rehearsal_takes_a_rule_a_sentence_or_a_file(dmm: Dmm) -> None:
    dmm.rules.add("never run rm -rf")
    for what in ("never-run-rm-rf", "never use curl", "---\nmatch: {command: ls}\n---\n# No ls\n"):
        told = dmm.rules.rehearse(what)
        assert (told.state, told.tool_calls, told.calls_blocked) == ("enforced", 0, 0)
    with pytest.raises(UsageError, match="no rule is called 'unknown'"):
        dmm.rules.rehearse("unknown")


def test_all_examples_are_run_as_the_files_stand(dmm: Dmm) -> None:
    dmm.rules.add("never force push", match=FORCE, examples=PROOF)
    folder = dmm.root.folder / "rules"
    text = (folder / "never-force-push.md").read_text()
    (folder / "wrong.md").write_text(
        text.replace("- git push -f", "- ls").replace("force-push", "f")
    )
    (folder / "broken.md").write_text("---\nmatch: [\n---\n# Broken\n")
    told = dmm.rules.test()
    assert (told.files, told.rules) == (3, 2)
    assert [one.path for one in told.failures] == [
        ".dmm/rules/broken.md",
        ".dmm/rules/wrong.md",
    ]
    assert all(one.line for one in told.failures)


def test_a_check_names_one_call(dmm: Dmm) -> None:
    for asked in (Asked(), Asked("ls", read="a")):
        with pytest.raises(UsageError, match="name one call"):
            dmm.rules.check(asked)
    dmm.rules.add("generated stays", match={"path": "generated/**"})
    assert dmm.rules.check(Asked(write="generated/a.py")).outcome == "denied"
    assert dmm.rules.check(Asked(edit="generated/a.py", old="a", new="b")).outcome == "denied"
    assert dmm.rules.check(Asked(read="generated/a.py")).outcome == "allowed"
    assert dmm.rules.check(Asked(tool="Other", input={})).outcome == "allowed"


def test_a_folder_that_can_not_be_written_is_an_error(dmm: Dmm) -> None:
    (dmm.root.folder / "rules").write_text("in the way")
    with pytest.raises(StorageError):
        dmm.rules.add("never run rm -rf")


def test_a_text_that_was_replaced_does_not_count_again_when_somebody_puts_it_back(
    dmm: Dmm,
) -> None:
    dmm.rules.add("never run rm -rf")
    file = dmm.root.folder / "rules" / "never-run-rm-rf.md"
    dmm.rules.disable("never-run-rm-rf")
    disabled = file.read_text()
    dmm.rules.enable("never-run-rm-rf")
    enabled = file.read_text()
    file.write_text(disabled)
    assert outcome(dmm, "rm -rf src") == "denied"
    assert dmm.rules.show("never-run-rm-rf").held
    assert "rules/never-run-rm-rf.md" in (dmm.shelf.folder.consents.notice() or "")
    file.write_text(enabled)
    weak = enabled.replace("level: deny", "level: warn")
    dmm.rules.edit("never-run-rm-rf", weak)
    dmm.rules.edit("never-run-rm-rf", enabled)
    file.write_text(weak)
    assert outcome(dmm, "rm -rf src") == "denied"


def test_a_text_agreed_to_on_another_branch_still_counts_after_an_edit(dmm: Dmm) -> None:
    dmm.rules.add("never run rm -rf")
    file = dmm.root.folder / "rules" / "never-run-rm-rf.md"
    here = file.read_text()
    there = here.replace("level: deny", "level: ask")
    file.write_text(there)
    dmm.shelf.folder.consents.accept()
    file.write_text(here)
    dmm.rules.edit("never-run-rm-rf", here + "\nIt can't be undone.\n")
    file.write_text(there)
    assert outcome(dmm, "rm -rf src") == "asks"
    assert dmm.shelf.folder.consents.notice() is None


def test_what_the_repository_declares_makes_a_name_a_library(dmm: Dmm, project: Project) -> None:
    (project.folder / "pyproject.toml").write_text('[project]\ndependencies = ["httpx"]\n')
    told = dmm.rules.add("Use `httpx`, not `requests`")
    assert isinstance(told, RuleView)
    assert told.state == "enforced"
    assert outcome(dmm, "pip install requests") == "denied"
    assert outcome(dmm, "pip install httpx") == "allowed"
