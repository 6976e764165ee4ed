"""The rules in force as a file, for a hook that has to judge alone."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Literal

from dmm.domain.value import Value
from dmm.errors import UsageError
from dmm.reading import WorkTree, read_changed, read_script

if TYPE_CHECKING:
    from dmm.rules.callbook import CallBook, Ruling
    from dmm.rules.commands.calls import TextOf, ToolCall

OnFailure = Literal["allow", "ask", "deny"]


class RulesOnFile(Value):
    """The rules in force as they were last written, and what to do where they can't be used.

    `libraries` are the folders of what searches texts: a hook begins without the site's packages.
    """

    book: CallBook
    on_failure: OnFailure = "allow"
    libraries: tuple[str, ...] = ()


def write_rules(rules: RulesOnFile) -> bytes:
    """Write the rules as the bytes of a rule file."""
    from dmm.rules.stored import book_to_dict

    data = {
        "on_failure": rules.on_failure,
        "libraries": list(rules.libraries),
        "rules": book_to_dict(rules.book),
    }
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def read_rules(data: bytes) -> RulesOnFile:
    """Read a rule file; one that another version wrote is refused."""
    from dmm.rules.stored import book_from_dict

    try:
        stored = json.loads(data)
        folders = tuple(map(str, stored["libraries"]))
        return RulesOnFile(book_from_dict(stored["rules"]), stored["on_failure"], folders)
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError("the rule file can't be read") from error


def read_on_failure(data: bytes) -> OnFailure:
    """Read what a rule file, or the user's own settings, say about a call nobody can check."""
    try:
        stored = json.loads(data)
        value = stored.get("on_failure") or stored.get("enforcement", {}).get("on_failure")
    except (ValueError, AttributeError):
        return "allow"
    return value if value in ("ask", "deny") else "allow"


def rule_by_file(rules: RulesOnFile, call: ToolCall) -> Ruling:
    """Rule on a call by the rules on file; what was done before it is not known there."""
    return rules.book.rule(call, None, *files_of(call))


def files_of(call: ToolCall) -> tuple[TextOf, TextOf, WorkTree | None]:
    """Return what reads the scripts that a call runs, the files it changes, and their tree."""
    root = call.root or call.cwd
    tree = WorkTree(root) if root else None
    return partial(read_script, call.cwd), partial(read_changed, call.cwd), tree
