"""Judge calls and examples on request, without recording anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.branch import find_branch
from dmm.errors import MemoryFileError, UsageError
from dmm.rules.callbook import recorded_seq
from dmm.rules.commands.calls import ToolCall
from dmm.rules.explain import describe_call
from dmm.rules.faults import decode_rule, find_rule_files
from dmm.rules.folder import find_doubles
from dmm.rules.results import CallChecked, CallFinding, Proved
from dmm.rules.source import find_failures, read_rule
from dmm.rules.views import show_fault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dmm.rules.callbook import Finding, Ruling
    from dmm.rules.results import UncheckedRule
    from dmm.rules.rule import Rule

OUTCOMES = {"allow": "allowed", "warn": "warned", "ask": "asks", "deny": "denied"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A call to judge: a shell command, or a tool with its input."""

    command: str | None = None
    write: str | None = None
    text: str = ""
    read: str | None = None
    edit: str | None = None
    old: str = ""
    new: str = ""
    tool: str | None = None
    input: Mapping[str, Any] | None = None
    branch: str | None = None

    def to_call(self, project: Path) -> ToolCall:
        """Return the call as a client would make it in a project."""
        forms = (self.command, self.write, self.read, self.edit, self.tool)
        if sum(one is not None for one in forms) != 1:
            hint = 'for example: dmm check "git push origin main"'
            raise UsageError("name one call: a command, write, read, edit or tool", hint=hint)
        tool, values = self._named()
        branch = self.branch or find_branch(project)
        return ToolCall(tool, values, cwd=str(project), branch=branch)

    def _named(self) -> tuple[str, Mapping[str, Any]]:
        if self.command is not None:
            return "Bash", {"command": self.command}
        if self.write is not None:
            return "Write", {"file_path": self.write, "content": self.text}
        if self.read is not None:
            return "Read", {"file_path": self.read}
        if self.edit is not None:
            values = {"file_path": self.edit, "old_string": self.old, "new_string": self.new}
            return "Edit", values
        return self.tool or "", self.input or {}


def show_ruling(call: ToolCall, ruling: Ruling, **more: bool) -> CallChecked:
    """Return the verdict on a call, with every rule that matches it."""
    return CallChecked(
        describe_call(call),
        OUTCOMES[ruling.level],
        ruling.id or None,
        recorded_seq(ruling.seq),
        ruling.text or None,
        ruling.reason,
        ruling.suggestion or None,
        tuple(map(_finding, ruling.findings)),
        **more,
    )


def _finding(one: Finding) -> CallFinding:
    seq, outcome = recorded_seq(one.seq), OUTCOMES[one.level]
    return CallFinding(one.id or None, seq, one.text, outcome, one.reason)


def prove_files(folder: Path, unchecked: tuple[UncheckedRule, ...]) -> Proved:
    """Run the examples of all rule files on disk, without trust, ledger or consent."""
    rules: dict[str, Rule] = {}
    faults: list[MemoryFileError] = []
    files = find_rule_files(folder)
    for path, data in files.items():
        try:
            source = decode_rule(path, data)
            rules[path] = read_rule(path, source)
            faults += find_failures(path, source)
        except MemoryFileError as fault:
            faults.append(fault)
    faults += find_doubles((path, rule.id) for path, rule in rules.items())
    examples = sum(len(one.block) + len(one.allow) for one in rules.values())
    return Proved(len(files), len(rules), examples, tuple(map(show_fault, faults)), unchecked)
