"""Targets of removal: which paths may be removed whole, and which must never be."""

from __future__ import annotations

import posixpath
import re
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.rules.commands.wordlists import listed

if TYPE_CHECKING:
    from dmm.rules.commands.values import Word

REGENERABLE = listed("regenerable")
_REGENERABLE_ENDING = (".egg-info", ".dist-info", ".pyc", ".tmp", ".log", ".cache", "-build", ".o")
_TEMPORARY = (
    r"(?:/private)?(?:/tmp|/var/tmp|/var/folders/[^/]+)/+[^/]"
    r"|\$\{?(?:TMPDIR|TMP|TEMP|RUNNER_TEMP)(?::?-/(?:var/)?tmp/?)?\}?/+[^/]"
    r"|[$`]\(?mktemp\b"
)
_HOME = r"(?:~[A-Za-z0-9_-]*|\$\{?HOME\}?)(?:/|$)"
_WORKING = r"(?:\$\{?(?:PWD|CI_PROJECT_DIR|GITHUB_WORKSPACE)\}?|\$\(pwd\)|`pwd`)(?:/|$)"
_DEEP = 4
_AT_ROOT = frozenset({"tmp", "temp"})


class Target(StrEnum):
    """What the removal of a path would mean."""

    SAFE = "safe"
    WORK = "work"
    UNSAFE = "unsafe"


def _regenerable(path: str) -> bool:
    parts = [part for part in path.rstrip("/*").split("/") if part not in ("", ".")]
    return any(part in REGENERABLE for part in parts) or (
        bool(parts) and parts[-1].endswith(_REGENERABLE_ENDING)
    )


def _home(path: str) -> tuple[Target, str]:
    inside = re.sub(_HOME, "", path, count=1).strip("/*")
    deep = inside.count("/") > 0 or inside in (".cache",)
    if deep and _regenerable(inside):
        return Target.SAFE, "a folder that tools make again"
    return Target.UNSAFE, "the home directory or a part of it"


def _absolute(path: str, cwd: str | None) -> tuple[Target, str]:
    normal = posixpath.normpath(re.sub(r"/+", "/", path))
    if cwd and normal.startswith(cwd.rstrip("/") + "/"):
        return _relative(normal[len(cwd.rstrip("/")) + 1 :])
    if re.match(_TEMPORARY, normal):
        return Target.SAFE, "a temporary folder"
    parts = normal.strip("/").split("/")
    if len(parts) >= _DEEP and parts[-1] in REGENERABLE and "$" not in normal:
        return Target.SAFE, "a folder that tools make again"
    return Target.UNSAFE, "an absolute path outside the temporary folders"


def _relative(path: str) -> tuple[Target, str]:
    normal = posixpath.normpath(path)
    first = normal.split("/")[0]
    if normal in (".", "*", ".*", "{*,.*}") or normal.startswith("{"):
        return Target.UNSAFE, "the whole working directory"
    if first == "..":
        return Target.UNSAFE, "a path above the working directory"
    if ".git" in normal.split("/"):
        return Target.UNSAFE, "the Git repository itself"
    if _regenerable(normal):
        return Target.SAFE, "a folder that tools make again"
    return Target.WORK, "a part of the working tree"


def judge_target(word: Word, directory: str = "", cwd: str | None = None) -> tuple[Target, str]:
    """Judge the removal of one path, seen from a directory that `cd` left behind."""
    text = word.text
    literal = not word.expands
    if directory and not (text.startswith(("/", "~")) or (not literal and text[:1] in "$`")):
        text = f"{directory.rstrip('/')}/{text}"
        literal = literal and directory[:1] not in "$`"
    if not literal and re.match(_TEMPORARY, text) and "/.." not in text:
        return Target.SAFE, "a temporary folder"
    if text.startswith("~") or (not literal and re.match(_HOME, text)):
        return _home(text)
    if not literal and re.match(_WORKING, text):
        return _relative(re.sub(_WORKING, "./", text, count=1))
    if not literal and text[:1] in ("$", "`"):
        # Were the variable empty, a folder of this name at the root would hardly be there.
        if text.rpartition("/")[2] in REGENERABLE - _AT_ROOT:
            return Target.SAFE, "a folder that tools make again"
        return Target.UNSAFE, "a variable whose value is not known"
    if text.startswith("/"):
        return _absolute(text, cwd)
    return _relative(text) if text else (Target.SAFE, "nothing")
