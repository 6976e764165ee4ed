"""Rules of the form "only X" and "always X": the others of its family are forbidden."""

from __future__ import annotations

import re

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.code import Item, command_item
from dmm.rules.language.sentences.constructs import content_of, files_of
from dmm.rules.language.sentences.objects import read_object
from dmm.rules.language.sentences.pieces import DETERMINERS, Pieces, find, skip, word_at, word_set
from dmm.rules.language.sentences.things import Context, Thing, all_but, read_paths

_LEADS = word_set("always only exclusively please you we must should")
_PURPOSE = word_set(
    """for as to in this the project repo repository codebase python javascript js ts typescript
    node package packages dependency dependencies management manager managing installing install
    installs and all our your modules libraries manage add adding a"""
)
_SETTING = re.compile(r"([A-Za-z_][\w.-]*)(\s*[:=]\s*)(\d+|true|false|True|False|null|None)")
_LITERAL = {"digit": r"\d+", "word": r"(?:true|false|True|False|null|None)\b"}


def read_only(sentence: Pieces, context: Context) -> Thing | None:
    """Read "only use pnpm", "only push to develop", "only edit files in src/", "always `a: 0`"."""
    at = skip(sentence, 0, _LEADS)
    near = {one.word for one in sentence[: at + 2]}
    only = bool(near & {"only", "exclusively"})
    if not only and "always" not in near:
        return None
    verb = words.VERBS.get(word_at(sentence, at))
    at = skip(sentence, at + 1, word_set("only exclusively"))
    if verb in ("use", "run"):
        return _family(sentence, at) or _setting(sentence, at, context)
    if only and verb == "push":
        return _branches(sentence, at, context)
    return _folders(sentence, at, context) if only and verb == "edit" else None


def _family(pieces: Pieces, at: int) -> Thing | None:
    """A package manager that is chosen rules out the others of its language."""
    at = skip(pieces, at, DETERMINERS)
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


def _setting(pieces: Pieces, at: int, context: Context) -> Thing | None:
    """Read "always use `port: 0`": another value of the same kind is forbidden."""
    if at >= len(pieces) or pieces[at].kind != "code" or at + 1 < len(pieces):
        return None
    found = _SETTING.fullmatch(pieces[at].text)
    if found is None:
        return None
    name, between, value = found.groups()
    kind = _LITERAL["digit" if value.isdigit() else "word"]
    sign = between.strip()
    regex = rf"(?<![\w.]){re.escape(name)}\s*{sign}\s*(?!{value}\b){kind}"
    other = "1" if value == "0" else "0" if value.isdigit() else "false"
    if other == value:
        other = "true"
    item: Item = content_of(regex) | {"path": files_of(context.language)}
    return Thing((item,), sample=(f"{name}{between}{other}", pieces[at].text))


def _branches(pieces: Pieces, at: int, context: Context) -> Thing | None:
    found = read_object(pieces, at, context._replace(verb="push"))
    if found is None or found[1] < len(pieces) or found[0].vague:
        return None
    return Thing(({"command": {"program": "git", "subcommand": "push", "branch": ["*"]}},), found[0].items)


def _folders(pieces: Pieces, at: int, context: Context) -> Thing | None:
    start = find(pieces, "in", "inside", "under", "within", start=at)
    found = read_paths(pieces, at if start is None else start + 1, context.known)
    if found is None or found[1] < len(pieces):
        return None
    return Thing(({"path": all_but(found[0])},))
