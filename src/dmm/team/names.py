"""Valid names of teams, projects and writers: nothing else is ever part of a path."""

from __future__ import annotations

import re

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
WRITER = re.compile(r"[0-9a-f]{16}")
WRITER_BYTES = 8


def are_names(team: str, project: str, writer: str) -> bool:
    """Return whether these name a team, a project and a writer as a registry makes them."""
    placed = NAME.fullmatch(team) and NAME.fullmatch(project)
    return bool(placed and WRITER.fullmatch(writer))
