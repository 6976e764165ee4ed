"""What a person is shown of rules that are not in force: proposals of agents, and their own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dmm.cli.format import lines, rule_lines
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


def warn_untrusted(dmm: Dmm) -> None:
    """Warn a person that their rule is not enforced yet; an agent can't change that."""
    if not dmm.trusted and not dmm.by_agent:
        sys.stderr.write("".join(f"{line}\n" for line in lines.untrusted()))
