"""Resolve the paths of a call against the files that exist.

A path may lead through a link, and what is done to a folder is done to the files in it.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from dmm.rules.commands.globs import glob_regex, matches_name, set_regex
from dmm.rules.commands.scripts import is_readable
from dmm.rules.commands.targets import REGENERABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dmm.rules.commands.facts import CallFacts, PathUse, ToolCall

OUTSIDE = ("/", "~", "$", "..")
_MOST_LINKS = 4
# How a use reaches only what Git says of a file; anything else reaches what is there.
_STATES = frozenset({"changed", "staged", "untracked", "ignored"})


class Tree(Protocol):
    """The files of a repository as they are; paths are seen from its root."""

    def resolve(self, path: str, *, last: bool) -> str:
        """Follow the links in a path, that in its last part only if `last` is set."""

    def below(self, folder: str) -> Sequence[str]:
        """List the files and folders in a folder, up to a limit."""

    def states(self) -> Mapping[str, Sequence[str]]:
        """Return which files are changed, staged, untracked or ignored in Git."""


class FileTable:
    """A tree of a few files that are named, none of them in Git yet."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = tuple(paths)

    def resolve(self, path: str, *, last: bool) -> str:
        """Return the path back: there are no links."""
        del last
        return path

    def below(self, folder: str) -> Sequence[str]:
        """List the files in a folder."""
        return tuple(one for one in self._paths if _lies_in(one, folder))

    def states(self) -> Mapping[str, Sequence[str]]:
        """Return that every file is new and changed."""
        return dict.fromkeys(self._paths, ("changed", "staged", "untracked"))


class Reach:
    """What each path of one call reaches in a tree; looked up once for all rules."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._known: dict[tuple[str, str, bool], tuple[str, ...]] = {}
        self._texts: dict[tuple[str, str, bool], str] = {}

    def of(self, use: PathUse) -> tuple[str, ...]:
        """Return the existing files that a use of a folder or wildcard reaches."""
        if use.path.startswith(OUTSIDE) or not (use.reach or (use.glob and use.changes)):
            return ()
        key = (use.path, use.reach, use.glob)
        if key not in self._known:
            self._known[key] = tuple(self._look(use))
        return self._known[key]

    def may_hold(self, use: PathUse, globs: str) -> bool:
        """Return, cheaply, whether a reached path could match one of the globs."""
        held = self.of(use)
        if not held:
            return False
        key = (use.path, use.reach, use.glob)
        if key not in self._texts:
            self._texts[key] = "\n".join(("", *held, ""))
        return any(_spelled(line) in self._texts[key] for line in globs.split("\n"))

    def _look(self, use: PathUse) -> Iterator[str]:
        words = set(use.reach.split("+"))
        if not words & _STATES and not REGENERABLE.isdisjoint(use.path.split("/")):
            # What tools fill holds files of others, by any name.
            return
        if "deep" in words:
            yield from self._found(use.path)
            return
        fits = _matcher(use.path, deep=use.reach != "") if use.glob else None
        if words & _STATES:
            for path, states in self.tree.states().items():
                inside = fits(path) if fits else path == use.path or _lies_in(path, use.path)
                if inside and not words.isdisjoint(states):
                    yield path
        elif fits or "all" in words:
            folder = posixpath.dirname(re.split(r"[*?[]", use.path)[0]) if fits else use.path
            for path in self.tree.below(folder or "."):
                if fits is None or fits(path):
                    yield path

    def _found(self, path: str) -> Sequence[str]:
        """Return the files that a search passes on: all in its root, or those with the name."""
        whole = self.tree.below(path)
        if whole:
            return whole
        folder, name = posixpath.split(path)
        held = self.tree.below(folder or ".")
        return [one for one in held if matches_name(posixpath.basename(one), name)]


@lru_cache(maxsize=4096)
def _spelled(glob: str) -> str:
    """Return the longest piece of a glob that is in every path it matches."""
    return max(re.split(r"[*?/]|\[[^\]]*\]|\\.", glob.removeprefix("!")), key=len)


def _lies_in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder.rstrip('/')}/")


def _translated(token: str) -> str:
    if "[:" in token:
        return "[^/]"  # a class of characters: any will do
    return set_regex(token) if token[0] == "[" and token[1:] else re.escape(token)


_PIECE = r"\*\*/|\*\*|\*|\?|."


@lru_cache(maxsize=256)
def _matcher(glob: str, *, deep: bool) -> Callable[[str], object]:
    """Translate wildcards as a shell fills them in: they take no name that begins with a dot."""
    sets, closed, rest = glob.removeprefix("./").rpartition("]")
    tokens = re.findall(rf"\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]|{_PIECE}", sets + closed, re.S)
    # Behind the last `]` no bracket begins a set; to look for its end would take long.
    tokens += re.findall(_PIECE, rest, re.S)
    end = r"(?=/|\Z)" if deep else r"\Z"
    body = glob_regex(tokens, _translated, end)
    hidden = "" if re.search(r"(?:^|/)\.[^/]*$", glob.removeprefix("./")) else r"(?!.*(?:^|/)\.)"
    return re.compile(hidden + body, re.S).match


def state_limited(use: PathUse) -> bool:
    """Return whether a use reaches only files that are in some state in Git."""
    return not _STATES.isdisjoint(use.reach.split("+"))


def settle(
    uses: Sequence[PathUse],
    facts: CallFacts,
    links: Mapping[str, tuple[str, int]] | None = None,
    *,
    edits: bool = False,
) -> tuple[PathUse, ...]:
    """Resolve the paths of a call: follow links and mark new files.

    What `edits` replaces text that is there: it writes over a file even if that can't be found.
    """
    files, reach = facts.files, facts.reach
    found = [use for use in uses if "existing" not in use.reach or _exists(use, reach)]
    for use in tuple(found):
        path = _followed(use, reach, links or {})
        if path != use.path:
            found.append(use._replace(path=path))
    if files is None:
        return tuple(found)
    doubtful = ("create",) if edits else ("write", "create")
    return tuple(
        use._replace(access="create" if files(looked_up(use.path, facts.call)) is None else "write")
        if use.access in doubtful
        and not use.glob
        and use.reach in ("", "link")
        and is_readable(use.path)
        else use
        for use in found
    )


def _exists(use: PathUse, reach: Reach | None) -> bool:
    """Return whether a word that may also name a branch names a file or a folder."""
    if use.path == "." or reach is None:
        return use.path == "."
    return use.path in reach.tree.below(posixpath.dirname(use.path) or ".")


def _followed(use: PathUse, reach: Reach | None, links: Mapping[str, tuple[str, int]]) -> str:
    """Follow the links that the call has made before, then those that are there."""
    path, last = use.path, use.access not in ("delete", "rename") and use.reach != "link"
    if use.glob or not is_readable(path):
        return path
    made = {link: target for link, (target, at) in links.items() if at < use.span[0]}
    for _ in range(_MOST_LINKS if made else 0):
        link = next(
            (one for one in made if path.startswith(f"{one}/") or (last and path == one)), None
        )
        if link is None:
            break
        path = posixpath.normpath(made[link] + path[len(link) :])
    if reach is None or path.startswith("~"):
        return path
    return reach.tree.resolve(path, last=last)


def looked_up(path: str, call: ToolCall) -> str:
    """Write a path as the files are asked for it: seen from the directory of the call."""
    elsewhere = call.root is not None and call.root != call.cwd
    inside = not path.startswith(("/", "~", "$"))
    return f"{call.root}/{path}" if elsewhere and inside else path
