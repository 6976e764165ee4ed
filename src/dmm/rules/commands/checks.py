"""Named checks on one invocation, for what flags and globs can't say; each gives its evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.procedures import PROCEDURE_CHECKS, WORDS_FOR_PROCEDURES
from dmm.rules.commands.runs import SHELLS, language_of
from dmm.rules.commands.searches import roots_of
from dmm.rules.commands.targets import Target, judge_target
from dmm.rules.commands.wordlists import listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.rules.commands.facts import CommandUse

_DOWNLOADERS = listed("downloaders")
_DEVICE = r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper/|dm-|loop|md)\w*"
_ROOT_LIKE = (
    r"/|/\*|/(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|srv|sys|usr|var|Users|System)/?\*?"
    r"|~/?\*?|\$\{?HOME\}?/?\*?"
)
_WHOLE_TREE = frozenset({".", "./", "*", "./*", ":/", ":/*"})
_FILTERS = frozenset({
    "-name", "-iname", "-path", "-wholename", "-regex", "-mtime", "-mmin", "-newer", "-size",
    "-empty", "-user", "-atime", "-ctime", "-amin", "-cmin", "-perm", "-ipath", "-iregex",
})  # fmt: skip

_SQL_COMMENT = r"--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)"
_SQL_LITERAL = r"'(?:[^']|'')*'"
_DESTROYS = (
    r"(?im)(?:^|;)\s*(?:drop\s+(?:database|schema|table|tablespace|role|user|keyspace|collection)\b"
    r"|truncate\b(?:\s+table)?\s+[\w\"`.$]|delete\s+from\s+[\w\"`.$]+\s*(?:;|$)"
    r"|alter\s+table\s+[\w\"`.$]+\s+drop\s+(?:column|partition)\b)"
)
_DOCUMENTS = (
    r"\.dropDatabase\s*\(|\.drop\s*\(\s*\)|\.deleteMany\s*\(\s*\{\s*\}\s*\)"
    r"|\.remove\s*\(\s*\{\s*\}\s*\)"
)
_MAX_STATEMENT = 20_000


def _targets(use: CommandUse, wanted: Target) -> str | None:
    directory = use.invocation.context.directory
    for word in use.options.operands:
        if use.script.from_file and ("$" in word.text or directory[:1] in ("$", "`")):
            # A script of the project knows what it has put into its variables.
            continue
        target, why = judge_target(word, directory, use.call.cwd)
        if target is wanted:
            return f"{word.text} is {why}"
    return None


def removes_unsafe(use: CommandUse) -> str | None:
    """Find a removal target that is never safe, or no visible target at all."""
    if not use.options.operands and use.options.has("-f|--force"):
        return None if use.script.from_file else "no target is visible"
    return _targets(use, Target.UNSAFE)


def removes_work(use: CommandUse) -> str | None:
    """Find a removal target that is a part of the working tree and no build output.

    A script of the project may clean up after itself.
    """
    return None if use.script.from_file else _targets(use, Target.WORK)


def finds_and_deletes(use: CommandUse) -> str | None:
    """Find `find -delete` over a root, the home, or a tree without any filter."""
    texts = [word.text for word in use.invocation.words[1:]]
    filtered = any(text in _FILTERS for text in texts)
    for root in roots_of(use.invocation.words):
        target, why = judge_target(root, use.invocation.context.directory, use.call.cwd)
        everything = re.fullmatch(_ROOT_LIKE, root.text)
        if everything or (not filtered and target is not Target.SAFE):
            return f"{root.text} is {why}"
    return None


def discards_files(use: CommandUse) -> str | None:
    """Find paths whose uncommitted changes would be thrown away."""
    if use.options.separated:
        return f"{use.options.separated[0].text} would lose its uncommitted changes"
    for word in use.options.operands[1:]:
        if word.text in _WHOLE_TREE:
            return "the whole tree would lose its uncommitted changes"
    return None


def restores_files(use: CommandUse) -> str | None:
    """Find a `git restore` that writes over files, not only over the index."""
    staged = use.options.has("-S|--staged")
    if staged and not use.options.has("-W|--worktree"):
        return None
    return "uncommitted changes would be lost" if len(use.options.operands) > 1 else None


def destroys_data(use: CommandUse) -> str | None:
    """Find a destroying statement in the arguments, the here-documents or the piped text."""
    texts = [word.text for word in use.invocation.words[1:]]
    texts.append(use.script.input_of(use.invocation).text or "")
    for text in texts:
        value = text.partition("=")[2] if text.startswith("--") else text
        found = _destroying_statement(value) or _destroying_call(value)
        if found:
            return f"the statement `{found.strip()}`"
    return None


def _destroying_statement(text: str) -> str | None:
    """Return the first statement that drops, truncates or empties; comments and literals aside."""
    plain = re.sub(_SQL_LITERAL, "''", re.sub(_SQL_COMMENT, " ", text[:_MAX_STATEMENT]))
    found = re.search(_DESTROYS, plain)
    return found.group().lstrip("; \t\n") if found else None


def _destroying_call(text: str) -> str | None:
    """Return the first call of a document database that drops or empties a collection."""
    found = re.search(_DOCUMENTS, text[:_MAX_STATEMENT])
    return found.group() if found else None


def runs_download(use: CommandUse) -> str | None:
    """Find code that is run as it comes from the network, unread."""
    invocation = use.invocation
    program = invocation.program
    is_shell = program in SHELLS or program in ("eval", "source", ".")
    if not is_shell and not language_of(program):
        return None
    sources = _piped_sources(use)
    if is_shell:
        sources += [
            one.program
            for one in use.script.children(invocation)
            if one.context.in_substitution and one.program in _DOWNLOADERS
        ]
        outer = invocation.context.parent
        if any("<(" in word.text for word in invocation.words) and outer is not None:
            sources += [
                one.program
                for one in use.script.children(use.script.invocations[outer])
                if one.program in _DOWNLOADERS
            ]
    sources += _embedded_sources(use) if program in SHELLS or program == "eval" else []
    return f"code that {sources[0]} fetches is run unread" if sources else None


def _piped_sources(use: CommandUse) -> list[str]:
    invocation = use.invocation
    arguments = [word.text for word in invocation.words[1:]]
    reads_input = all(text.startswith("-") for text in arguments[:1]) and "-c" not in arguments
    if not invocation.context.piped_from or not (reads_input or arguments[:1] == ["-"]):
        return []
    if any(text in ("-m", "-e", "--eval", "-r") for text in arguments):
        return []
    return [one.program for one in use.script.upstream(invocation) if one.program in _DOWNLOADERS]


_EMBEDDED = r"(?:\$\(|`|<\()\s*(?:sudo\s+)?(curl|wget)\b"


def _embedded_sources(use: CommandUse) -> list[str]:
    """See `bash -c "$(curl …)"`: the text to run begins with the download."""
    texts = [word.text.lstrip() for word in use.invocation.words[1:]]
    matches = [re.match(_EMBEDDED, text) for text in texts]
    return [match[1] for match in matches if match]


def writes_device(use: CommandUse) -> str | None:
    """Find a disk device as the target of a write."""
    for word in use.invocation.words[1:]:
        text = word.text.removeprefix("of=")
        written = word.text.startswith("of=") or use.invocation.program != "dd"
        if written and re.match(_DEVICE, text):
            return f"{text} is a disk device"
    return None


def redirects_to_device(use: CommandUse) -> str | None:
    """Find a redirection onto a disk device."""
    for one in use.invocation.redirections:
        if one.writes and re.match(_DEVICE, one.target.text):
            return f"{one.target.text} is a disk device"
    return None


def names_root(use: CommandUse) -> str | None:
    """Find the root, a system folder or the home as an operand."""
    for word in use.options.operands:
        if re.fullmatch(_ROOT_LIKE, word.text):
            return f"{word.text} is a root, a system folder or a home"
    return None


def opens_to_all(use: CommandUse) -> str | None:
    """Find a mode that lets everyone write, on a root, a system folder or a home."""
    modes = [word.text for word in use.options.operands[:1]]
    open_mode = modes and re.fullmatch(
        r"0?[0-7]?[0-7][0-7][2367]|(?:a|o|ugo)?\+\w*w\w*|a=rwx", modes[0]
    )
    return names_root(use) if open_mode else None


CHECKS: dict[str, Callable[[CommandUse], str | None]] = {
    "removes unsafe target": removes_unsafe,
    "removes working tree": removes_work,
    "finds and deletes": finds_and_deletes,
    "discards files": discards_files,
    "restores files": restores_files,
    "destroys data": destroys_data,
    "runs download": runs_download,
    "writes device": writes_device,
    "redirects to device": redirects_to_device,
    "names root": names_root,
    "opens to all": opens_to_all,
    **PROCEDURE_CHECKS,
}
WORDS_FOR_CHECKS = {
    "removes unsafe target": "whose target is a root, the home, the working directory, a path "
    "above it, an absolute path outside the temporary folders, or unknown",
    "removes working tree": "whose target is a part of the working tree and no build output",
    "finds and deletes": "that deletes over a root, the home or a tree without a filter",
    "discards files": "that names files to write over",
    "restores files": "that writes over files and not only the index",
    "destroys data": "with a statement that drops, truncates or empties",
    "runs download": "that runs what curl or wget fetches",
    "writes device": "that writes on a disk device",
    "redirects to device": "whose output goes to a disk device",
    "names root": "on a root, a system folder or a home",
    "opens to all": "with a mode open to all, on a root, a system folder or a home",
    **WORDS_FOR_PROCEDURES,
}
