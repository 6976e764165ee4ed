"""Find the files that a command would read or change.

The table of operands says it of programs that are known. An operand of any other program counts as
read; what an option names (a key, a configuration) is used, not shown.
"""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from dmm.rules.commands.facts import PathUse, located
from dmm.rules.commands.ignoring import holds_selected, may_select, selects
from dmm.rules.commands.operands import arriving, parted, row_of
from dmm.rules.commands.options import SUBCOMMANDED
from dmm.rules.commands.procedures import FORMAT, PROCEDURE_CHECKS, PROGRAMS
from dmm.rules.commands.runs import SHELLS, language_of
from dmm.rules.commands.searches import FINDERS, found_by
from dmm.rules.commands.values import Word, inside
from dmm.rules.commands.wordlists import listed, names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.facts import Access, CommandUse

Found = list[tuple["Word", "Access", str]]

_UPLOADS = names("cp copy put upload scp mv move sync gist")
_SENDERS = listed("downloaders")
_LOADERS = names("export env declare typeset local readonly eval")
_FINDING = FINDERS | {"xargs", "gxargs", "parallel"}
_NOWHERE = names("- /dev/null /dev/stdout /dev/stderr")


def path_uses(use: CommandUse) -> list[PathUse]:
    """List the files that an invocation would read or change."""
    found = _redirected(use)
    if use.invocation.words:
        loads = _loads(use)
        for word, access, reach in _by_program(use):
            # What only sets variables is loaded, not shown; what is changed stays a change.
            found.append((word, "load" if loads and access == "read" else access, reach))
        if use.invocation.program not in PROGRAMS and _formats(use):
            found.append((_HERE, "write", "any"))
    return [one for held in found if held[0].text for one in _uses(use, *held)]


def _uses(use: CommandUse, word: Word, access: Access, reach: str) -> list[PathUse]:
    wild = not word.quoted and _is_wild(word)
    path = _seen_from(use, word)
    span = use.invocation.span
    if access == "delete" and use.invocation.context.via[-1:] and not reach:
        reach = "deep" if use.invocation.context.via[-1] in _FINDING else ""
    found = [PathUse(path, access, span, wild, reach)]
    if wild and access != "read" and path.endswith("/*"):
        # Whoever writes over all that a folder holds, writes over the folder.
        found.append(PathUse(path.removesuffix("/*"), access, span))
    return found


def _is_wild(word: Word) -> bool:
    text = (
        re.sub(r"\$\{[^}]*\}|\$\([^)]*\)|\$[*?@#!]", "", word.text) if word.expands else word.text
    )
    return any(mark in text for mark in "*?[")


def _formats(use: CommandUse) -> bool:
    """Whether a script or a target formats files that nobody can name here."""
    words = use.invocation.argv[1:]
    return PROCEDURE_CHECKS[FORMAT](use) is not None and not any("check" in word for word in words)


def _redirected(use: CommandUse) -> Found:
    invocation = use.invocation
    inner = invocation.context.parent is not None
    if inner and invocation.context.via[-1:] == ("sudo",):
        return []
    found: Found = [(one.target, "write", "") for one in invocation.redirections if one.writes]
    return found + [(one.target, "read", "") for one in invocation.redirections if one.reads]


def _loads(use: CommandUse) -> bool:
    """Return whether a command's output only sets variables, as with `source`."""
    parent = use.invocation.context.parent
    if parent is None or use.invocation.context.via[-1:] != ("substitution",):
        return False
    return use.script.invocations[parent].program in _LOADERS


def _by_program(use: CommandUse) -> Found:
    program = use.invocation.program
    held = row_of(use)
    if held is not None:
        row, skipped = held
        found: Found = [
            (word, cast("Access", access), reach)
            for access, selector, reach in row.uses
            for word in selected(use, selector, use.options.operands[skipped:])
            if word.text not in _NOWHERE
        ]
        return (_attached(use) if program in _SENDERS else []) + found
    if program in SUBCOMMANDED:
        return _uploaded(use)
    if language_of(program):
        read = () if use.options.has_exactly("-m") else use.options.operands[1:]
        return [(word, "read", "") for word in read]
    return _attached(use) + ([] if program in _SENDERS else _plain(use))


def selected(use: CommandUse, selector: str, operands: tuple[Word, ...]) -> Sequence[Word]:
    """Choose the arguments that a selector of the table means."""
    if selector in _BY_PLACE:
        return operands[_BY_PLACE[selector]]
    if selector in _BY_MEANING:
        return _BY_MEANING[selector](use, operands)
    if selector.endswith("="):
        words = [word for word in use.invocation.words[1:] if word.text.startswith(selector)]
        return [word._replace(text=word.text[len(selector) :]) for word in words]
    return use.options.values_of(selector)


_BY_PLACE = {"*": slice(None), "1": slice(1), "2-": slice(1, None), "-1": slice(-1, None)}
_HERE = Word(".", 0, 0)


def _sources(use: CommandUse, operands: tuple[Word, ...]) -> Sequence[Word]:
    return parted(use.invocation.program, use.options, operands)[0]


def _arriving(use: CommandUse, operands: tuple[Word, ...]) -> list[Word]:
    sources, target = parted(use.invocation.program, use.options, operands)
    if target is None:
        return []
    folder = len(sources) == len(operands)
    return list(dict.fromkeys((target, *arriving(sources, target, folder=folder))))


def _saved(use: CommandUse, operands: tuple[Word, ...]) -> list[Word]:
    """Name the files that a download is saved as: the ends of its addresses."""
    folder = use.options.values_of("-P|--directory-prefix|--output-dir")
    before = f"{folder[-1].text.rstrip('/')}/" if folder else ""
    named = (
        re.match(r"(?>(?:\w+://)?)[^/?#]+/(?:[^?#]*/)?([^/?#]+)", word.text) for word in operands
    )
    return [
        word._replace(text=f"{before}{name[1]}")
        for word, name in zip(operands, named, strict=True)
        if name
    ]


def _packed(use: CommandUse, operands: tuple[Word, ...]) -> Sequence[Word]:
    """Leave out what an archive command excludes."""
    texts = use.invocation.argv
    left_out = use.invocation.words[texts.index("-x") :] if "-x" in texts else ()
    return [word for word in operands[1:] if word not in left_out]


_BY_MEANING: dict[str, Callable[[CommandUse, tuple[Word, ...]], Sequence[Word]]] = {
    "..-1": _sources,
    "into": _arriving,
    "--": lambda use, _: use.options.separated,
    ".": lambda *_: [_HERE],
    "!.": lambda _, operands: [] if operands else [_HERE],
    "?.": lambda _, operands: [_HERE] if operands else [],
    "found": lambda use, _: found_by(use.invocation.words),
    "url": _saved,
    "packed": _packed,
    "colon": lambda _, operands: [
        word._replace(text=word.text.partition(":")[2]) for word in operands if ":" in word.text
    ],
}


def _uploaded(use: CommandUse) -> Found:
    operands = use.options.operands
    at = next((at for at, word in enumerate(operands) if word.text in _UPLOADS), None)
    return [] if at is None else [(word, "read", "") for word in operands[at + 1 :]]


def _attached(use: CommandUse) -> Found:
    """Find files that arguments hand over: `@file`, `name=@file`, `file://…`."""
    found: Found = []
    for word in use.invocation.words[1:]:
        attached = re.search(r"(?:^|=)[@<](?!\()([^;,]+)|\bfile://([^\s;,]+)", word.text)
        if attached:
            text = attached[1] or attached[2].removeprefix("localhost")
            found.append((word._replace(text=text), "read", ""))
    return found


def _plain(use: CommandUse) -> Found:
    """Take the operands of a program that nothing is known of, not the values of its options."""
    words = use.invocation.words
    found: Found = []
    for before, word in pairwise(words):
        text = word.text
        valued = before is not words[0] and before.text.startswith("-") and before.text != "--"
        path = not text.startswith("-") and "://" not in text and not re.search(r"\s", text)
        if path and not valued:
            found.append((word, "read", ""))
    return found


def covers(use: PathUse, globs: str, folder: str | None = None) -> bool:
    """Whether the globs of a rule cover a file, or what wildcards of the call are aimed at.

    A folder that is deleted or renamed takes along what it holds.
    """
    if selects(use.path, globs, folder):
        return True
    takes_folder = use.access in ("delete", "rename") and use.reach in ("", "all", "deep")
    if takes_folder and holds_selected(use.path, globs, folder):
        return True
    return use.glob and may_select(use.path, globs, folder, written=use.changes)


def may_change(use: PathUse, globs: str) -> bool:
    """Return whether a use with unknown targets may change files that match globs."""
    if not use.changes or covers(use, globs, ""):
        return use.changes
    if use.reach in ("", "link") or use.path == ".":
        return use.path == "." and use.reach not in ("", "link")
    anywhere = any("/" not in line.strip("/") for line in globs.split("\n"))
    return anywhere or holds_selected(use.path, globs, "")


def script_of(use: CommandUse) -> str | None:
    """Return the path of the script that an invocation runs, by itself or by an interpreter."""
    program = use.invocation.program
    if program in SHELLS or program in ("source", ".") or language_of(program):
        named = [word for word in use.options.operands if not use.options.has_exactly("-c")]
        text = named[0].text if named else ""
    else:
        text = use.invocation.words[0].text if use.invocation.words else ""
    return inside(use.invocation.context.directory, text) or None


def _seen_from(use: CommandUse, word: Word) -> str:
    return located(use.call, seen_from(use, word))


def seen_from(use: CommandUse, word: Word) -> str:
    """Return a word as a path, relative to where the call begins."""
    text = word.text.partition(":")[2] if ":" in word.text[1:] else word.text
    return inside(use.invocation.context.directory, text)


def links_of(commands: Sequence[CommandUse]) -> dict[str, tuple[str, int]]:
    """Return the links that a call makes, with their targets and where it makes them."""
    found: dict[str, tuple[str, int]] = {}
    for use in commands:
        words = use.options.operands
        if use.invocation.program != "ln" or not words:
            continue
        target, name = words[0].text, words[-1].text if len(words) > 1 else ""
        link = name or target.rstrip("/").rpartition("/")[2]
        place = _seen_from(use, words[0]._replace(text=link))
        symbolic = use.options.has_exactly("-s|--symbolic")
        folder = posixpath.dirname(place)
        relative = symbolic and not target.startswith(("/", "~", "$")) and "/" in place
        whole = f"{folder}/{target}" if relative else _seen_from(use, words[0])
        found[place] = posixpath.normpath(whole), use.invocation.span[0]
    return found
