"""What all made-up notes share: chance, words, places, times, titles."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    Made = tuple[str, str, str, str, str]

HERE = Path(__file__).parent
CONFLICT, DUPLICATE, COMPATIBLE = "conflict", "duplicate", "compatible"


class Writer:
    """Writes parts of notes with one source of chance."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words: dict[str, Any] = json.loads((HERE / "words.json").read_text("utf-8"))

    def _dress(self, title: str, body: str) -> str:
        if self._chance.random() < 0.3:
            aside = self._pick(self._words["asides"])
            body = f"{body} {aside}" if self._chance.random() < 0.7 else f"{aside} {body}"
        return body if self._chance.random() < 0.25 else f"{capital(title)}. {body}"

    def _pick(self, options: Sequence[Any]) -> Any:
        return self._chance.choice(options)

    def _two(self, options: Sequence[Any]) -> list[Any]:
        return self._chance.sample(list(options), 2)

    def _service(self) -> str:
        form: str = self._pick(self._words["service_forms"])
        return form.format(self._pick(self._words["services"]))

    def _within(self, body: str, area: str) -> str:
        forms = (
            "In {a}: {l}",
            "For {a}: {l}",
            "{a} only: {l}",
            "{b} This is about {a}.",
            "In {a}, {l}",
        )
        form: str = self._pick(forms)
        return capital(form.format(a=area, b=body, l=lower(body)))

    def _over_time(self, title: str, one: str, other: str) -> tuple[str, str, str, str]:
        year = self._chance.randint(2018, 2025)
        before = self._pick(["Until {y}: {l}", "Before {y}: {l}", "No longer valid since {y}: {l}"])
        after = self._pick(["From {y} on: {l}", "Since {y}: {l}", "As of {y}, {l}"])
        return (
            f"{title} (history)" if self._chance.random() < 0.3 else title,
            before.format(y=year, l=lower(one)),
            title,
            after.format(y=year, l=lower(other)),
        )

    def _retitle(self, title: str) -> str:
        form: str = self._pick(["{}", "{}", "about {}", "{} setting", "note on {}"])
        return form.format(title)


def capital(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


def lower(text: str) -> str:
    """Return the text as the middle of a sentence."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
