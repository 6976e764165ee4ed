"""What DMM itself adds to every session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.mcp.server import INSTRUCTIONS, list_tools

if TYPE_CHECKING:
    from collections.abc import Callable


def fixed_tokens(boot: str, count: Callable[[str], int]) -> int:
    """Count what a session is given before anything is asked: BOOT, instructions, core tools."""
    tools = list_tools(core=True).model_dump_json(by_alias=True, exclude_none=True)
    return count(boot) + count(INSTRUCTIONS) + count(tools)
