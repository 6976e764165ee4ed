"""Paths and branches that a rule names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.policy.commands.rules import (
    BranchPattern,
    CommandPattern,
    PathPattern,
    Pattern,
)
from dmm.policy.spoken import names
from dmm.policy.spoken.scopes import Scope
from dmm.policy.spoken.things import (
    DETERMINERS,
    IDLE,
    STOPS,
    Found,
    Thing,
    read_list,
    skip,
    word_at,
)
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.commands.calls import Access, Verb
    from dmm.policy.spoken.pieces import Piece, Pieces

_PATH = re.compile(r"[\w./*?~@${}\[\]-]+")
_EXTENSION = re.compile(r"\.\w+")
_FILE = re.compile(r"[\w@-][\w.@-]*\.(\w+)")
_FOLDER_WORDS = word_set("folder folders directory directories dir dirs")
_FILE_WORDS = word_set("file files itself contents")
_FILLERS = word_set("file files anything something code contents content changes edits things data")
_INTO = word_set("in under inside within below to of from into at")
_NO_FOLDER = word_set(
    """current working root home parent source same project right wrong target output other new
    whole entire top build temp temporary different another"""
)
_BRANCH_INTO = word_set("to into on onto in")
_CARRIED = word_set("code anything commits changes work commit your features things")
_BRANCH_WORDS = word_set("branch branches")
_BRANCH_NAME = re.compile(r"[\w./*-]+")
_GROUPS = {
    "protected": ("main", "master", "develop", "production", "release/*"),
    "default": ("main", "master"),
    "release": ("release", "release/*", "release-*"),
}


def read_path(pieces: Pieces, at: int) -> tuple[tuple[str, ...], int] | None:
    """Read a path, a glob, a file name or a named folder."""
    at = skip(pieces, at, DETERMINERS)
    if at >= len(pieces) or pieces[at].mark:
        return None
    piece, following = pieces[at], word_at(pieces, at + 1)
    text = piece.text
    if not _PATH.fullmatch(text) or "//" in text or text.startswith("-"):
        return None
    end = skip(pieces, at + 1, _FILE_WORDS, _FOLDER_WORDS)
    if _EXTENSION.fullmatch(text) and text not in names.DOTFILES and following == "files":
        return (f"*{text}",), end
    if piece.code and text.startswith(".") and "/" not in text:
        ending = text[1:].lower() in names.FILE_ENDINGS and text not in names.DOTFILES
        return (f"*{text}",) if ending else _globs(text), end
    if _is_path(piece) or (following in _FOLDER_WORDS and piece.word not in _NO_FOLDER):
        return _globs(text), end
    return None


def _is_path(piece: Piece) -> bool:
    text = piece.text
    name = text.rstrip("/").rpartition("/")[2]
    ending = _FILE.fullmatch(name)
    if name in names.FILE_NAMES or text in names.DOTFILES or text.startswith(".env"):
        return True
    if "*" in text or (ending is not None and ending[1].lower() in names.FILE_ENDINGS):
        return True
    if "/" not in text:
        return False
    return piece.code or text.endswith("/") or text.startswith(("./", "~/", "/"))


def _globs(text: str) -> tuple[str, ...]:
    plain = text.removeprefix("./")
    if plain in (".env", ".env*"):
        return (".env", ".env.*")
    bare = plain.rstrip("/")
    if "/" not in bare:
        return (bare or "/**",)
    whole = plain if "*" in plain or "." in bare.rpartition("/")[2] else f"{bare}/**"
    if plain.startswith(("/", "~", "**")):
        return (whole,)
    # Seen from elsewhere the same file has an absolute path.
    return whole, f"/**/{whole}"


def read_touched(pieces: Pieces, at: int, verb: str) -> Found | None:
    """Read the files behind a verb such as edit, read, delete or commit."""
    start = skip(pieces, at, DETERMINERS, IDLE)
    inner = skip(pieces, start, _FILLERS, DETERMINERS)
    if word_at(pieces, inner) in _INTO:
        start = inner + 1
    elif word_at(pieces, start) in ("file", "files"):
        start += 1
    found, end = read_list(pieces, start, read_path)
    globs = tuple(glob for one in found for glob in one)
    return (_touched(globs, verb), end) if globs else None


def _touched(globs: tuple[str, ...], verb: str) -> Thing:
    patterns: list[Pattern] = []
    if verb in ("delete", "remove"):
        operands = _operands(globs)
        patterns.append(CommandPattern(("rm", "unlink", "shred", "trash", "rmdir"), (operands,)))
        patterns.append(CommandPattern(("git",), ("rm", operands)))
        return Thing(tuple(patterns))
    excepted = names.ENV_EXAMPLES if ".env.*" in globs else ()
    if verb == "commit":
        patterns.append(CommandPattern(("git",), ("add|commit|stage", _operands(globs))))
        lifted: tuple[Pattern, ...] = (
            CommandPattern(("git",), ("add|commit|stage", _operands(excepted))),
        )
        return Thing(tuple(patterns), lifted if excepted else ())
    patterns += [PathPattern(glob, _access(verb, glob)) for glob in globs]
    tools = ("Write", "write_file", "create_file") if verb == "create" else ()
    return Thing(tuple(patterns), tuple(PathPattern(one) for one in excepted), tools)


def _access(verb: str, glob: str) -> tuple[Access, ...]:
    if verb == "access":
        return ("read", "write")
    if verb == "read":
        return ("read",)
    secret = any(mark in glob for mark in names.SECRET_FILES)
    return ("read", "write") if verb == "touch" and secret else ("write",)


def _operands(globs: tuple[str, ...]) -> str:
    """Write globs as operands of a command; there a star crosses folders."""
    found = []
    for glob in globs:
        plain = glob.removesuffix("/**").removeprefix("/**/").replace("**", "*")
        found += [plain, f"{plain}/*", f"*/{plain}", f"*/{plain}/*", f"{plain}/"]
    return "|".join(dict.fromkeys(found))


def read_branches(pieces: Pieces, at: int) -> tuple[tuple[str, ...], int] | None:
    """Read the names of branches: known ones, those in code, or those called a branch."""
    found, end = read_list(pieces, at, _branch)
    named = tuple(dict.fromkeys(name for one in found for name in one))
    return (named, end) if named else None


def _branch(pieces: Pieces, at: int) -> tuple[tuple[str, ...], int] | None:
    at = skip(pieces, at, DETERMINERS)
    if at >= len(pieces) or not _BRANCH_NAME.fullmatch(pieces[at].text):
        return None
    text, end = pieces[at].text, skip(pieces, at + 1, _BRANCH_WORDS)
    called = end > at + 1
    kind = word_at(pieces, at + 1) == "branches"
    if called and text.lower() in _GROUPS:
        return _GROUPS[text.lower()], end
    parts = text.lower().split("/")
    if all(part in names.BRANCHES for part in parts):
        return tuple(parts), end
    # "Feature branches" are a kind of branches, not one with that name.
    return ((text,), end) if pieces[at].code or (called and not kind) else None


_VERBS: dict[str, tuple[Verb, ...]] = {
    "push": ("push", "force-push"),
    "commit": ("commit", "rewrite"),
    "delete": ("delete",),
    "rebase": ("rewrite",),
}
FORCED = (
    CommandPattern(("git",), ("push",), ("-f|--force",), ("--help", "--dry-run")),
    CommandPattern(("git",), ("push", "+*"), (), ("--help", "--dry-run")),
)


def read_branch_act(pieces: Pieces, at: int, verb: str) -> Found | None:
    """Read what is done to a branch: push, force-push, commit, merge, rebase, delete."""
    start = skip(pieces, at, IDLE, _CARRIED, DETERMINERS)
    led = word_at(pieces, start) in _BRANCH_INTO
    named = read_branches(pieces, start + 1 if led else start) if led or verb in _BARE else None
    if named and not led and word_at(pieces, named[1]) not in STOPS | {""}:
        named = None
    if verb == "force-push":
        if named is None:
            # A tail that names no branch is left for the scopes.
            return Thing(FORCED), skip(pieces, at, IDLE)
        return Thing(FORCED, scopes=(Scope("branch", named[0]),)), named[1]
    if named is None:
        return None
    branches, end = named
    if verb == "merge":
        merge = CommandPattern(("git",), ("merge",), (), ("--help", "--abort"))
        return Thing((merge,), scopes=(Scope("branch", branches),)), end
    return Thing(tuple(BranchPattern(one, _VERBS[verb]) for one in branches)), end


_BARE = frozenset(("delete", "rebase", "force-push"))
