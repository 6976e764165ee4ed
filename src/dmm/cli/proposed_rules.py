"""Rules proposed by agents, as shown to the person who decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.cli.format import rule_lines
from dmm.cli.options import print_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.bootstrap import Dmm


def show_proposals(dmm: Dmm, names: Iterable[str]) -> None:
    """Show proposed rule files, each with what it would have stopped in past sessions."""
    for name in names:
        if dmm.rules.is_proposal(name):
            print_lines([*rule_lines.shown(dmm.rules.show(name))])
            told = dmm.rules.rehearse(name)
            print_lines(f"  {line}" for line in rule_lines.rehearsed(told))
