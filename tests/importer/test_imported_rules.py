"""Binding sentences of instruction files become rule files when they are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.checks import Asked
from dmm.rules.rule import State

if TYPE_CHECKING:
    from tests.conftest import Opener, Project

CLAUDE = """# Working here

The service runs on Flask. **Never commit to main.** Use pnpm, not npm.

- Do not edit `generated/`.
- Always write clearly.
"""


def test_each_binding_sentence_becomes_a_rule_with_its_origin(
    project: Project, open_project: Opener
) -> None:
    (project.folder / "CLAUDE.md").write_text(CLAUDE)
    dmm = open_project(project)
    planned = dmm.importer.plan([project.folder / "CLAUDE.md"])
    assert [(one.rule.origin, one.state) for one in planned.rules] == [
        ("CLAUDE.md:3", State.ENFORCED),
        ("CLAUDE.md:3", State.ENFORCED),
        ("CLAUDE.md:5", State.ENFORCED),
        ("CLAUDE.md:6", State.ADVICE),
    ]
    assert not list((project.dmm / "rules").glob("*.md"))
    dmm.importer.apply(planned)
    held = {one.rule.id: one for one in dmm.shelf.rules()}
    assert held["use-pnpm-not-npm"].rule.title == "Use pnpm, not npm."
    assert dmm.rules.check(Asked("npm install"))["outcome"] == "denied"


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
