"""Find the sentences of an instruction file that say what to do or not to do."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from dmm.importer.groups import group
from dmm.importer.marks import read_mark
from dmm.importer.outline import BlockKind, outline
from dmm.importer.sources import SourceRef, base_of, read_front_matter, split_lines
from dmm.text.lexicon import (
    ADVERBS,
    CONDITIONS,
    DETERMINERS,
    MANNERS,
    NOUNLIKE,
    PREPOSITIONS,
    PRONOUNS,
    VERBS,
)
from dmm.text.prose import paragraphs_of, split_sentences, strip_emphasis
from dmm.text.words import english, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.importer.groups import Group
    from dmm.importer.outline import Block, Section
    from dmm.importer.sources import Source

LONGEST = 400
_SHORTEST = 8
# So much of a block comes along with the sentence above it; a long quote does not.
_BROUGHT = {BlockKind.FENCE: math.inf, BlockKind.CODE: math.inf, BlockKind.QUOTE: LONGEST}
_REFERS = re.compile(r"\b(these|this|following|below)\b|:$", re.IGNORECASE)
# A pronoun so near to the start means something that an earlier sentence names.
_REFERS_BACK = re.compile(r"(\S+ ){0,3}(it|its|this|these|those|them|they|both|the rest)\b", re.I)
_PROSE = (BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.ITEM)
_CODE = re.compile(r"`[^`]*`")
_LABEL = re.compile(
    r"(?:important|critical|warning|note|rule|mandatory|required|caution)\s*[:!\N{EM DASH}-]+\s*",
    re.IGNORECASE,
)
# What binds without exception, wherever it stands in the sentence.
_BINDS = re.compile(
    r"""^(?: (?:you\ |we\ )?(?: never | do\ not | don'?t | must\ not | mustn't ) | absolutely | no
        | avoid | always | only | ask | ensure | make\ sure | forbidden | prohibited )\b
    | ^(?: use | prefer | run | keep )\b .* (?: \binstead\ of\b | \brather\ than\b
        | [,;\N{EM DASH}]\ (?:not|never|do\ not|don't)\b | \bbefore\b )
    | \b(?: must | should\ never | should\ not | may\ not\ be | shall\ not
        | (?:is|are)\ (?:forbidden|prohibited|banned|mandatory|required|not\ allowed)
        | (?:required|mandatory)\ (?:for|in|on|before)
        | (?:has\ to|have\ to)\ pass\ before )\b
    | (?: [;:\N{EM DASH}]\ | ,\ (?:and|but|so)\ | \ -\ | \ \( )
      (?: never | do\ not | don't | always | avoid | only | forbidden )\b
    | ^(?: important | critical | warning | mandatory | required )\s*[:!\N{EM DASH}-]""",
    re.IGNORECASE | re.VERBOSE,
)
# What holds for all of a kind is said of it, or is what it should be.
_NORM = re.compile(
    r"\bshould\b(?! (?:see|now|look|work|print|show|be able)\b)"
    r"|^(each|every|all) (?!of\b)(\S+ ){3}",
    re.IGNORECASE,
)
_LEADS_IN = re.compile(
    r"(\S+ ){0,2}\S+:|.*\b(these|this|the following|below|with|follows|instead)\W*:"
)
# Neither too short nor too long to bind, and no question.
_STATEMENT = re.compile(rf".{{{_SHORTEST},{LONGEST}}}(?<!\?)")
_RULES_BELOW = re.compile(
    r"\b(rules|constraints|must|never|always|forbidden|guard ?rails?|do not|don'?ts?|boundaries)\b",
    re.IGNORECASE,
)
_BARE_ORDER = re.compile(r"(you )?(never|do not|don'?t|always|must( not| never)?|avoid)", re.I)
_CLAUSES = re.compile(r"\s*[:;\N{EM DASH}\N{EN DASH}]\s+|\s+-\s+")
_WORD = re.compile(r"[a-z']+|`")
_OPERATES = english("operating_verbs")
_DIRECTS = VERBS | english("directing_verbs")
_DIRECTS -= {"note"}
# At the start of a sentence most of these are nouns: "Test files mirror the sources."
_NOUNS_TOO = NOUNLIKE - word_set("use make run set place pass treat wrap read") | word_set(
    "type format lint group handle work pull catch"
)
_OPENS_OBJECT = (
    DETERMINERS | PREPOSITIONS | ADVERBS | MANNERS | PRONOUNS | {"`", "and", "new", "specific"}
)


@dataclass(frozen=True, slots=True)
class Imperative:
    """One sentence that binds, where it stands, and the folder its file is about.

    `said` is its own wording; `unit` is the paragraph or list item around it, with so many
    sentences (`siblings`; none where it also holds code); `lead` is the line that introduces its
    list, `code` the code or quote below that it refers to, `before` the sentence it refers back to.
    A `hard` one binds without exception; a `plain` one says so in its own words, not only by its
    heading.
    """

    text: str
    source: SourceRef
    folder: str
    said: str
    heading: str
    lead: Block | None
    hard: bool
    plain: bool
    unit: Block
    siblings: int
    code: Block | None
    before: str


@dataclass(frozen=True, slots=True)
class _Place:
    """The headings and labels above a sentence that decide whether it binds."""

    heading: str
    group: Group
    block: Block
    code: Block | None
    nouns: frozenset[str]

    @property
    def label(self) -> str:
        """The words above a list; empty for other text."""
        return self.group.label if self.block.items else ""

    @property
    def binds(self) -> bool:
        """Whether all items listed here are rules, because a sentence above says so."""
        said = map(_BINDS.search, split_sentences(self.label))
        return bool(self.block.items) and any((_RULES_BELOW.search(self.heading), *said))

    def complete(self, sentence: str) -> str:
        """Prefix an item with the order above its list, such as `Never`."""
        if not _BARE_ORDER.fullmatch(self.label):
            return sentence
        return f"{self.label} {sentence[:1].lower()}{sentence[1:]}"


def find_imperatives(source: Source) -> tuple[Imperative, ...]:
    """Return the sentences that say what to do or not to do, without examples and code."""
    skip = read_front_matter(split_lines(source.text)).last_line
    found: dict[str, Imperative] = {}
    for one in imperatives_of(outline(source.path, source.text, skip_lines=skip), source.path):
        found.setdefault(one.text.casefold(), one)
    return tuple(found.values())


def imperatives_of(section: Section, path: str, *, named: bool = False) -> Iterator[Imperative]:
    """Return the binding sentences of a document, in order.

    Its first title names the file and is no heading; further ones (`named`) are.
    """
    if read_mark(section.blocks) is not None:
        # An exported memory comes back as it was.
        return
    heading = section.title if named or section.level > 1 else ""
    for found in group(section.blocks):
        for block, after in zip_longest(found.blocks, found.blocks[1:]):
            brought = after and len(after.text) <= _BROUGHT.get(after.kind, 0)
            code, nouns = after if brought else None, _nouns_among(block.items)
            place = _Place(heading, found, block, code, nouns)
            for unit in block.parts:
                yield from _of_unit(unit, place, base_of(path))
    for number, child in enumerate(section.children):
        yield from imperatives_of(child, path, named=number > 0)


def _nouns_among(items: Sequence[Block]) -> frozenset[str]:
    """Return the verbs that may be nouns at the start of an item; none if most items are orders."""
    begins = (next(_sentences(item), ("", 0))[0] for item in items)
    orders = sum(_orders(_CODE.sub("`", _bare(said))) for said in begins)
    return frozenset() if orders >= max(2, len(items) / 2) else _NOUNS_TOO


def _of_unit(unit: Block, place: _Place, folder: str) -> Iterator[Imperative]:
    if unit.kind not in _PROSE:
        return
    sentences = list(_sentences(unit))
    for (said, number), (last, _) in zip(sentences, [("", 0), *sentences], strict=False):
        force = _force(said, place)
        if not force:
            continue
        bare = _bare(said)
        refers = _REFERS_BACK.match(said) and len(last) <= LONGEST
        yield Imperative(
            text=place.complete(bare),
            source=SourceRef(unit.ref.path, number, number),
            folder=folder,
            said=said,
            heading=place.heading,
            lead=place.group.lead if place.block.items else None,
            hard=force != "soft",
            plain=force == "plain",
            unit=unit,
            siblings=0 if "```" in unit.text else len(sentences),
            code=place.code if _REFERS.search(bare) else None,
            before=last if refers else "",
        )


def _sentences(block: Block) -> Iterator[tuple[str, int]]:
    """Split a block into sentences, each with its first line."""
    for first, text in paragraphs_of(block.text, block.ref.first_line):
        at = 0
        for sentence in split_sentences(text):
            start = text.index(sentence, at)
            at = start + len(sentence)
            yield " ".join(sentence.split()), first + text.count("\n", 0, start)


def _bare(sentence: str) -> str:
    """Strip emphasis and a leading label from a sentence; code keeps its backticks."""
    return _LABEL.sub("", _spoken(sentence), count=1).strip(" -\N{EM DASH}")


def _spoken(sentence: str) -> str:
    text = strip_emphasis(" ".join(sentence.split()))
    return text.lstrip("\N{WARNING SIGN}\N{VARIATION SELECTOR-16}\N{CROSS MARK} ")


def _force(said: str, place: _Place) -> str:
    """Return how a sentence binds: `plain`, `hard` by its place, `soft` or not at all."""
    text = _bare(said)
    if not _STATEMENT.fullmatch(text):
        return ""
    bare, labelled = _CODE.sub("", text), _CODE.sub("", _spoken(said))
    binds = any(map(_BINDS.search, (labelled, bare, *_clauses(bare))))
    leads_in = bool(_LEADS_IN.fullmatch(text))
    if binds and (place.code or not leads_in):
        return "plain"
    if place.binds:
        return "hard"
    if place.block.kind is BlockKind.STEPS or (leads_in and not (place.code and _is_timely(text))):
        # The steps of a procedure are looked up when it is carried out.
        return ""
    ordered = _orders(_CODE.sub("`", text), place.nouns)
    return "soft" if _NORM.search(bare) or ordered else ""


def _is_timely(text: str) -> bool:
    return bool(CONDITIONS & set(_WORD.findall(text.casefold())))


def _orders(text: str, nouns: frozenset[str] = _NOUNS_TOO) -> bool:
    """Return whether a sentence is an instruction: a clause begins with such a verb."""
    timely = _is_timely(text)
    # A label, as in `Test files: tests/`, begins with a noun in any list.
    nouns = _NOUNS_TOO if _CLAUSES.search(text) else nouns
    return any(_begins_with_order(one, nouns, timely=timely) for one in _clauses(text))


def _clauses(text: str) -> Iterator[str]:
    """Return the positions where an order may begin: the start, after a label or condition."""
    for clause in _CLAUSES.split(text):
        yield clause
        first, comma, rest = clause.partition(", ")
        if comma and first.split(" ", 1)[0].casefold() in CONDITIONS | PREPOSITIONS:
            yield rest


def _begins_with_order(clause: str, nouns: frozenset[str], *, timely: bool) -> bool:
    found = [word for word in _WORD.findall(clause.casefold())[:6] if word not in ADVERBS]
    if len(found) < 2 or found[0] not in _DIRECTS | _OPERATES:
        return False
    verb, follower = found[:2]
    if verb in _OPERATES:
        return timely
    return verb not in nouns or follower in _OPENS_OBJECT
