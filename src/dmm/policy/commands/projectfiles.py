"""Project files: makefiles and package.json, which tell what `make` and `npm run` run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROJECT_FILES = {"make": ("GNUmakefile", "makefile", "Makefile"), "package": ("package.json",)}
FOLDER_FLAGS = {
    "make": ("-C", "--directory"),
    "package": ("--prefix", "-C", "--cwd", "--dir"),
}


def project_commands(
    language: str,
    text: str,
    argv: Sequence[str],
    include: Callable[[str], str | None] = lambda _: None,
) -> list[tuple[str, int]]:
    """Give the commands that a makefile or package.json tells to run, with their lines.

    `include` gives the text of other makefiles.
    """
    if language == "make":
        from dmm.policy.commands.makefiles import recipes_of

        return recipes_of(text, argv[1:], include)
    from dmm.policy.commands.packages import package_scripts

    return package_scripts(argv, text)
