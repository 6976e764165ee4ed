"""The built-in rule, active wherever any rule is: only a person changes the rules."""

from __future__ import annotations

from dmm.rules.callbook import CallEntry
from dmm.rules.commands.facts import ToolCall
from dmm.rules.patterns import Action, PathPattern, ToolRule
from dmm.rules.starter import command

# No rule file can have this id: it holds a colon.
ID = "built-in:rules"
TEXT = "Only a person changes the rules."
_FILES = ("**/.dmm", "**/.dmm/rules", "**/.dmm/rules/**")
_RULE = ToolRule(
    id=ID,
    patterns=(
        command("dmm rules disable|enable|edit|accept|adopt"),
        command("dmm trust ; not --list"),
        command("dmm ledger accept"),
        command("dmm ledger constraint --deactivate"),
        *(PathPattern(glob, ("write",)) for glob in _FILES),
    ),
    reason="only a person may change the rules",
    suggestion="Ask the user to do it in a terminal, or propose a rule: dmm rules add.",
    blocked=ToolCall("Bash", {"command": "dmm rules disable never-push-to-main"}),
    allowed=ToolCall("Read", {"file_path": ".dmm/rules/never-push-to-main.md"}),
    action=Action.ASK,
)
BUILT_IN = (CallEntry(0, TEXT, _RULE, id=ID),)
