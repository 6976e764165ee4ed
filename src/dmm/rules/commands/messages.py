"""Messages: commit messages, pull requests, and the names of new branches and tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from dmm.rules.commands.facts import MessageUse
from dmm.rules.commands.flow import located
from dmm.rules.commands.operands import row_of
from dmm.rules.commands.paths import selected
from dmm.rules.commands.runs import STANDARD_INPUT
from dmm.rules.commands.tools import first_text, words_of_name
from dmm.rules.commands.values import Output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.rules.commands.facts import CommandUse, MessageKind
    from dmm.rules.commands.scripts import TextOf
    from dmm.rules.commands.values import Word

_MOST = 20_000
_NAMES = frozenset({"branch", "tag"})


def messages_of(use: CommandUse, files: TextOf | None) -> list[MessageUse]:
    """List the messages and new names that an invocation gives."""
    held = row_of(use, "messages.txt")
    if held is None or use.options.has_exactly("--help"):
        return []
    row, skipped = held
    found: dict[str, list[str]] = {}
    for kind, selector, _ in row.uses:
        texts = _texts(use, selector, use.options.operands[skipped:], files)
        found.setdefault(kind, []).extend(text for text in texts if text)
    span = use.invocation.span
    return [
        MessageUse(cast("MessageKind", kind), text[:_MOST], span)
        for kind, texts in found.items()
        for text in (texts if kind in _NAMES else ["\n\n".join(texts)])
        if text
    ]


def _texts(
    use: CommandUse, selector: str, operands: tuple[Word, ...], files: TextOf | None
) -> list[str]:
    """Return the texts that a selector of the table means."""
    if selector == "renamed":
        return [_renamed_by(word.text) for word in operands[1:]]
    texts = [word.text for word in selected(use, selector.removeprefix("<"), operands)]
    if selector.startswith("<"):
        return [_held(use, text, files) for text in texts]
    if selector == "--trailer":
        return ["\n".join(re.sub(r"^([\w-]+)=", r"\1: ", one) for one in texts)]
    return texts


def _renamed_by(refspec: str) -> str:
    """Name the branch that a refspec makes under a name of its own: `HEAD:refs/heads/topic`."""
    source, colon, target = refspec.lstrip("+").partition(":")
    name = target.removeprefix("refs/heads/")
    return "" if not colon or not source or source.removeprefix("refs/heads/") == name else name


def _held(use: CommandUse, path: str, files: TextOf | None) -> str:
    """Return the text that comes in, or of a file that the call has just written or that exists."""
    where = located(path, use.invocation.context.directory)
    if path in STANDARD_INPUT:
        output = use.script.input_of(use.invocation)
    else:
        output = use.script.written.get(where) or Output(paths=(where,))
    if output.text is not None or files is None:
        return (output.text or "").rstrip("\n")
    return "".join(files(one) or "" for one in output.paths)


_BY_ARGUMENT: tuple[tuple[MessageKind, str, tuple[str, ...]], ...] = (
    ("pr_title", r"(?:pull|merge)request|pr", ("title",)),
    ("pr_body", r"(?:pull|merge)request|pr", ("body", "description")),
    ("branch", r"(?:create|new)branch", ("branch", "branch_name", "name", "ref")),
    ("branch", r"create(?:pull|merge)request", ("head", "source_branch")),
    ("tag", r"(?:create|new)(?:tag|release)", ("tag", "tag_name", "name")),
    ("commit", r"commit|push|files?|merge", ("message", "commit_message", "commit_title")),
)


def messages_in(tool: str, values: Mapping[str, object]) -> list[MessageUse]:
    """List the messages and new names that a tool of a forge is given."""
    words = [one.lower() for one in re.findall(r"[A-Z]?[a-z]+", tool)]
    if not words_of_name(tool) & _WRITING:
        return []
    name = "".join(words)
    span = (0, len(tool))
    found = []
    for kind, form, keys in _BY_ARGUMENT:
        text = first_text(values, keys) if re.search(form, name) else None
        if text:
            found.append(MessageUse(kind, text[:_MOST], span))
    return found


_WRITING = frozenset({"create", "update", "edit", "new", "push", "commit", "merge", "open", "add"})
