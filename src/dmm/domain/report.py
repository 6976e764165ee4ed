"""Reports: findings in the memory files, and what a command did."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from dmm.domain.frozen import frozen

if TYPE_CHECKING:
    from pathlib import Path

Level = Literal["error", "warning"]


@frozen
class Finding:
    """One thing that is wrong (error) or doubtful (warning); `check` is its stable name."""

    path: str
    level: Level
    check: str
    message: str
    line: int | None = None
    hint: str | None = None
    fixable: bool = False

    @property
    def where(self) -> str:
        """The file, with the line where one is known."""
        return self.path if self.line is None else f"{self.path}:{self.line}"


@frozen
class ValidationReport:
    """All findings in path order; `files` counts the memory files, `valid` those without errors."""

    files: int
    valid: int
    findings: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What keeps a file from being served, or makes it unsafe."""
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What should be looked at."""
        return tuple(finding for finding in self.findings if finding.level == "warning")

    def describe(self) -> object:
        """The report as plain data."""
        return {
            "files": self.files,
            "valid": self.valid,
            "errors": len(self.errors),
            "warnings": len(self.warnings),
            "findings": [asdict(finding) for finding in self.findings],
        }


@frozen
class Repair:
    """One change to a file; where `applied` is false, `what` says why it was left alone."""

    path: str
    what: str
    applied: bool = True


@frozen
class SetupReport:
    """What `dmm init` made, and which files it found and left as they are.

    `notice` says why the memory is not trusted, where it is not.
    """

    folder: Path
    created: tuple[str, ...]
    kept: tuple[str, ...]
    notice: str = ""
