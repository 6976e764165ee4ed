"""Changes: the text that what a call does to a file leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.commands.edits import Change
from dmm.rules.commands.facts import Writing
from dmm.rules.content.limits import MAX_PLACED, MAX_TEXT
from dmm.rules.content.lines import compare, lines_of, normal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.edits import FileChange


def with_copies(change: FileChange, held: Callable[[str], str | None]) -> FileChange | None:
    """Fill in the text of the files that are copied; none where one can't be read."""
    if not change.copied:
        return change
    texts = [held(path) for path in change.copied]
    if any(text is None or len(text) > MAX_TEXT for text in texts):
        return None
    text = "".join(text or "" for text in texts) + (change.text or "")
    return change._replace(text=text, copied=())


def without_known(change: FileChange, before: str | None) -> FileChange:
    """Leave out of a doubtful change the lines that the file holds: code looks for them there."""
    if not change.doubt or not change.steps or before is None:
        return change
    kept = [
        "\n".join(line for line in step.new.split("\n") if line.strip() not in before)
        for step in change.steps
    ]
    return change._replace(steps=tuple(Change("", text) for text in kept))


def writing_of(change: FileChange, before: str | None) -> Writing:
    """Work out what a change leaves in a file, given what the file holds now."""
    handed = change.text or ""
    if len(handed) > MAX_TEXT:
        # It is not compared: no rule searches that much.
        return Writing(change.path, handed, ((0, len(handed)),), language=change.language)
    old = normal(before or "")
    if change.text is not None and not change.append:
        return _whole(change, old, normal(change.text))
    if change.text is not None:
        if before is None:
            added = normal(change.text)
            return Writing(change.path, added, compare("", added)[0], language=change.language)
        return _whole(change, old, old + normal(change.text))
    far = len(change.steps) * len(old) > MAX_PLACED and any(step.lines for step in change.steps)
    new = old if before is not None and not far else None
    for step in change.steps:
        new = _applied(new, step) if new is not None else None
    return _whole(change, old, new) if new is not None else _pieces(change)


def arrived(made: Writing, before: str | None, source: str) -> Writing:
    """Take the text of a moved file as new to the place where `before` was."""
    added, removed = compare(normal(before or ""), made.text)
    return made._replace(added=added, removed=removed, source=source)


def _whole(change: FileChange, old: str, new: str) -> Writing:
    added, removed = compare(old, new)
    return Writing(change.path, new, added, removed, whole=True, language=change.language)


def _applied(text: str, step: Change) -> str | None:
    """Make one change; none where its place is not found."""
    old, new = normal(step.old), normal(step.new)
    if not old:
        return None
    if step.lines:
        return _applied_lines(text, old, new)
    if old not in text:
        return None
    return text.replace(old, new) if step.every else text.replace(old, new, 1)


def _applied_lines(text: str, old: str, new: str) -> str | None:
    held, wanted = text.split("\n"), old.split("\n")
    for strip in (str, str.rstrip, str.strip):
        at = _find(list(map(strip, held)), list(map(strip, wanted)))
        if at is not None:
            return "\n".join([*held[:at], *lines_of(new), *held[at + len(wanted) :]])
    return None


def _find(held: Sequence[str], wanted: Sequence[str]) -> int | None:
    first = wanted[0]
    at = -1
    while True:
        try:
            at = held.index(first, at + 1)
        except ValueError:
            return None
        if list(held[at : at + len(wanted)]) == list(wanted):
            return at


def _pieces(change: FileChange) -> Writing:
    """Take the new texts by themselves, where the file is not known."""
    texts: list[str] = []
    gone: list[str] = []
    added: list[tuple[int, int]] = []
    at = 0
    for step in change.steps:
        old, new = normal(step.old), normal(step.new)
        ranges, removed = compare(old, new)
        ranges = ranges if step.added is None else step.added
        added += [(start + at, stop + at) for start, stop in ranges]
        texts.append(new)
        gone += [removed] if removed else []
        at += len(new.split("\n"))
    return Writing(
        change.path, "\n".join(texts), tuple(added), "\n".join(gone), language=change.language
    )
