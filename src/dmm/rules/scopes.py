"""Scopes: where a rule holds, as far as a tool call shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from dmm.domain.value import Value
from dmm.rules.commands.branches import branches_of, same_branch
from dmm.rules.commands.facts import CommandUse, ToolCall, relative_path

if TYPE_CHECKING:
    from dmm.rules.commands.facts import CallFacts

ENVIRONMENTS = {
    "production": ("production", "prod", "prd", "live"),
    "staging": ("staging", "stage", "stg"),
    "development": ("development", "dev", "local", "localhost"),
    "test": ("test", "testing", "qa", "sandbox"),
}

Kind = Literal["branch", "folder", "environment"]
_PARTS = re.compile(r"[^a-z0-9]+")


class Scope(Value):
    """A branch, a folder or an environment that a rule is limited to; any one of the names."""

    kind: Kind
    names: tuple[str, ...]

    def holds(self, facts: CallFacts, subject: object) -> bool | None:
        """Whether the call is inside the scope; none when it doesn't show."""
        if self.kind == "branch":
            return self._on_branch(facts, subject)
        if self.kind == "folder":
            return self._in_folder(facts, subject)
        return self._in_environment(facts, subject)

    def _on_branch(self, facts: CallFacts, subject: object) -> bool | None:
        if isinstance(subject, CommandUse):
            branches = branches_of(subject)
        else:
            branches = (facts.call.branch,) if facts.call.branch else ()
        if not branches:
            return None
        return any(same_branch(one, name) for one in branches for name in self.names)

    def _in_folder(self, facts: CallFacts, subject: object) -> bool | None:
        cwd = facts.call.cwd
        inner = ""
        if isinstance(subject, CommandUse):
            inner = relative_path(subject.invocation.context.directory, cwd)
        whole = f"{cwd or ''}/{inner}" if not inner.startswith(("/", "~")) else inner
        parts = [part for part in whole.replace("\\", "/").split("/") if part not in ("", ".")]
        if not parts:
            return None
        wanted = [name.strip("/").split("/") for name in self.names]
        inside = any(_holds_run(parts, run) for run in wanted)
        return inside or (False if cwd or inner else None)

    def _in_environment(self, facts: CallFacts, subject: object) -> bool | None:
        words = _words(facts, subject)
        wanted = {word for name in self.names for word in ENVIRONMENTS[name]}
        if words & wanted:
            return True
        others = {word for group in ENVIRONMENTS.values() for word in group} - wanted
        return False if words & others else None

    def describe(self) -> str:
        """Return where the rule applies, in words."""
        lead = {"branch": "on the branch", "folder": "in the folder", "environment": "in"}
        return f"{lead[self.kind]} {' or '.join(self.names)}"


def _holds_run(parts: list[str], run: list[str]) -> bool:
    return any(parts[at : at + len(run)] == run for at in range(len(parts) - len(run) + 1))


def _words(facts: CallFacts, subject: object) -> set[str]:
    """List the words of a call's arguments and environment, split at marks."""
    if isinstance(subject, CommandUse):
        invocation = subject.invocation
        texts = [*invocation.argv[1:], *(value for _, value in invocation.env)]
    elif isinstance(subject, ToolCall):
        texts = [str(value) for value in subject.input.values()]
    else:
        texts = [facts.text]
    return {part for text in texts for part in _PARTS.split(text.lower())}
