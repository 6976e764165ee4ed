"""The user's own editor, on a text in a file that nobody else can read."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from dmm.cli.texts import read_file
from dmm.errors import UsageError

USUAL = "vi"
_WAY_OUT = "set EDITOR to an editor that waits, such as: EDITOR=nano"


def edit_text(text: str, name: str) -> str:
    """Let the user change a text; gives what was saved."""
    line = _find_editor()
    with tempfile.TemporaryDirectory(prefix="dmm-") as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode("utf-8", "replace"))
        try:
            ended = subprocess.run([*line, str(path)], check=False).returncode  # noqa: S603 - the user's editor
        except OSError as error:
            what = f"the editor {line[0]!r} can't be run: {error.strerror}"
            raise UsageError(what, hint=_WAY_OUT) from error
        if ended != 0:
            what = f"the editor ended with status {ended}, so nothing was done"
            raise UsageError(what, hint=_WAY_OUT)
        return read_file(path)


def _find_editor() -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not named and not sys.stdin.isatty():
        raise UsageError("there is no terminal for an editor", hint=_WAY_OUT)
    try:
        return shlex.split(named or USUAL) or [USUAL]
    except ValueError:
        raise UsageError(
            f"the editor {named!r} can't be read as a command", hint=_WAY_OUT
        ) from None
