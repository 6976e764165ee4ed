"""Messages: commit messages, pull requests, and the names of new branches and tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.facts import MessageUse
from dmm.rules.commands.flow import located
from dmm.rules.commands.runs import STANDARD_INPUT
from dmm.rules.commands.tools import first_text, words_of_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dmm.rules.commands.facts import CommandUse, MessageKind
    from dmm.rules.commands.scripts import TextOf

    Found = Iterator[tuple[MessageKind, str]]

_NAMING = {
    "checkout": "-b|-B|--orphan",
    "switch": "--create|--force-create|--orphan",
    "worktree": "-b|-B",
}
_OTHER_USES = (
    "--delete|--list|--all|--remotes|--merged|--no-merged|--contains|--show-current"
    "|--set-upstream-to|--unset-upstream|--verify|--points-at|-D"
)
_MOST = 20_000


def messages_of(use: CommandUse, files: TextOf | None) -> list[MessageUse]:
    """List the messages and new names that an invocation gives."""
    program = use.invocation.program
    read = _PROGRAMS.get(program)
    if read is None or not use.options.operands or use.options.has_exactly("--help"):
        return []
    span = use.invocation.span
    return [MessageUse(kind, text[:_MOST], span) for kind, text in read(use, files) if text]


def _git(use: CommandUse, files: TextOf | None) -> Found:
    operands = [word.text for word in use.options.operands]
    name = operands[0]
    if name in ("commit", "merge"):
        yield "commit", _joined(use, "--message", "--file", files)
    elif name in _NAMING:
        yield from (("branch", word.text) for word in use.options.values_of(_NAMING[name]))
    elif name == "branch" and not use.options.has_exactly(_OTHER_USES):
        renames = use.options.has_exactly("--move|-M|--copy|-C")
        named = operands[-1:] if renames else operands[1:2]
        yield from (("branch", one) for one in named if len(operands) > 1)
    elif name == "tag" and not use.options.has_exactly(_OTHER_USES):
        yield from (("tag", one) for one in operands[1:2])
    elif name == "push":
        yield from (("branch", one) for one in map(_renamed_by, operands[2:]))


def _renamed_by(refspec: str) -> str:
    """Name the branch that a refspec makes under a name of its own: `HEAD:refs/heads/topic`."""
    source, colon, target = refspec.lstrip("+").partition(":")
    name = target.removeprefix("refs/heads/")
    return "" if not colon or not source or source.removeprefix("refs/heads/") == name else name


def _joined(use: CommandUse, flag: str, file_flag: str, files: TextOf | None) -> str:
    """Join what a flag says, several times with a blank line between, or else what a file holds."""
    texts = [word.text for word in use.options.values_of(flag)]
    texts += [_held(use, word.text, files) for word in use.options.values_of(file_flag)]
    trailers = [word.text for word in use.options.values_of("--trailer")]
    texts.append("\n".join(re.sub(r"^([\w-]+)=", r"\1: ", one) for one in trailers))
    return "\n\n".join(text for text in texts if text)


def _held(use: CommandUse, path: str, files: TextOf | None) -> str:
    """Give the text that comes in, or of a file that the call has just written or that exists."""
    if path in STANDARD_INPUT:
        bodies = [one.body for one in use.invocation.redirections if one.body]
        read = [one.target.text for one in use.invocation.redirections if one.reads]
        if bodies or not read:
            return bodies[-1] if bodies else _piped(use, files)
        path = read[-1]
    for one in reversed(use.script.invocations[: use.invocation.id]):
        targets = [held.target.text for held in one.redirections if held.writes]
        bodies = [held.body for held in one.redirections if held.body]
        if path in targets and (bodies or one.program in ("echo", "printf")):
            return bodies[-1] if bodies else " ".join(one.argv[1:])
    path = located(path, use.invocation.context.directory)
    return (files(path) if files is not None else None) or ""


def _piped(use: CommandUse, files: TextOf | None) -> str:
    for one in use.script.upstream(use.invocation) if use.invocation.context.piped_from else ():
        bodies = [held.body for held in one.redirections if held.body]
        if bodies or one.program in ("echo", "printf"):
            return bodies[-1] if bodies else " ".join(one.argv[1:])
        if one.program == "cat" and files is not None:
            named = [located(text, one.context.directory) for text in one.argv[1:]]
            return "".join(files(path) or "" for path in named)
    return ""


def _forge(body: str, body_file: str) -> Callable[[CommandUse, TextOf | None], Found]:
    """Read the command line of a forge: pull requests and releases."""

    def read(use: CommandUse, files: TextOf | None) -> Found:
        operands = [word.text for word in use.options.operands]
        if operands[:1] in (["pr"], ["mr"]) and operands[1:2] and operands[1] in _WRITTEN:
            yield "pr_title", "\n".join(word.text for word in use.options.values_of("--title"))
            yield "pr_body", _joined(use, body, body_file, files)
        elif operands[:2] == ["release", "create"]:
            yield from (("tag", one) for one in operands[2:3])

    return read


_WRITTEN = ("create", "new", "edit", "update")
_PROGRAMS: dict[str, Callable[[CommandUse, TextOf | None], Found]] = {
    "git": _git,
    "gh": _forge("--body", "--body-file"),
    "glab": _forge("--description", "--description-file"),
}
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
