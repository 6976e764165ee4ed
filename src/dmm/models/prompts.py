"""Model prompts: our instructions, and quoted text of others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.resources.abc import Traversable


@cache
def read_instructions(name: str) -> str:
    """Read standing instructions: in the installed package, or beside the sources."""
    packed: Traversable = resources.files("dmm") / "data" / "prompts"
    folder = packed if packed.is_dir() else Path(__file__).parents[3] / "prompts"
    return (folder / name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Quote:
    """Quotes texts of others, so that none of their lines can pass for one of ours.

    Every line gets a mark at its start. There is no end mark that a text could imitate. `clean`
    takes secrets out of a text.
    """

    clean: Callable[[str], str]

    def lines(self, text: str) -> Iterator[str]:
        """Quote a text line by line."""
        safe = neutralise(self.clean(text).replace("\r\n", "\n"))
        return (f"| {line}" for line in safe.removesuffix("\n").split("\n"))

    def name(self, text: str) -> str:
        """Quote a name or a path within one of our lines."""
        return json.dumps(neutralise(self.clean(text)), ensure_ascii=False)
