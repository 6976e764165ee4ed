"""The rules in force, written where a hook finds them that has to judge alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.rules.on_file import RulesOnFile, write_rules

if TYPE_CHECKING:
    from dmm.rulefile import RuleFiles
    from dmm.rules.callbook import CallBook
    from dmm.rules.on_file import OnFailure
    from dmm.rules.project_ledger import ProjectLedger

LIBRARIES = ("regex", "ast_grep_py")


@cache
def find_libraries() -> tuple[str, ...]:
    """Find the folders that hold the libraries which search what a call writes."""
    specs = [find_spec(name) for name in LIBRARIES]
    places = [Path(one.origin).parent.parent for one in specs if one is not None and one.origin]
    return tuple(dict.fromkeys(map(str, places)))


@dataclass(slots=True)
class PublishedRules:
    """Keeps the rule file of one project up to its ledger."""

    files: RuleFiles
    root: Path
    project_ledger: ProjectLedger
    on_failure: OnFailure
    _written: CallBook | None = None

    def publish(self) -> bool:
        """Write the rules in force, unless they are on file; say whether they are now.

        A call is answered whether or not this works, so nothing is raised.
        """
        path = self.project_ledger.path
        if path is None or not self.project_ledger.is_own:
            return False
        book = self.project_ledger.rulebook(self.project_ledger.state()).guarding
        if book is self._written:
            return True
        try:
            data = write_rules(RulesOnFile(book, self.on_failure, find_libraries()))
            self.files.write(str(self.root), str(path), data)
        except OSError:
            return False
        self._written = book
        return True
