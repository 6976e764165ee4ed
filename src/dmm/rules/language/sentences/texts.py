"""Texts: what may not be written: constructs, comments, names and imports of a program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.content.constructs import (
    CONSTRUCTS,
    IMPORTED,
    LONGEST,
    SUPPRESSED,
    content_of,
    files_of,
    language_of,
    looks_like_code,
    parts_of,
    regex_of,
)
from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.things import Context, Found, Thing, is_path
from dmm.text.lemmas import base_forms
from dmm.text.pieces import LINKS, Piece, Pieces, find, skip, word_at
from dmm.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Callable

_COMMENTS = word_set("comment comments directive directives pragma pragmas annotation")
_CALLS = word_set("call calls statement statements syntax keyword function functions method")
_ABOUT = word_set("code related to around involving using uses that references mentioning lines of")
_EVERYDAY = word_set("any except enum var unsafe test print eval")
# Nothing but single letters between full stops is an abbreviation: e.g., i.e.
_IN_PROSE = re.compile(
    r"[a-z]{2,}(?:[A-Z][a-z0-9]+)+|[\w.:]+\(\)|(?![a-z](?:\.[a-z])+$)[a-z]\w*(?:(?:\.|::)[a-z]\w*)+"
)


def read_text(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read a span of code as text of a program."""
    text = pieces[at].text
    regex = (
        None
        if is_path(text, code=True) and not looks_like_code(text)
        else regex_of(text, context.instead)
    )
    if regex is None:
        return None
    meant = text.startswith(("#", "//", "@ts"))
    item = content_of(regex, comments=meant) | {
        "path": files_of(language_of(text) or context.language)
    }
    named = "any".join(parts_of(text))
    sample = f"    {named})" if text.endswith("(") else f"    {named}"
    return Thing((item,), sample=(sample, "    other_name")), skip(pieces, at + 1, _CALLS)


def _marker(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "eslint-disable comments", "`# noqa`", "@ts-ignore directives"."""
    del context
    at = skip(pieces, at, words.DETERMINERS)
    text = pieces[at].text if at < len(pieces) else ""
    named = word_at(pieces, at + 1) in _COMMENTS
    sign = re.match(r"(?:#|//)\s*[a-z]|--\s+[a-z]|@ts-|/\*", text)
    formed = re.search(r"[-@:]|^no[a-z]+$|^[A-Z]+$", text)
    if not (named and formed) and not (sign and pieces[at].code):
        return None
    bare = re.sub(r"^(?:#|//|/\*|--)\s*", "", text)
    item = content_of(rf"(?<![\w-]){re.escape(bare)}", comments=True) | {"path": files_of("")}
    return Thing((item,), sample=(f"// {bare}", "// fine")), at + (2 if named else 1)


def _construct(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read a construct by its name: "default exports", "bare `except:`", "secrets"."""
    start = at if word_at(pieces, at) == "any" else skip(pieces, at, words.DETERMINERS)
    for length in range(min(LONGEST, len(pieces) - start), 0, -1):
        span = pieces[start : start + length]
        parts = [one.mark or _folded(one).strip(":()") for one in span]
        forms = (parts[-1], *sorted(base_forms(parts[-1])))
        phrases = (" ".join((*parts[:-1], one)) for one in forms)
        phrase = next((one for one in phrases if one in CONSTRUCTS), "")
        known = CONSTRUCTS.get(phrase)
        if known and _fits(known[0], phrase, span, context):
            name, one = known
            found = {"regex": one.look} if isinstance(one.look, str) else {"rule": one.look}
            # A key in a file that holds keys, and is not committed, is in its place.
            lifted = ({"path": [".env", ".env.*"]},) if name == "secret" else ()
            item = {"content": found, "path": files_of(one.language)}
            return Thing((item,), lifted, (one.bad, one.good)), start + length
    return None


def _folded(piece: Piece) -> str:
    """Return a word in lower case, except code in title case: `Any` is not `any`."""
    return piece.text if piece.code and piece.text.istitle() else piece.text.lower()


def _fits(name: str, phrase: str, span: Pieces, context: Context) -> bool:
    if (name in SUPPRESSED) != (context.verb == "skip"):
        return False
    if context.verb in ("commit", "edit") and name not in ("secret", "console log", "todo"):
        return False
    # A word of everyday language is a construct only as code, or where the language is named.
    named = any(one.code or one.text.endswith("()") for one in span)
    sure = named or bool(context.language) or context.verb == "skip"
    return sure or phrase not in _EVERYDAY


def _name(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read a name of a program that stands in prose: setTimeout, console.log."""
    at = skip(pieces, at, words.DETERMINERS)
    text = pieces[at].text if at < len(pieces) and pieces[at].kind == "word" else ""
    formed = _IN_PROSE.fullmatch(text) and looks_like_code(text) and not is_path(text, code=False)
    return read_text(pieces, at, context) if formed else None


def _code(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read code that may not be added, and "any code related to `NAME`"."""
    start = skip(pieces, at, words.DETERMINERS, _ABOUT)
    if start >= len(pieces) or pieces[start].kind != "code":
        return _name(pieces, at, context) if context.verb == "add" else None
    spoken = any(one.word in _ABOUT for one in pieces[at:start])
    linked = at > 0 and pieces[at - 1].word in LINKS
    named = looks_like_code(pieces[start].text) and (spoken or linked)
    return read_text(pieces, start, context) if named or context.verb == "add" else None


def _imported(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "import `X`" and "import from `x/`"."""
    del context
    at = skip(pieces, at, words.DETERMINERS, word_set("from anything code modules directly"))
    name = pieces[at].text if at < len(pieces) and pieces[at].kind == "code" else ""
    if not re.fullmatch(r"[\w@~./:-]*\w/?", name) or len(name) < 3:
        return None
    end = "" if name.endswith("/") else r"(?![\w-])"
    regex = rf"{IMPORTED}(?<![\w-]){re.escape(name)}{end}"
    item = content_of(regex) | {"path": files_of("")}
    sample = f"{name}x" if name.endswith("/") else name
    return Thing((item,), sample=(f"import a from '{sample}'", "import a from 'b'")), at + 1


def _suppressed(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "disable lint rules with eslint-disable comments": the comment is what is written."""
    turn = find(pieces, "with", "using", "via", "by", start=at)
    marker = _marker(pieces, turn + 1, context) if turn is not None else None
    return marker or _construct(pieces, at, context)


TEXT_READERS: dict[str, Callable[[Pieces, int, Context], Found | None]] = {
    "marker": _marker,
    "construct": _construct,
    "name": _name,
    "code": _code,
    "import": _imported,
    "suppressed": _suppressed,
}
