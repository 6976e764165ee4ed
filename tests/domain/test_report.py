"""Reports: errors and warnings apart, and the whole as plain data."""

from __future__ import annotations

from dmm.domain.plain import to_plain
from dmm.domain.report import Finding, ValidationReport

ERROR = Finding("project/a.md", "error", "schema", "missing field: id", line=2)
WARNING = Finding("project/b.md", "warning", "size", "too short", fixable=True)


def test_a_finding_says_where() -> None:
    assert (ERROR.where, WARNING.where) == ("project/a.md:2", "project/b.md")


def test_errors_and_warnings_are_told_apart_and_counted() -> None:
    report = ValidationReport(files=2, valid=1, findings=(ERROR, WARNING))
    assert (report.errors, report.warnings) == ((ERROR,), (WARNING,))
    assert to_plain(report) == {
        "files": 2,
        "valid": 1,
        "errors": 1,
        "warnings": 1,
        "findings": [
            {
                "path": "project/a.md",
                "level": "error",
                "check": "schema",
                "message": "missing field: id",
                "line": 2,
                "hint": None,
                "fixable": False,
            },
            {
                "path": "project/b.md",
                "level": "warning",
                "check": "size",
                "message": "too short",
                "line": None,
                "hint": None,
                "fixable": True,
            },
        ],
    }
