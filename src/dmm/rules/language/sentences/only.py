"""Rules of the form "only X" and "always X": the others of its family are forbidden."""

from __future__ import annotations

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.objects import read_object
from dmm.rules.language.sentences.pieces import (
    DETERMINERS,
    Pieces,
    find,
    skip,
    word_at,
)
from dmm.rules.language.sentences.things import Context, Thing, all_but, command_item, read_paths
from dmm.rules.language.wordsets import word_set

_LEADS = word_set("always only exclusively please you we must should")
_PURPOSE = word_set(
    """for as to in this the project repo repository codebase python javascript js ts typescript
    node package packages dependency dependencies management manager managing installing install
    installs and all our your modules libraries manage add adding a"""
)


def read_only(sentence: Pieces, context: Context) -> Thing | None:
    """Read "only use pnpm", "only push to develop", "only edit files in src/"."""
    at = skip(sentence, 0, _LEADS)
    near = {one.word for one in sentence[: at + 2]}
    only = bool(near & {"only", "exclusively"})
    verb = words.VERBS.get(word_at(sentence, at))
    at = skip(sentence, at + 1, word_set("only exclusively"))
    if verb in ("use", "run") and (only or "always" in near):
        return _family(sentence, skip(sentence, at, DETERMINERS))
    if only and verb == "push":
        found = read_object(sentence, at, context._replace(verb="push"))
        if found and found[1] >= len(sentence) and not found[0].vague:
            return Thing((command_item(["git", "push"], branch=["*"]),), found[0].items)
    if only and verb == "edit":
        turn = find(sentence, "in", "inside", "under", "within", start=at)
        folders = read_paths(sentence, at if turn is None else turn + 1, context.known)
        if folders and folders[1] >= len(sentence):
            return Thing(({"path": all_but(folders[0])},))
    return None


def _family(pieces: Pieces, at: int) -> Thing | None:
    """A package manager that is chosen rules out the others of its language."""
    chosen = pieces[at].text.lower() if at < len(pieces) else ""
    rest = skip(pieces, at + 1, _PURPOSE)
    if rest < len(pieces) and not pieces[rest].mark:
        return None
    for language, members in words.MANAGERS.items():
        if chosen in members:
            more = {"subcommand": words.CHANGING} if language == "python" else {}
            others = (one for one in members if one != chosen)
            return Thing(tuple(command_item([one], **more) for one in others))
    return None
