"""A progress bar on standard error, for terminals only."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHOWN_FROM = 20


@contextlib.contextmanager
def bar(label: str, *, shown_from: int = SHOWN_FROM) -> Iterator[Callable[[int, int], None]]:
    """Show progress of work with at least `shown_from` steps when a person is watching."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, visible=False)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total, visible=total >= shown_from)

        yield advance
