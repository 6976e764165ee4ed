"""What every session pays for DMM, whatever it asks: tools, instructions, and BOOT.

A client without hooks at its start gets longer instructions and no BOOT, which costs less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.pack import constraint_line
from dmm.files.consents import BOOT
from dmm.files.shipped import read_boot
from dmm.lru import LruCache
from dmm.packs.active_constraints import BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.bootstrap import Dmm
    from dmm.importer.rules import PlannedRule

# Tokens of the core tools and of the instructions as a client gets them. A test counts them; to
# load all of MCP for that would take longer than what is asked.
TOOLS, TOOL_TOKENS, INSTRUCTION_TOKENS = 4, 219, 10
COUNTED: LruCache[int] = LruCache(16)


def count_fixed(dmm: Dmm) -> tuple[tuple[str, int], ...]:
    """Count the tokens of each part, BOOT as it is served."""
    boot = read_boot(dmm.consents.effective(BOOT)) or b""
    text = boot.decode("utf-8", "replace")
    # It changes with its file alone.
    known = COUNTED.find(text)
    return (
        (f"{TOOLS} tools", TOOL_TOKENS),
        ("instructions", INSTRUCTION_TOKENS),
        ("BOOT", COUNTED.keep(dmm.count(text), text) if known is None else known),
    )


def count_own(dmm: Dmm) -> tuple[tuple[str, int], ...]:
    """Count what a session start brings of the project's own: the baseline and the rules."""
    return ("baseline", dmm.overview.glance()[1]), ("rules", count_rules(dmm))


def count_rules(dmm: Dmm, planned: Iterable[PlannedRule] = ()) -> int:
    """Count the rules as a session gets them, each with its name and what it does."""
    standing = dmm.packs.find_standing()
    held = () if standing is None else standing.constraints()
    there = {one.id for one in held}
    new = (one for one in planned if one.rule.id not in there)
    lines = (constraint_line(one.rule.id, one.state, one.rule.title) for one in new)
    return min(BUDGET, sum(one.token_count for one in held) + sum(map(dmm.count, lines)))
