"""How many inputs a property that asks for a number of its own is tried with."""

from __future__ import annotations

from hypothesis import settings


def many(most: int) -> int:
    """Return `most`, or a quarter of it where the fast tests run on a developer's machine."""
    return most // 4 if settings.get_current_profile_name() == "quick" else most
