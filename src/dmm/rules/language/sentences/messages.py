"""Messages: what may not stand in commits and pull requests, and the form that names must have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.content.constructs import EMOJI
from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.things import Thing
from dmm.text.pieces import find, parted, skip, told, word_at
from dmm.text.words import english, word_set

if TYPE_CHECKING:
    from dmm.text.pieces import Pieces

_TARGETS = (
    (r"commit (?:messages?|titles?|subjects?|descriptions?)|commits?", "commit"),
    (r"branch(?:es)?(?: names?)?", "branch"),
    (r"(?:prs?|pull requests?) titles?", "pr_title"),
    (r"(?:prs?|pull requests?)(?: (?:descriptions?|bod(?:y|ies)|messages?))?", "pr_body"),
)
_TARGET = re.compile(r"\b(?:" + "|".join(f"(?P<{name}>{text})" for text, name in _TARGETS) + r")\b")
# A person may be a co-author where an assistant may not be credited.
_ATTRIBUTION = (
    r"(?i)(?:co-authored-by:|generated (?:with|by) )"
    r".*(?:claude|codex|copilot|cursor|gpt|gemini|anthropic|openai|(?<![\w.@-])ai\b)"
)
# What such things are called, and how they look in a message.
_CALLED = (
    (r"co-author(?:ed-by)?(?: (?:lines?|footers?|trailers?|tags?|credits?))?",
     "(?i)co-authored-by:", "Co-Authored-By: A <a@example.com>"),
    (r"(?:ai|claude|agent)?(?: )?(?:attributions?|signatures?|credits?)", _ATTRIBUTION,
     "Generated with Claude"),
    (r"(?:yourself|claude|an? ai|ai) as (?:an? )?co-?author", "(?i)co-authored-by:",
     "Co-Authored-By: A <a@example.com>"),
    (r"emojis?", EMOJI, "\N{SPARKLES} done"),
)  # fmt: skip
# Any word may be a type: a project adds its own.
_CONVENTIONAL = r"^[a-z][a-z-]*(?:\([^)]*\))?!?: \S|^(?:Merge|Revert|fixup!|squash!) "
_NEGATED = re.compile(r"\b(?:not|never|no)\b|n't\b")
_PLACEHOLDER = re.compile(r"<[^>]+>|\{[^}]+\}|\[[^\]]+\]")
_FORMED = english("formed")
_BETWEEN = word_set("must should be with the in a an format form of as by have pattern prefix like")


def _targets(text: str) -> list[str]:
    return list(dict.fromkeys(str(found.lastgroup) for found in _TARGET.finditer(text)))


def read_message(pieces: Pieces) -> Thing | None:
    """Read `"Generated with X" or co-author footers to commits or PRs`, behind "do not add"."""
    # Where something else belongs is said after "which".
    said = find(pieces, "which") or len(pieces)
    turn = next((at for at in range(said) if _leads(pieces, at)), len(pieces))
    where = _targets(told(pieces[turn + 1 :]).lower())
    found: list[tuple[str, str]] = []
    for part in parted(pieces[:turn]):
        part = part[skip(part, 0, words.DETERMINERS) :]
        if len(part) == 1 and where and (part[0].code or part[0].text[:1].isupper()):
            found.append((_as_word(part[0].text), part[0].text))
        else:
            text = told(part).lower()
            found += [(regex, bad) for name, regex, bad in _CALLED if re.fullmatch(name, text)]
    inherent = [one for one in found if one[0] == _CALLED[0][1]]
    kept = found if where else inherent
    of = where or ["commit", "pr_body"]
    items = tuple({"message": {"of": of, "regex": regex}} for regex, _ in kept)
    return Thing(items, sample=(kept[0][1], "Fix the parser")) if items else None


def _as_word(text: str) -> str:
    """Write the regex of a word; what a sign begins or ends may have a letter beside it."""
    lead, end = (r"\b" if re.match(r"\w", one) else "" for one in (text, text[-1]))
    return f"(?i){lead}{re.escape(text)}{end}"


def _leads(pieces: Pieces, at: int) -> bool:
    if word_at(pieces, at) not in ("to", "in", "from", "on", "into"):
        return False
    rest = skip(pieces, at + 1, words.DETERMINERS)
    return bool(_TARGET.match(told(pieces[rest : rest + 2]).lower()))


def _is_partial(text: str) -> bool:
    """Whether a form is wanted at times: "when applicable", but not "when you commit"."""
    condition = re.search(r"\b(?:when|while|if|where)\b([^,]*)", text)
    return condition is not None and "commit" not in condition[1]


def read_form(sentence: Pieces) -> Thing | None:
    """Read "branches must start with `feat/`" and "use Conventional Commits"."""
    text = told(sentence).lower()
    wanted = re.search(r"\b(?:use|follow|must|should)\b", text)
    named = re.search(r"\bconventional (?:commits|commit(?! scope\b))\b", text)
    if wanted and named and not _NEGATED.search(text) and not _is_partial(text):
        # A pull request is called by its title.
        of = [one.replace("body", "title") for one in _targets(text[: named.start()])]
        of = list(dict.fromkeys(one for one in of if one != "branch"))
        item = {"message": {"of": of or ["commit"], "not_regex": _CONVENTIONAL}}
        return Thing((item,), sample=("did things", "fix: keep the order"))
    code = next((at for at, one in enumerate(sentence) if one.kind == "code"), None)
    if code is None or find(sentence[:code], *_FORMED) is None or code + 1 < len(sentence):
        return None
    lead = " ".join(one.word for one in sentence[:code] if one.word not in _BETWEEN | _FORMED)
    target = _TARGET.fullmatch(
        re.sub(r"^(?:always|all|every|new|please|the|for) ", "", lead.strip())
    )
    if target is None:
        return None
    template = sentence[code].text
    whole = _PLACEHOLDER.sub("\0", template)
    regex = "^" + re.escape(whole).replace("\0", r"[^/\s]+")
    filled = _PLACEHOLDER.sub("name", template)
    good = filled if "\0" in whole else f"{filled}thing"
    item = {"message": {"of": [str(target.lastgroup)], "not_regex": regex}}
    return Thing((item,), sample=("other-name", good)) if len(whole) > 1 else None
