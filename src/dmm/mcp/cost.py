"""What every session pays for DMM, whatever it asks: tools, instructions, and BOOT.

A client without hooks at its start gets longer instructions and no BOOT, which costs less.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.domain.pack import constraint_line
from dmm.files.consents import BOOT
from dmm.files.shipped import read_boot
from dmm.lru import LruCache
from dmm.mcp.server import OPENING, list_tools
from dmm.packs.active_constraints import BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.bootstrap import Dmm
    from dmm.importer.rules import PlannedRule

COUNTED: LruCache[int] = LruCache(16)


def count_fixed(dmm: Dmm) -> tuple[tuple[str, int], ...]:
    """Count the tokens of each part, BOOT as it is served."""
    boot = read_boot(dmm.consents.effective(BOOT)) or b""
    texts = _tools(), ("instructions", OPENING)
    parts = (*texts, ("BOOT", boot.decode("utf-8", "replace")))
    return tuple((name, _count(dmm, text)) for name, text in parts)


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


@lru_cache
def _tools() -> tuple[str, str]:
    found = list_tools(core=True)
    text = found.model_dump_json(by_alias=True, exclude_none=True)
    return f"{len(found.tools)} tools", text


def _count(dmm: Dmm, text: str) -> int:
    """Count a text once: they change with the version, and BOOT with its file."""
    found = COUNTED.find(text)
    return COUNTED.keep(dmm.count(text), text) if found is None else found
