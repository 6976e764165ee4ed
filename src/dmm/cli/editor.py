"""Open a text in the user's editor, in a private file."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.cli.texts import read_file
from dmm.errors import DmmError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

USUAL = "vi"
_WAY_OUT = "set EDITOR to an editor that blocks, such as: EDITOR=nano"


def edit_text(text: str, name: str) -> str:
    """Open a text in the user's editor; return what was saved.

    Where the editor fails, what was saved until then is kept and the error says where.
    """
    line = _find_editor()
    folder = Path(tempfile.mkdtemp(prefix="dmm-"))
    path, written = folder / name, text.encode("utf-8", "replace")
    try:
        path.write_bytes(written)
        found = _read_edited(line, path)
    except DmmError as error:
        if _is_worth_keeping(path, written):
            _tell_kept(error, path)
        else:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    except KeyboardInterrupt:
        if _is_worth_keeping(path, written):
            sys.stderr.write(f"\ndmm: {_kept(path)}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    return found


def _read_edited(line: list[str], path: Path) -> str:
    ended = _run_editor(line, path)
    if ended == -signal.SIGINT:
        raise KeyboardInterrupt
    if ended != 0:
        what = f"the editor exited with status {ended}, so nothing was done"
        raise UsageError(what, hint=_WAY_OUT)
    return read_file(path)


def _is_worth_keeping(path: Path, written: bytes) -> bool:
    """Whether the user saved anything but what was there."""
    try:
        return path.read_bytes() != written
    except OSError:
        return False


def _kept(path: Path) -> str:
    return f"your text is kept in {path}"


def _tell_kept(error: DmmError, path: Path) -> None:
    error.hint = f"{error.hint}; {_kept(path)}" if error.hint else _kept(path)


@contextmanager
def keeping(text: str, name: str) -> Iterator[None]:
    """Keep a text that somebody wrote where what it was written for fails or is cancelled."""
    try:
        yield
    except (DmmError, KeyboardInterrupt) as error:
        path = Path(tempfile.mkdtemp(prefix="dmm-")) / name
        path.write_bytes(text.encode("utf-8", "replace"))
        if isinstance(error, DmmError):
            _tell_kept(error, path)
        else:
            sys.stderr.write(f"\ndmm: {_kept(path)}")
        raise


def _run_editor(line: list[str], path: Path) -> int:
    """Run the editor; as long as it runs, Ctrl-C is for it and takes no text from under it."""
    # A handler that does nothing, as the editor would inherit a signal that is ignored.
    before = signal.signal(signal.SIGINT, lambda _signal, _frame: None)
    try:
        return subprocess.run([*line, str(path)], check=False).returncode  # noqa: S603 - the user's editor
    except OSError as error:
        what = f"the editor {line[0]!r} can't be run: {error.strerror}"
        raise UsageError(what, hint=_WAY_OUT) from error
    finally:
        signal.signal(signal.SIGINT, before)


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
