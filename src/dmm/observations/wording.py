"""Sentences and filler words in prompts and answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.text.prose import split_sentences, straighten
from dmm.text.words import english

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_READ = 8_000
_FENCED = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(
    r"<(system-reminder|hook_context|task-notification|environment_context|user_instructions"
    r"|ide_\w{1,30})>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
# Lines of a pasted stack trace: they tell where, never what is wanted.
_TRACE = re.compile(
    r"^\s*(?:Traceback \(|File \"|at [\w.$<>]+ ?\(|\^+\s*$|\[\d+ characters left out)"
)
_MARKER = re.compile(r"^\s*(?:[-*+>•✓✔✅❌]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|\[[ x]\]\s+)+", re.ASCII)
_BOLD = re.compile(r"\[Image #\d+\]\s*|\*\*|__(?=\w)|(?<=\w)__")
_CLAUSE = re.compile(r"[,;:] |\. | \(| - | because | so that | since | which | instead of | when ")
_WORD = re.compile(r"\w+(?:['-]\w+)*")
_NODS = english("nods")
_LEADING = english("nod_openers")
_MOST_NOD_WORDS = 7
FEWEST_SUBSTANTIAL = 12
_MACHINE = re.compile(
    r"\s*(?:/[\w:-]{1,60}\s*$|\[Request interrupted|<(?:local-)?command-|<bash-"
    r"|Caveat: The messages|<turn_aborted>)"
)
# A name as programs write it: code in backticks, a path, a call, an option, a number with a unit.
_EXACT = re.compile(
    r"`[^`\n]{1,120}`|(?<![\w/])(?:[\w.-]+/)+[\w.-]+|\b\w+\.\w{1,5}(?::\d+)?\b|\b\w+\(\)"
    r"|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][a-z]+(?:[A-Z][a-z0-9]+)+\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b"
    r"|(?<!\w)--[a-z][\w-]+|\b\d[\d.,:]*\s?(?:ms|s|%|KB|MB|GB|KiB|MiB|min|h|days?|x)?(?!\w)"
)


def squeeze(text: str) -> str:
    """Put a text on one line."""
    return " ".join(text.split())


def clip(text: str, length: int) -> str:
    """Cut a line at a word, and show that it was cut."""
    if len(text) <= length:
        return text
    head = text[: length - 1]
    at = head.rfind(" ")
    return head[: at if at > length // 2 else len(head)].rstrip(" ,;:-(") + "…"


def stopped(text: str) -> str:
    """Return a text that ends as a sentence does."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def list_names(names: Sequence[str], most: int) -> str:
    """List the first names, and say how many more there are."""
    more = len(names) - most
    shown = ", ".join(names[:most])
    return f"{shown} and {more} more" if more > 0 else shown


def straight(text: str) -> str:
    """Write apostrophes and dashes as programs do, so that one spelling is enough for the rules."""
    return straighten(text).replace("\u2013", "-").replace("\u2014", "-")


def clip_clause(text: str, length: int) -> str:
    """Cut a long line where a clause of it ends, else at a word."""
    if len(text) <= length:
        return text
    ends = [found.start() for found in _CLAUSE.finditer(text[:length])]
    at = max((end for end in ends if end >= length // 2), default=0)
    return text[:at].rstrip(" ,;:-") if at else clip(text, length)


def is_nod(text: str) -> bool:
    """Return whether a message only keeps the talk going: "ok", "yes, go on", "done"."""
    if _MACHINE.match(text):
        return True
    words = [word.casefold() for word in _WORD.findall(straight(text[:200]))]
    if not words:
        return True
    return (
        len(words) <= _MOST_NOD_WORDS
        and len(text) <= 200
        and words[0] in _LEADING
        and _NODS.issuperset(words)
    )


def is_question(text: str) -> bool:
    """Return whether a message only asks: each of its sentences is a question or a nod."""
    found = [one for one in sentences(text[:2_000]) if not is_nod(one)]
    return bool(found) and all(one.endswith("?") for one in found)


def is_telling(text: str) -> bool:
    """Return whether an answer tells anything: some words, or an exact name or number.

    What only asks back tells nothing.
    """
    if is_nod(text):
        return False
    told = [one for one in sentences(text[:2_000]) if not one.endswith("?") and not is_nod(one)]
    whole = " ".join(told)
    return len(_WORD.findall(whole)) >= 4 or _EXACT.search(whole[:400]) is not None


def is_substantial(text: str) -> bool:
    """Return whether an answer names something exactly, or has a good deal to say."""
    return exactness(squeeze(prose(text))) > 0 or count_words(text) >= FEWEST_SUBSTANTIAL


def prose(text: str) -> str:
    """Leave out what machines put into a message: blocks of context, and code in fences."""
    return _FENCED.sub("\n", _BLOCK.sub("\n", straight(text[:LONGEST_READ])))


def sentences(text: str) -> list[str]:
    """Cut a message into its sentences, without marks of lists and headings."""
    found: list[str] = []
    for line in prose(text).split("\n"):
        if _TRACE.match(line):
            continue
        bare = _BOLD.sub("", _MARKER.sub("", line)).strip()
        if not bare.startswith("|") and _WORD.search(bare):
            found += map(squeeze, split_sentences(bare))
    return found


def exactness(sentence: str) -> int:
    """Count the exact names and numbers of a sentence."""
    return len({found[0] for found in _EXACT.finditer(sentence[:500])})


def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(_WORD.findall(text))
