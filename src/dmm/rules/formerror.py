"""A rule whose fields can't be read: which field, what is wrong with it, and what helps."""

from __future__ import annotations

from dmm.errors import DmmError

Place = tuple[str | int, ...]


class RuleFormError(DmmError):
    """One field of a rule is wrong; other rules are unaffected."""

    code = "rule_form"

    def __init__(self, place: Place, what: str, *, hint: str | None = None) -> None:
        super().__init__(what, where=name_place(place), hint=hint)
        self.place = place
        self.what = what


def name_place(place: Place) -> str:
    """Name a field as people do: `match[0].command.flags`."""
    named = ""
    for part in place:
        named += f"[{part}]" if isinstance(part, int) else f".{part}" if named else part
    return named
