"""Binding sentences of instruction files become rule files when they are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.errors import UsageError
from dmm.rules.checks import Asked
from dmm.rules.commands.calls import ToolCall
from dmm.rules.rule import State

if TYPE_CHECKING:
    from tests.conftest import Opener, Project

CLAUDE = """# Working here

The service runs on Flask. **Never commit to main.** Use pnpm, not npm.

- Do not edit `generated/`.
- Always write clearly.
"""


def test_a_sentence_that_calls_can_break_becomes_a_rule_and_the_others_stay_always_on(
    project: Project, open_project: Opener
) -> None:
    (project.folder / "CLAUDE.md").write_text(CLAUDE)
    dmm = open_project(project)
    planned = dmm.importer.plan([project.folder / "CLAUDE.md"])
    assert [(one.rule.origin, one.state) for one in planned.rules] == [
        ("CLAUDE.md:3", State.ENFORCED),
        ("CLAUDE.md:3", State.ENFORCED),
        ("CLAUDE.md:5", State.ENFORCED),
    ]
    (baseline,) = (one.memory for one in planned.plan.memories if one.memory.scope == "baseline")
    assert "- Always write clearly." in baseline.body
    assert "main" not in baseline.body
    assert not list((project.dmm / "rules").glob("*.md"))
    dmm.importer.apply(planned)
    held = {one.rule.id: one for one in dmm.shelf.rules()}
    assert held["use-pnpm-not-npm"].rule.title == "Use pnpm, not npm."
    assert dmm.rules.check(Asked("npm install")).outcome == "denied"


def test_a_sentence_that_would_stop_all_work_but_on_some_files_stays_always_on(
    project: Project, open_project: Opener
) -> None:
    text = "- **Translations**:\n  - Only update `en.yml` and `en.json`.\n"
    (project.folder / "CLAUDE.md").write_text(f"{text}- Only edit files in `src/`.\n")
    dmm = open_project(project)
    planned = dmm.importer.plan([project.folder / "CLAUDE.md"])
    assert [one.rule.origin for one in planned.rules] == ["CLAUDE.md:3"]
    (baseline,) = (one.memory for one in planned.plan.memories if one.memory.scope == "baseline")
    assert "Only update `en.yml` and `en.json`." in baseline.body


def test_an_imported_rule_on_text_lets_a_line_that_breaks_it_be_edited(
    project: Project, open_project: Opener
) -> None:
    (project.folder / "CLAUDE.md").write_text("Never use `process.env` directly.\n")
    dmm = open_project(project)
    dmm.importer.apply(dmm.importer.plan([project.folder / "CLAUDE.md"]))
    (project.folder / "a.ts").write_text("const a = process.env.A;\n")
    folder = str(project.folder)

    def judge(new: str) -> str:
        values = {"file_path": "a.ts", "old_string": "const a = process.env.A;", "new_string": new}
        return dmm.rules.guard.judge(ToolCall("Edit", values, folder, root=folder)).level

    assert judge("export const a = process.env.A;") == "allow"
    assert judge("const a = process.env.A;\nconst b = process.env.B;") == "deny"


def test_a_rule_that_holds_already_is_not_imported_again(
    project: Project, open_project: Opener
) -> None:
    (project.folder / "CLAUDE.md").write_text(CLAUDE)
    dmm = open_project(project)
    dmm.importer.apply(dmm.importer.plan([project.folder / "CLAUDE.md"]))
    assert dmm.importer.plan([project.folder / "CLAUDE.md"]).rules == ()


def test_a_nested_file_makes_rules_for_its_folder(project: Project, open_project: Opener) -> None:
    nested = project.folder / "packages" / "web"
    nested.mkdir(parents=True)
    (nested / "AGENTS.md").write_text("Do not edit `generated/`.\n")
    dmm = open_project(project)
    (planned,) = dmm.importer.plan([nested / "AGENTS.md"]).rules
    assert planned.rule.folder == "packages/web"


def test_proposed_rules_ask_until_a_person_accepts_them(
    project: Project, open_project: Opener
) -> None:
    (project.folder / "CLAUDE.md").write_text(CLAUDE)
    dmm = open_project(project)
    told = dmm.importer.submit(dmm.importer.plan([project.folder / "CLAUDE.md"]))
    assert len(told.proposed_rules) == 3
    assert not list((project.dmm / "rules").glob("*.md"))
    assert dmm.rules.check(Asked("npm install")).outcome == "asks"
    assert dmm.importer.plan([project.folder / "CLAUDE.md"]).rules == ()
    dmm.rules.accept([str(one) for one in told.proposed_rules])
    assert dmm.rules.check(Asked("npm install")).outcome == "denied"
    assert len(list((project.dmm / "rules").glob("*.md"))) == 3


def test_the_first_of_two_choices_holds_and_the_other_is_not_called_enforced(
    project: Project, open_project: Opener
) -> None:
    text = "Use pnpm, not npm.\n\nUse `pnpm`, not `npm`!\n\nUse bun, not npm.\n"
    (project.folder / "CLAUDE.md").write_text(text)
    planned = open_project(project).importer.plan([project.folder / "CLAUDE.md"])
    assert [one.rule.title for one in planned.rules] == ["Use pnpm, not npm."]
    kept = "\n".join(one.memory.body for one in planned.plan.memories)
    assert "bun" in kept
    assert "pnpm" not in kept


def test_a_chapter_on_tests_makes_rules_for_tests(project: Project, open_project: Opener) -> None:
    text = "# A\n\n## Style\n\nNo `eval()`.\n\n## Testing\n\n- No `Task.Delay` here.\n"
    (project.folder / "CLAUDE.md").write_text(text)
    dmm = open_project(project)
    dmm.importer.apply(dmm.importer.plan([project.folder / "CLAUDE.md"]))

    def outcome(path: str, text: str) -> str:
        return dmm.rules.check(Asked(write=path, text=text)).outcome

    assert outcome("src/a.cs", "await Task.Delay(1);") == "allowed"
    assert outcome("tests/a.cs", "await Task.Delay(1);") == "denied"
    assert outcome("src/a.ts", "eval(x)") == "denied"


def test_a_rule_file_that_waits_for_approval_stops_an_import_before_it_writes(
    project: Project, open_project: Opener
) -> None:
    (project.folder / "CLAUDE.md").write_text(CLAUDE)
    dmm = open_project(project)
    planned = dmm.importer.plan([project.folder / "CLAUDE.md"])
    pulled = project.dmm / "rules" / f"{planned.rules[0].rule.id}.md"
    pulled.parent.mkdir(exist_ok=True)
    pulled.write_text(planned.rules[0].source + "\nAs a colleague has it.\n")
    before = pulled.read_text()
    with pytest.raises(UsageError, match="not approved yet"):
        dmm.importer.apply(planned)
    assert pulled.read_text() == before
    assert not (project.memory / planned.plan.memories[0].memory.path).exists()
