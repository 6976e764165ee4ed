"""A rule whose fields can't be read: which field, what is wrong with it, and what helps."""

from __future__ import annotations

from dmm.errors import RuleFormError, name_place

Place = tuple[str | int, ...]

__all__ = ["Place", "RuleFormError", "name_place"]
