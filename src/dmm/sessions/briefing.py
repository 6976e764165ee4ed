"""The briefing of a session: BOOT, active rules, baseline.

The same memory gives the same bytes, so that a provider's cache of the prompt stays warm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.pack import constraint_line
from dmm.domain.text import neutralise
from dmm.files.consents import BOOT
from dmm.files.shipped import read_boot
from dmm.packs.render import render_entry
from dmm.packs.token_counts import KeptCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.pack import ConstraintLine, PackEntry
    from dmm.files.consents import Consents
    from dmm.files.roots import Root
    from dmm.packs.active_constraints import ActiveConstraints
    from dmm.packs.baselines import Baselines

# What every agent takes whole: Claude Code cuts at 10,000 characters, Codex at 2,500 tokens.
MOST_CHARACTERS = 9_500
MOST_TOKENS = 2_400
# Room for the lines that say what was left out.
RESERVED_CHARACTERS = 400
RESERVED_TOKENS = 120
# Room for the record of the last session, kept free also without one: the rest stays the same.
RECORD_CHARACTERS = 800
RECORD_TOKENS = 150
BOOT_LIMIT = 64 << 10

OPENING = "# Project memory (DMM)\n\n"
CONSTRAINTS = (
    "## Rules\n\n"
    "Enforced: a tool call that matches is stopped. Asks: a person is asked first. Checked on"
    " decisions only, and advice: no call is stopped, so follow them yourself.\n\n"
)
BASELINE = "## Baseline\n\n"


@dataclass(frozen=True, slots=True)
class Briefing:
    """Writes the text that a session gets at its start."""

    root: Root
    baselines: Baselines
    consents: Consents
    count: Callable[[str], int]
    find_standing: Callable[[], ActiveConstraints | None]

    def write(self) -> str:
        """Write the briefing; what has no room is named, never dropped silently."""
        counts = KeptCounts(self.root, "briefing.json", self.count)
        counts.load()
        always = self.baselines.compile()
        standing = self.find_standing()
        constraints = () if standing is None else standing.constraints()
        page = _Page(counts.count)
        page.add(_open_boot(read_boot(self.consents.effective(BOOT))))
        if constraints:
            page.add(CONSTRAINTS + "".join(_line(one) for one in constraints) + "\n")
        page.add(BASELINE if always.entries else "")
        left_out = [entry for entry in always.entries if not page.add(_block(entry))]
        counts.save()
        notices = [*always.notices, *(() if standing is None else standing.notices)]
        return page.close(_told(left_out, notices))


class _Page:
    """A text that grows part by part, within the limit of an agent."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._parts: list[str] = []
        self._characters = MOST_CHARACTERS - RESERVED_CHARACTERS - RECORD_CHARACTERS
        self._tokens = MOST_TOKENS - RESERVED_TOKENS - RECORD_TOKENS

    def add(self, part: str) -> bool:
        """Add a part where it fits."""
        tokens = self._count(part) if part else 0
        if len(part) > self._characters or tokens > self._tokens:
            return False
        self._characters -= len(part)
        self._tokens -= tokens
        self._parts.append(part)
        return True

    def close(self, last: str) -> str:
        """End the page with a line whose space is reserved."""
        return "".join(self._parts) + last[:RESERVED_CHARACTERS]


def _line(one: ConstraintLine) -> str:
    return constraint_line(one.id or str(one.seq), one.state, one.text)


def _block(entry: PackEntry) -> str:
    return neutralise(render_entry(entry).rstrip("\n")) + "\n\n"


def _open_boot(data: bytes | None) -> str:
    """Return BOOT, or only a title if there is none."""
    if data is None or len(data) > BOOT_LIMIT:
        return OPENING
    text = neutralise(data.decode("utf-8", "replace").strip()) + "\n\n"
    return text if text.startswith("# ") else OPENING + text


def _told(left_out: list[PackEntry], notices: list[str]) -> str:
    lines = []
    if left_out:
        names = ", ".join(entry.path for entry in left_out[:5])
        more = f" and {len(left_out) - 5} more" if len(left_out) > 5 else ""
        lines.append(
            f"Baseline left out for lack of space:  {names}{more}. Ask for it with memory_pack."
        )
    lines += [f"Notice: {neutralise(notice)}" for notice in notices[:2]]
    return "".join(f"{line}\n" for line in lines)
