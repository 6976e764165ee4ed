"""Where a note belongs: title, folder, tags and paths, from its words and its neighbours."""

from __future__ import annotations

import re
from itertools import chain, count
from posixpath import basename, splitext
from typing import TYPE_CHECKING
from unicodedata import normalize

from dmm.domain.frozen import frozen
from dmm.domain.text import drop_markers
from dmm.importer.topics import GENERAL, content_words, tags_of, topic_of, words
from dmm.redaction.redact import redact
from dmm.text.prose import split_sentences
from dmm.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dmm.notes.finding import Match

LONGEST_TITLE = 72
READ_FOR_A_TITLE = 4 * LONGEST_TITLE
MOST_PATHS = 4
MOST_WORDS = 6
# How near a memory has to be for a note to join it in its folder.
NEAR = 0.55
FOLDER = "project"
# Where a note goes that has no topic, or whose topic names a folder that Git ignores.
PLAIN = "notes"
_LEAD = re.compile(r"^[\s#>+-]+|^\s*\*\s+")
_CODE = re.compile(r"`+([^`\n]*)`+")
# Emphasis in pairs, outside of code: in MAX_RETRIES, __init__ and src/**/*.ts the signs belong to
# the name.
_EMPHASIS = re.compile(
    r"(`+[^`\n]*`+)|(?<![\w*/])(?!__\w+__)(\*{1,3}|_{1,3})(?=[^\s*_])(.*?[^\s*_])\2(?![\w*/])"
)
# A name without these says the opposite.
_REVERSING = word_set("no not never")
_FILE = re.compile(r"(?<![\w./@-])(?:[\w.@-]+/)*[\w@-][\w.@-]*(?:\.\w{1,8}|/)(?![\w/])", re.ASCII)


@frozen
class Around:
    """What is known beside the text: similar memories, best first, and files.

    `changed` lists the files being worked on, `exists` says whether the project has a
    file or folder, `free` whether a memory can be written to a path.
    """

    near: Sequence[Match] = ()
    changed: Callable[[], Sequence[str]] = tuple
    exists: Callable[[str], bool] = lambda _: False
    free: Callable[[str], bool] = lambda _: True


@frozen
class Placed:
    """A note with its place."""

    path: str
    title: str
    body: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]


def place_note(text: str, around: Around) -> Placed:
    """Choose title, folder, tags and paths of a note, none of them from a secret in it."""
    text = text.strip()
    shown = redact(text).text
    title, plain = title_of(shown), drop_markers(shown)
    paths = tuple(dict.fromkeys(_paths(text, around)))[:MOST_PATHS]
    topic = topic_of(plain)
    areas = paths or (_areas(around.changed()) if topic == GENERAL else ())
    # The parts of a path say where a note applies, not what it is about.
    subject = _spell_plainly(_FILE.sub(" ", drop_markers(title)))
    tags = tags_of(_spell_plainly(plain), [subject], topic, areas)
    body = text if text.startswith("# ") else f"# {title}\n\n{text}"
    return Placed(_free_path(subject, topic, around), title, body, tags, paths)


def title_of(text: str) -> str:
    """Return the first sentence as a title, cut where a clause ends, or else at a word."""
    first = _LEAD.sub("", split_sentences(text.strip().partition("\n")[0])[0])[:READ_FOR_A_TITLE]
    first = _CODE.sub(r"\1", _EMPHASIS.sub(r"\1\3", first))
    first = " ".join(first.split()).rstrip(".:;,")
    if len(first) > LONGEST_TITLE:
        cut = first[:LONGEST_TITLE]
        clause = max(cut.rfind(mark) for mark in (", ", "; ", ": ", " - ", " ("))
        first = cut[:clause] if clause > LONGEST_TITLE // 2 else cut.rpartition(" ")[0] or cut
    return first.rstrip(" ,;:-") or "Note"


def _spell_plainly(text: str) -> str:
    """Write letters with accents as plain ones, for names and tags."""
    text = text.replace("\N{LATIN SMALL LETTER SHARP S}", "ss")
    return normalize("NFKD", text).encode("ascii", "ignore").decode()


def _free_path(subject: str, topic: str, around: Around) -> str:
    said = words(subject.replace("'", ""))
    telling = [one for one in said if one in _REVERSING or content_words(one)] or ["note"]
    name = re.sub(r"[^a-z0-9]+", "_", "_".join(telling[:MOST_WORDS])).strip("_") or "note"
    folders = dict.fromkeys((*_folders(topic, around), f"{FOLDER}/{PLAIN}"))
    first = (f"{folder}/{name}.md" for folder in folders)
    others = (f"{FOLDER}/{PLAIN}/{name}_{number}.md" for number in count(2))
    return next(path for path in chain(first, others) if around.free(path))


def _folders(topic: str, around: Around) -> Iterable[str]:
    """Name the folders of similar memories, then that of the topic."""
    for one in around.near:
        folder = one.path.rpartition("/")[0]
        if one.similarity >= NEAR and folder.startswith(f"{FOLDER}/"):
            yield folder
    if topic != GENERAL:
        yield f"{FOLDER}/{topic}"


def _paths(text: str, around: Around) -> Iterable[str]:
    """Find the files and folders that the text names, as globs."""
    for found in _FILE.findall(text):
        name = found.removeprefix("./")
        if around.exists(name):
            yield f"{name}**" if name.endswith("/") else name
        elif "/" not in name:
            same = [one for one in around.changed() if basename(one) == name]
            yield from same if len(same) == 1 else ()


def _areas(changed: Sequence[str]) -> list[str]:
    """Describe the files being worked on by their kind, where all are of one."""
    kinds = {splitext(one)[1] for one in changed}
    return [f"*{kinds.pop()}"] if len(kinds) == 1 else []
