"""Path globs as a .gitignore has them: a line each, `!` takes out, relative to a folder."""

from __future__ import annotations

import re
from functools import lru_cache

from dmm.rules.commands.globs import (
    ANY_FOLDERS,
    INSIDE,
    glob_regex,
    matches_path,
    may_match_path,
    plain_example,
)

_OUTSIDE = ("/", "~", "$", "../")
_TOKENS = re.compile(r"\\.|\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]/]*\]|.", re.S)
_SPECIAL_IN_CLASS = re.compile(r"[\\\[&~|]")


@lru_cache(maxsize=4096)
def _compiled(glob: str) -> re.Pattern[str]:
    """Translate one glob; it covers what lies inside the folders that it matches."""
    plain = glob.rstrip("/")
    whole = plain.removesuffix("/**") or "**"
    tokens = _TOKENS.findall(whole.removeprefix("./").lstrip("/"))
    if "/" not in plain:
        tokens = [ANY_FOLDERS, *tokens]
    return re.compile(glob_regex(tokens, _translated, INSIDE), re.S)


def _translated(token: str) -> str:
    if len(token) > 2 and token.startswith("["):
        inner = _SPECIAL_IN_CLASS.sub(r"\\\g<0>", token[1:-1])
        if inner in ("!", "^"):
            raise re.error("a character set is empty", token)
        return f"(?!/)[^{inner[1:]}]" if inner[0] in "!^" else f"(?!/)[{inner}]"
    return re.escape(token[1:] if len(token) > 1 and token.startswith("\\") else token)


def fault_of_glob(glob: str) -> str:
    """Return why a glob can never match, or an empty text."""
    try:
        _compiled(glob)
    except (re.error, OverflowError) as fault:
        return str(fault)
    return ""


def inside_folder(path: str, folder: str) -> str | None:
    """Return a path relative to a folder of the repository, or None outside it."""
    if path.startswith(_OUTSIDE) or path == "..":
        return None
    if not folder:
        return path
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None


def selects(path: str, globs: str, folder: str | None) -> bool:
    """Return whether lines of globs select a path: the last that matches decides.

    Without a folder a glob matches anywhere on the machine. With one it is relative to that folder
    of the repository, and what lies outside the repository is matched only by globs that begin
    with `/`, `~` or `$`.
    """
    lines = globs.split("\n")
    found = all(line.startswith("!") for line in lines)
    for line in lines:
        if found == line.startswith("!") and _matches(path, line.removeprefix("!"), folder):
            found = not found
    return found


def _matches(path: str, glob: str, folder: str | None) -> bool:
    if folder is None or (path.startswith(_OUTSIDE) and glob.startswith(_OUTSIDE)):
        return matches_path(path, glob)
    held = inside_folder(path, folder)
    return held is not None and bool(_compiled(glob).match(held))


def may_select(path: str, globs: str, folder: str | None, *, written: bool) -> bool:
    """Return whether a path with wildcards is aimed at files that the globs select."""
    held = path if folder is None else inside_folder(path, folder)
    if held is None:
        return False
    lines = globs.split("\n")
    aimed = any(
        may_match_path(held, line.removeprefix("/"), written=written)
        for line in lines
        if not line.startswith("!")
    )
    taken = [line for line in lines if line.startswith("!")]
    return aimed and not (taken and selects(plain_example(path), "\n".join(taken), folder) is False)


def holds_selected(path: str, globs: str, folder: str | None) -> bool:
    """Return whether a folder contains something that an anchored glob matches."""
    if folder is None:
        return False
    places = (_place(line, folder) for line in globs.split("\n") if not line.startswith("!"))
    above = "" if path == "." else f"{path}/"
    return any(place and place.startswith(above) for place in places)


def _place(glob: str, folder: str) -> str:
    """Return the part of an anchored glob that has no wildcards, seen from the repository."""
    plain = re.split(r"[*?[\\]", glob.strip("/"), maxsplit=1)[0] if "/" in glob else ""
    return f"{folder}/{plain}" if folder and plain else plain
