"""Project files: makefiles, justfiles and package.json say what their tools run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROJECT_FILES = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "package": ("package.json",),
    "just": ("justfile", "Justfile", ".justfile"),
}
FOLDER_FLAGS = {
    "make": ("-C", "--directory"),
    "package": ("--prefix", "-C", "--cwd", "--dir"),
    "just": ("--working-directory", "-d"),
}
_CRON = r"(?m)^[ \t]*(?:@\w+|(?:[\d*,/A-Za-z-]+[ \t]+){4}[\d*,/A-Za-z-]+)[ \t]+(.+)$"


def cron_commands(text: str) -> str:
    """Take the commands out of a table of cron, one a line."""
    return "\n".join(re.findall(_CRON, text))


def project_commands(
    language: str,
    text: str,
    argv: Sequence[str],
    include: Callable[[str], str | None] = lambda _: None,
) -> list[tuple[str, int]]:
    """Return the commands that a project file tells to run, with their lines.

    `include` gives the text of other files of its kind.
    """
    if language == "make":
        from dmm.rules.commands.makefiles import recipes_of

        return recipes_of(text, argv[1:], include)
    if language == "just":
        from dmm.rules.commands.justfiles import just_recipes

        return just_recipes(text, argv[1:], include)
    from dmm.rules.commands.packages import package_scripts

    return package_scripts(argv, text)
