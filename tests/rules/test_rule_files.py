"""Rule files on disk are rules in force: as agreed to, recorded, and never lifted by a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import Trust
from dmm.errors import DmmError, MemoryFileError
from dmm.eventlog.open_ledger import Actor
from dmm.files.consents import find_consents
from dmm.rules.commands.calls import ToolCall
from dmm.rules.guard import Guard
from dmm.rules.rule import State

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.rules.callbook import Ruling

PUSH = """---
id: no-force-push
match:
  - command: git push --force
examples:
  block:
    - git push --force origin main
  allow:
    - git push origin main
---
# Never force-push

Others build on what was pushed.
"""
DESTROY = """---
match:
  command: terraform destroy
---
# Never run terraform destroy
"""
AGENT = Actor("claude-code", "mcp", Trust.AGENT, "s")


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    return open_project(shop)


def judge(dmm: Dmm, command: str) -> Ruling:
    call = ToolCall("Bash", {"command": command}, str(dmm.root.project))
    return Guard(dmm.project_ledger, dmm.published, dmm.shelf).rule(call)


def put(dmm: Dmm, name: str, text: str) -> None:
    """Write a rule file as an editor or a pull does."""
    path = dmm.root.folder / "rules" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def agree(dmm: Dmm) -> None:
    find_consents(dmm.trust_store, dmm.root.folder).accept()


def events(dmm: Dmm, kind: str = "") -> list[dict[str, object]]:
    log = dmm.project_ledger.reading
    found = log.events_of(["ConstraintAdded", "ConstraintDeactivated"], 0, log.head().seq)
    return [one.payload or {} for one in found if kind in one.type]


def test_a_rule_that_a_person_writes_is_enforced_at_once_and_recorded(dmm: Dmm) -> None:
    written = dmm.shelf.write("no-force-push", PUSH)
    assert (written.rule.id, written.path) == ("no-force-push", "rules/no-force-push.md")
    assert written.state is State.ENFORCED
    assert not written.held
    assert written.seq > 0
    ruling = judge(dmm, "git push -f origin topic")
    assert (ruling.level, ruling.id, ruling.seq) == ("deny", "no-force-push", written.seq)
    assert ruling.reason.startswith('rule no-force-push "Never force-push"')
    assert ruling.suggestion == "Others build on what was pushed."
    assert judge(dmm, "git push origin topic").level == "allow"
    added = events(dmm, "Added")[-1]
    assert (added["text"], added["priority"]) == ("Never force-push", "required")
    rule = added["rule"]
    assert isinstance(rule, dict)
    assert rule == {
        "kind": "file",
        "id": "no-force-push",
        "path": "rules/no-force-push.md",
        "digest": written.digest,
        "place": dmm.project_ledger.place,
        "source": PUSH,
    }


def test_a_rule_that_an_agent_or_a_pull_writes_waits_for_a_person(dmm: Dmm) -> None:
    written = dmm.as_actor(AGENT).shelf.write("no-force-push", PUSH)
    assert written.held
    put(dmm, "terraform", DESTROY)
    assert dmm.shelf.rules() == []
    assert judge(dmm, "git push --force").level == "allow"
    agree(dmm)
    assert [one.rule.id for one in dmm.shelf.rules()] == ["no-force-push", "terraform"]
    assert judge(dmm, "git push --force").level == "deny"
    assert judge(dmm, "terraform destroy").level == "deny"


def test_a_change_that_nobody_agreed_to_leaves_the_agreed_text_in_force(dmm: Dmm) -> None:
    dmm.shelf.write("no-force-push", PUSH)
    assert judge(dmm, "git push --force").level == "deny"
    put(dmm, "no-force-push", PUSH.replace("id: no", "level: advise\nid: no"))
    assert judge(dmm, "git push --force").level == "deny"
    assert [one.held for one in dmm.shelf.rules()] == [True]
    (dmm.root.folder / "rules" / "no-force-push.md").unlink()
    assert judge(dmm, "git push --force").level == "deny"
    agree(dmm)
    assert judge(dmm, "git push --force").level == "allow"
    assert events(dmm)[-1]["reason"] == "removed"


def test_a_changed_rule_replaces_the_one_before_in_the_ledger(dmm: Dmm) -> None:
    first = dmm.shelf.write("no-force-push", PUSH)
    second = dmm.shelf.write("no-force-push", PUSH.replace("match:", "level: ask\nmatch:", 1))
    assert second.state is State.ASKS
    lifted, added = events(dmm)[-2:]
    assert lifted == {
        "seq": first.seq,
        "reason": "changed",
        "id": "no-force-push",
        "path": "rules/no-force-push.md",
    }
    assert added["replaces"] == first.seq
    assert judge(dmm, "git push --force").level == "ask"
    dmm.shelf.write("no-force-push", PUSH.replace("match:", "disabled: true\nmatch:", 1))
    assert events(dmm)[-1]["reason"] == "disabled"
    assert judge(dmm, "git push --force").level == "allow"
    assert [one.rule.disabled for one in dmm.shelf.rules()] == [True]


def test_a_rule_that_moves_to_another_file_is_the_same_rule(dmm: Dmm) -> None:
    first = dmm.shelf.write("no-force-push", PUSH)
    folder = dmm.root.folder / "rules"
    (folder / "no-force-push.md").rename(folder / "pushing.md")
    agree(dmm)
    dmm.shelf.record()
    assert events(dmm)[-1]["replaces"] == first.seq
    assert judge(dmm, "git push --force").level == "deny"
    assert [one.path for one in dmm.shelf.rules()] == ["rules/pushing.md"]


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("no front matter\n", "no front matter", 1),
        (PUSH.replace("match:", "mach:"), "mach", 3),
        (PUSH.replace("id: no", "id: [no"), "not valid YAML", 3),
        (PUSH.replace("- git push origin main", "- git push -f"), "examples.allow", 9),
    ],
)
def test_a_broken_file_is_named_with_its_line_and_lifts_nothing(
    dmm: Dmm, text: str, what: str, line: int
) -> None:
    dmm.shelf.write("no-force-push", PUSH)
    dmm.shelf.write("terraform", DESTROY)
    put(dmm, "no-force-push", text)
    agree(dmm)
    assert judge(dmm, "terraform destroy").level == "deny"
    assert judge(dmm, "git push --force").level == "deny"
    (fault,) = dmm.shelf.faults()
    assert (fault.path, fault.line) == ("rules/no-force-push.md", line)
    assert what in fault.what
    with pytest.raises(MemoryFileError):
        dmm.shelf.write("other", text.replace("no-force-push", "other"))
    assert not (dmm.root.folder / "rules" / "other.md").exists()


def test_two_files_with_one_id_both_hold_and_are_named(dmm: Dmm) -> None:
    dmm.shelf.write("no-force-push", PUSH)
    put(dmm, "aaa", DESTROY.replace("match:", "id: no-force-push\nmatch:"))
    agree(dmm)
    assert judge(dmm, "git push --force").level == "deny"
    assert judge(dmm, "terraform destroy").level == "deny"
    (fault,) = dmm.shelf.faults()
    assert "is also used by rules/aaa.md" in fault.what


def test_a_rule_is_found_by_its_id_and_near_ones_are_named(dmm: Dmm) -> None:
    dmm.shelf.write("no-force-push", PUSH)
    assert dmm.shelf.find("no-force-push").path == "rules/no-force-push.md"
    with pytest.raises(DmmError) as caught:
        dmm.shelf.find("no-forse-push")
    assert "no-force-push" in str(caught.value.hint)


def test_a_removed_rule_is_lifted_by_a_person_alone(dmm: Dmm) -> None:
    dmm.shelf.write("no-force-push", PUSH)
    dmm.as_actor(AGENT).shelf.remove("no-force-push")
    assert judge(dmm, "git push --force").level == "deny"
    dmm.shelf.remove("no-force-push")
    assert judge(dmm, "git push --force").level == "allow"


def test_a_ledger_that_can_not_be_written_or_read_takes_no_file_rule_away(
    dmm: Dmm, shop: Project, open_project: Opener
) -> None:
    dmm.shelf.write("terraform", DESTROY)
    dmm.close()
    ledger = dmm.project_ledger.path
    assert ledger is not None
    ledger.write_bytes(b"no database" * 300)
    for end in ("-wal", "-shm"):
        ledger.with_name(ledger.name + end).unlink(missing_ok=True)
    again = open_project(shop)
    assert judge(again, "terraform destroy").level == "deny"
    with pytest.raises(DmmError):
        judge(again, "make")


def test_worktrees_have_the_rules_of_their_own_files(
    dmm: Dmm, tmp_path: Path, open_project: Opener
) -> None:
    dmm.shelf.write("terraform", DESTROY)
    state = dmm.project_ledger.state()
    assert [one.id for one in dmm.project_ledger.standing(state)] == ["terraform"]
    assert [one.id for one in state.at_place("elsewhere").in_force] == []
