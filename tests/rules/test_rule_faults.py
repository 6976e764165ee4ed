"""Bad rule files are named with file and line, and shown in plain words before they are trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dmm.bootstrap import now
from dmm.domain.plain import to_plain
from dmm.errors import LedgerRefused
from dmm.eventlog.place import find_ledger
from dmm.project.trust import Vetting

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

GOOD = """---
id: {id}
match:
  - command: git push --force
examples:
  block:
    - git push --force origin main
  allow:
    - git push origin main
---
# Never force-push

Others build on it.
"""


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    return open_project(shop)


def put(dmm: Dmm, name: str, text: str) -> None:
    path = dmm.root.folder / "rules" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def found(dmm: Dmm) -> list[tuple[str, str, str]]:
    report = dmm.validation.check()
    return [(one.where, one.level, one.check) for one in report.findings if "rules/" in one.path]


@pytest.mark.parametrize(
    ("text", "where", "check"),
    [
        (GOOD.replace("id: {id}", "id: [a"), "rules/a.md:3", "yaml"),
        (GOOD.replace("match:", "matches:"), "rules/a.md:3", "schema"),
        (GOOD.replace("command", "comand"), "rules/a.md:4", "schema"),
        (GOOD.replace("- git push origin main", "- git push -f"), "rules/a.md:9", "content"),
        (GOOD.replace("# Never force-push", ""), "rules/a.md:11", "content"),
        (GOOD.replace("id: {id}", "level: never"), "rules/a.md:2", "schema"),
    ],
)
def test_a_bad_file_is_named_with_its_line(dmm: Dmm, text: str, where: str, check: str) -> None:
    put(dmm, "a", text.replace("{id}", "a"))
    put(dmm, "good", GOOD.replace("{id}", "good"))
    assert found(dmm)[:1] == [(where, "error", check)]


def test_the_same_id_and_the_same_rule_twice_are_named(dmm: Dmm) -> None:
    put(dmm, "a", GOOD.replace("{id}", "same"))
    put(dmm, "b", GOOD.replace("{id}", "same"))
    assert found(dmm) == [
        ("rules/b.md", "error", "duplicate_id"),
        ("rules/b.md", "warning", "same_rule"),
    ]


def test_status_and_doctor_name_broken_rule_files_apart_from_memories(dmm: Dmm) -> None:
    before = len(dmm.overview.describe().faults)
    put(dmm, "a", GOOD.replace("match:", "matches:").replace("{id}", "a"))
    state = dmm.overview.describe()
    assert len(state.faults) == before + 1
    assert [one.where for one in state.rule_faults] == ["rules/a.md:3"]


def look(dmm: Dmm) -> Vetting:
    folder = dmm.root.folder
    return Vetting(dmm.root, dmm.trust_store, find_ledger(folder), now)


def test_new_and_changed_rules_are_shown_in_plain_words_before_they_hold(dmm: Dmm) -> None:
    put(dmm, "a", GOOD.replace("{id}", "a"))
    put(dmm, "broken", "---\nmach: x\n---\n# Broken\n")
    seen = look(dmm).inspect()
    shown, broken = seen.rules
    assert (shown.id, shown.title, shown.state) == ("a", "Never force-push", "enforced")
    assert any("git push" in line for line in shown.matches)
    assert shown.blocks == ("git push --force origin main",)
    assert shown.allows == ("git push origin main",)
    assert broken.fault.startswith("rules/broken.md:2")
    look(dmm).accept(seen)
    assert look(dmm).inspect().rules == ()
    put(dmm, "a", GOOD.replace("match:", "level: ask\nmatch:").replace("{id}", "a"))
    assert [one.state for one in look(dmm).inspect().rules] == ["asks"]


def test_a_clone_shows_all_its_rules(dmm: Dmm, home: Path) -> None:
    put(dmm, "a", GOOD.replace("{id}", "a"))
    dmm.trust_store.revoke(dmm.root.folder)
    assert [one.id for one in look(dmm).inspect().rules] == ["a"]


def test_the_same_constraint_is_recorded_once(dmm: Dmm) -> None:
    first = dmm.ledger.add_constraint("never use eval()")
    again = dmm.ledger.add_constraint("never  use eval()")
    assert again == replace(first, existing=True)
    assert len(dmm.project_ledger.state().constraints) == 1
    dmm.ledger.deactivate(first.seq)
    assert dmm.ledger.add_constraint("never use eval()").seq > first.seq


def test_what_binds_comes_first_and_each_line_says_what_it_does(dmm: Dmm) -> None:
    dmm.ledger.add_constraint("prefer short names", "preferred")
    dmm.ledger.add_constraint("never use eval()")
    dmm.shelf.write("pushing", GOOD.replace("{id}", "pushing"))
    text = dmm.sessions.find_briefing().write()
    lines = [line for line in text.splitlines() if line.startswith("- [")]
    assert lines == [
        "- [pushing] enforced: Never force-push",
        "- [2] checked on decisions only: never use eval()",
        "- [1] advice: prefer short names",
    ]


def test_decisions_are_judged_by_the_sentence_of_a_rule_file(dmm: Dmm) -> None:
    dmm.shelf.write("eval", "---\nlevel: deny\n---\n# Never use eval()\n")
    assert [str(one.state) for one in dmm.shelf.rules()] == ["checked on decisions only"]
    told = to_plain(dmm.ledger.record_decision("Use eval() to read the settings", "it is short"))
    assert told["status"] == "BLOCKED"
    assert told["id"] == "eval"
    assert told["violated_constraint_seq"] > 0
    seq = dmm.project_ledger.state().seq
    explained = dmm.timelines.explain(seq)
    assert explained.agrees
    assert dmm.timelines.time_travel(seq).historical_state.constraints[0].id == "eval"


def test_the_ledger_tells_the_past_of_rule_files_too(dmm: Dmm) -> None:
    text = "---\nlevel: deny\n---\n# Never use eval()\n"
    first = dmm.shelf.write("eval", text)
    second = dmm.shelf.write("eval", text.replace("deny", "advise"))
    before = dmm.timelines.simulate_timeline("never use exec()", first.seq, "Use eval() here")
    assert before.result == "BLOCKED"
    after = dmm.timelines.simulate_timeline("never use exec()", second.seq, "Use eval() here")
    assert after.result == "ALLOWED"
    changed = dmm.timelines.diff(first.seq, second.seq)
    assert "eval" in str(changed)
    (link, *_) = dmm.timelines.trace_provenance(second.seq).chain
    assert link.payload is not None
    assert link.payload["replaces"] == first.seq
    shown = dmm.timelines.time_travel(first.seq).historical_state.constraints
    assert [(one.id, one.state) for one in shown] == [("eval", "checked on decisions only")]
    context = dmm.ledger.get_memory_context().constraints
    assert [one.state for one in context] == ["", "advice"]


def test_a_rule_file_is_lifted_in_its_file_and_not_by_number(dmm: Dmm) -> None:
    written = dmm.shelf.write("pushing", GOOD.replace("{id}", "pushing"))
    with pytest.raises(LedgerRefused) as caught:
        dmm.ledger.deactivate(written.seq)
    assert "dmm rules disable pushing" in str(caught.value.hint)


def test_a_redacted_rule_is_said_to_stay_in_force(dmm: Dmm) -> None:
    written = dmm.shelf.write("pushing", GOOD.replace("{id}", "pushing"))
    told = str(dmm.redactions.plan([written.seq]))
    assert "rules/pushing.md, which stays active" in told


def test_rules_that_cannot_both_hold_are_named_with_both_files(dmm: Dmm) -> None:
    order = (
        "---\nbefore: {command: git push}\nrequire:\n  - command: make lint\n---\n# Lint first\n"
    )
    put(dmm, "lint", order)
    put(dmm, "no-make", "---\nmatch: {command: make}\n---\n# Never use make\n")
    assert found(dmm) == [("rules/lint.md", "warning", "clash")]
    (finding,) = [one for one in dmm.validation.check().findings if one.check == "clash"]
    told = "it contradicts rules/no-make.md: it requires `make lint`, which is denied"
    assert finding.message == told
