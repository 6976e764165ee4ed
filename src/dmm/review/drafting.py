"""Turn a request into edits: texts before and after."""

from __future__ import annotations

import datetime as dt
from dataclasses import field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.domain.memory import DEPRECATED_DIRECTORY, Confidence, Scope, Status, next_id
from dmm.domain.proposal import Edit
from dmm.errors import FileExists, MemoryFileError, PathRefused, UsageError
from dmm.files import front_matter, markdown
from dmm.files.repairs import add_title
from dmm.files.tree import DESCRIPTOR, TOP_DIRECTORIES
from dmm.review.patches import apply_patch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dmm.files.tree import MemoryTree

LARGEST = 64 * 1024
EPHEMERAL_DAYS = 30
# From the widest reach to the narrowest: up is a promotion, down is a demotion.
RANKS = (Scope.BASELINE, Scope.GLOBAL, Scope.PROJECT, Scope.AGENT, Scope.EPHEMERAL)


@frozen
class About:
    """What is known of a new memory beside its text; a file that has front matter needs none."""

    tags: tuple[str, ...] = ()
    priority: float = 0.5
    related: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    expires: dt.date | None = None
    paths: tuple[str, ...] = ()


@frozen
class Drafts:
    """Makes edits of wishes; `taken` are the ids that are given already."""

    tree: MemoryTree
    folder: Path
    today: dt.date
    taken: frozenset[str] = field(default_factory=frozenset)

    def place(self, path: str) -> str:
        """Return the path below the memory folder, however the file was named."""
        given = path.strip()
        for start in (f"{self.tree.root}/", f"{self.folder.name}/memory/", "./", "memory/"):
            given = given.removeprefix(start)
        # One file has one name: a//b.md and a/./b.md would be strangers to the checks.
        place = self.tree.resolve(given).relative_to(self.tree.root)
        if place.name == DESCRIPTOR:
            what = "it describes its folder and is not a memory"
            raise PathRefused(what, where=repr(given), hint="a person can edit it in an editor")
        return place.as_posix()

    def create(self, path: str, content: str, about: About) -> tuple[Edit, ...]:
        """Make a new file; a text without front matter gets one."""
        refuse_large(content)
        if self.tree.text_of(path) is not None:
            hint = f"change it with: dmm write update --path {path}"
            raise FileExists("the file already exists", where=path, hint=hint)
        if not has_front_matter(content):
            content = self._head(path, about) + content.strip("\n") + "\n"
        return (Edit(path, None, _titled(path, content)),)

    def update(self, path: str, content: str | None, patch: str | None) -> tuple[Edit, ...]:
        """Change a file: by a unified diff, by its whole text, or by a new body."""
        before = self._there(path)
        if (content is None) == (patch is None):
            raise UsageError("give either content or a patch")
        refuse_large(content or patch or "")
        if patch is not None:
            after = apply_patch(before, patch)
        elif has_front_matter(content or ""):
            after = content or ""
        else:
            after = with_body(path, before, content or "")
        if after == before:
            raise UsageError("nothing would change", where=path)
        refuse_large(after)
        return (Edit(path, before, after),)

    def deprecate(self, path: str) -> tuple[Edit, ...]:
        """Deprecate a memory in place."""
        before = self._there(path)
        memory = markdown.parse(path, before).memory
        if not memory.in_force:
            raise UsageError("the memory is already inactive", where=path)
        fields = {"status": Status.DEPRECATED.value, "confidence": Confidence.DEPRECATED.value}
        return (Edit(path, before, _set(path, before, fields)),)

    def activated(self, path: str) -> str:
        """Return the text of a deprecated memory as it is when it is active again."""
        fields = {"status": Status.ACTIVE.value, "confidence": Confidence.ACTIVE.value}
        return _set(path, self._there(path), fields)

    def move(self, path: str, scope: str, target: str | None) -> tuple[Edit, ...]:
        """Return the edits that move a memory to another scope and folder."""
        before = self._there(path)
        memory = markdown.parse(path, before).memory
        new = _scope(scope)
        if new is memory.scope:
            raise UsageError(f"its scope is already {scope}", where=path)
        place = self.place(target) if target else f"{new}/{path.partition('/')[2]}"
        if self.tree.text_of(place) is not None:
            hint = "name another file with --to"
            raise FileExists("a file already exists there", where=place, hint=hint)
        fields = {"scope": new.value}
        if new is Scope.EPHEMERAL and memory.expires is None:
            fields["expires"] = (self.today + dt.timedelta(days=EPHEMERAL_DAYS)).isoformat()
        if memory.scope is Scope.EPHEMERAL and memory.expires is not None:
            fields["expires"] = "null"
        return (Edit(path, before, None), Edit(place, None, _set(path, before, fields)))

    def is_promotion(self, path: str, scope: str) -> bool:
        """Return whether a scope reaches wider than the one that a memory has."""
        memory = markdown.parse(path, self._there(path)).memory
        return RANKS.index(_scope(scope)) < RANKS.index(memory.scope)

    def _there(self, path: str) -> str:
        text = self.tree.text_of(path)
        if text is None:
            raise UsageError("there is no such memory", where=path, hint=self._alike(path))
        refuse_large(text)
        return text

    def _alike(self, path: str) -> str:
        """Name the files whose names are most like one that is not there."""
        known = [stamp.path for stamp in self.tree.scan().stamps]
        near = get_close_matches(path, known, n=3, cutoff=0.7)
        name = path.rpartition("/")[2]
        near += [one for one in known if one.endswith(f"/{name}") and one not in near]
        if near:
            return f"did you mean {' or '.join(near[:3])}?"
        return "name a file under .dmm/memory; dmm query finds memories by content"

    def _head(self, path: str, about: About) -> str:
        top = path.partition("/")[0]
        scope = Scope.PROJECT if top == DEPRECATED_DIRECTORY else _scope(top)
        expires = about.expires
        if expires is None and scope is Scope.EPHEMERAL:
            expires = self.today + dt.timedelta(days=EPHEMERAL_DAYS)
        tags = about.tags or tuple(path.split("/")[1:-1]) or (top,)
        dump = front_matter.dump_value
        lines = [
            f"id: {next_id(self.today, set(self.taken))}",
            f"tags: {dump(list(tags))}",
            f"scope: {scope}",
            f"priority: {about.priority!r}",
            f"confidence: {Confidence.ACTIVE}",
            f"status: {Status.ACTIVE}",
            f"created: {self.today.isoformat()}",
            *([f"expires: {expires.isoformat()}"] if expires else []),
            *([f"supersedes: {dump(list(about.supersedes))}"] if about.supersedes else []),
            *([f"related: {dump(list(about.related))}"] if about.related else []),
            *([f"paths: {dump(list(about.paths))}"] if about.paths else []),
        ]
        return "\n".join(["---", *lines, "---", "", ""])


def has_front_matter(text: str) -> bool:
    """Return whether a text brings its own front matter."""
    return markdown.plain(text).lstrip("\n").startswith(f"{front_matter.FENCE}\n")


def refuse_large(text: str) -> None:
    """Refuse what can't be a memory, before it is read."""
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        what = f"the text has {size:,} bytes; a proposal can have at most {LARGEST:,}"
        raise UsageError(what, hint="a memory is one concept of up to 800 tokens: split it")


def _scope(name: str) -> Scope:
    try:
        return Scope(name)
    except ValueError:
        tops = ", ".join(top for top in TOP_DIRECTORIES if top != DEPRECATED_DIRECTORY)
        raise UsageError(f"there is no scope {name!r}", hint=f"one of {tops}") from None


def _titled(path: str, content: str) -> str:
    try:
        return add_title(path, content)[0]
    except MemoryFileError:
        # The checks tell what is wrong with its front matter.
        return content


def with_body(path: str, before: str, body: str) -> str:
    """Replace the body of a text, keeping its front matter."""
    plain = markdown.plain(before)
    parts = front_matter.cut(path, plain)
    head = "\n".join(plain.split("\n")[: parts.body_line - 1])
    return f"{head}\n\n{body.strip(chr(10))}\n"


def _set(path: str, text: str, fields: Mapping[str, str]) -> str:
    try:
        return front_matter.edit(text, fields)
    except ValueError as error:
        raise MemoryFileError(path, "yaml", f"its front matter can't be edited: {error}") from error
