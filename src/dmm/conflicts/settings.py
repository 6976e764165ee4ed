"""Units that the name of a setting tells: `MAX_UPLOAD_BYTES`, `max-age`, `--timeout`."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from dmm.conflicts.units import unit_of
from dmm.conflicts.vocabulary import concept_of
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word

Unit = tuple[str, Decimal]


_LINKS = word_set("is are = : to of set at be was default defaults value equals ` ( )")
_MOST_LINKS = 4
_PIECES = re.compile(r"[_\-.]")
_SPANS = ("ttl", "timeout", "age", "expiry", "lifetime", "interval", "delay")
_SECONDS: Unit = ("time", Decimal(1))
# A timeout from here on is told in milliseconds as often as in seconds.
_UNSURE = 1000


def unit_named(words: Sequence[Word], index: int, value: Decimal) -> Unit | None:
    """The unit of a bare number, where the setting that it is given to tells one."""
    place = _named_before(words, index)
    if place is None:
        return None
    word = words[place]
    *rest, last = _pieces(word)
    found = unit_of(last) if len(last) > 1 else None
    if found is not None and found[0] in ("time", "size") and (rest or last.endswith("s")):
        return found
    aged = word.text == "ttl" or (
        word.text == "age" and place > 0 and words[place - 1].text == "max"
    )
    if not (aged or (word.named and last.endswith(_SPANS))):
        return None
    return _SECONDS if value < _UNSURE or not last.endswith("timeout") else None


def things_named(words: Sequence[Word], index: int) -> frozenset[str]:
    """What a bare number counts, where it is given to a flag: "--workers 8"."""
    place = _named_before(words, index)
    if place is None or not words[place].text.startswith("-"):
        return frozenset()
    return frozenset(concept_of(piece) for piece in _pieces(words[place]))


def _pieces(word: Word) -> list[str]:
    return [piece for piece in _PIECES.split(word.text) if piece] or [word.text]


def _named_before(words: Sequence[Word], index: int) -> int | None:
    """The place of the name before a number and its "is" or "="."""
    place = index - 1
    while place >= 0 and index - place <= _MOST_LINKS and words[place].text in _LINKS:
        place -= 1
    if place < 0 or words[place].sort not in ("name", "word"):
        return None
    return place if place < index - 1 or words[place].text.startswith("-") else None


_SHORT = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)([kmg])$")
_BYTES = {"k": Decimal(1024), "m": Decimal(1_048_576), "g": Decimal(1_073_741_824)}
_SIZED = word_set("size memory heap buffer body upload file mem ram disk shm bytes")
_CPU = word_set("cpu cpus")
_NEAR = 6


def short_amount(words: Sequence[Word], index: int) -> tuple[Decimal, Unit] | None:
    """A size or a share of a processor in one letter: "2048k" of a body, "500m" of a CPU."""
    found = _SHORT.match(words[index].text)
    if found is None:
        return None
    near = {piece for word in words[max(0, index - _NEAR) : index] for piece in _pieces(word)}
    letter = found.group(2)
    if letter == "m" and near & _CPU:
        return Decimal(found.group(1)), ("core", Decimal("0.001"))
    if near & _SIZED:
        return Decimal(found.group(1)), ("size", _BYTES[letter])
    return None


HEAP_FLAGS = ("-xmx", "-xms", "-xss")


def heap_size(flag: str) -> tuple[Decimal, Unit] | None:
    """The size in a flag of the Java machine: "-Xmx2048m"."""
    found = _SHORT.match(flag[len(HEAP_FLAGS[0]) :]) if flag.startswith(HEAP_FLAGS) else None
    return (Decimal(found.group(1)), ("size", _BYTES[found.group(2)])) if found else None
