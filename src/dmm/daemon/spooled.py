"""Record the events that hooks spooled, in order, once, then remove them."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.endpoint import MAGIC
from dmm.losses import spool_folder
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable

    Take = Callable[["Kept"], bool]

LARGEST = 2 << 20
AT_ONCE = 500
# What can't be used is kept for a person to look at, where it takes no room from new events.
ASIDE = "aside"
# A hook writes its event in far less than this; what is older was left by one that died.
UNFINISHED = 60.0


@frozen
class Kept:
    """An event that a hook kept: when it happened, and how the hook ruled on it, if it did."""

    client: str
    body: bytes
    moment: float
    ruled: str = ""


@frozen
class Spool:
    """The folder of kept events."""

    folder: Path

    @classmethod
    def of_user(cls) -> Spool:
        """Return the spool of this user."""
        return cls(Path(spool_folder()))

    def waiting(self) -> list[Path]:
        """List the kept events, oldest first."""
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == ".event")
        except OSError:
            return []

    @property
    def damaged(self) -> int:
        """How many events were put aside."""
        try:
            return sum(1 for _ in (self.folder / ASIDE).iterdir())
        except OSError:
            return 0

    def drain(self, take: Take, tell: Callable[[str, BaseException], None]) -> int:
        """Hand each event over; one that was taken is removed, a damaged one is put aside.

        Where an event has to wait, so do the later ones of its project, and no others.
        """
        self._put_unfinished_aside()
        taken, blocked = 0, set[Path]()
        for path in self.waiting():
            if taken >= AT_ONCE:
                break
            try:
                kept = _split(read_regular(path, LARGEST)[0])
                root = split_body(kept.body, "")[1]
                if root in blocked:
                    continue
                if not take(kept):
                    blocked.add(root)
                    continue
            except Exception as error:  # noqa: BLE001 - one bad file must not keep the others
                tell("a kept event can't be used", error)
                self._put_aside(path)
                continue
            with contextlib.suppress(OSError):
                path.unlink()
            taken += 1
        return taken

    def _put_aside(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            (self.folder / ASIDE).mkdir(mode=0o700, exist_ok=True)
            path.rename(self.folder / ASIDE / f"{path.stem}.damaged")

    def _put_unfinished_aside(self) -> None:
        with contextlib.suppress(OSError):
            for path in self.folder.glob("*.part"):
                if time.time() - path.lstat().st_mtime > UNFINISHED:
                    self._put_aside(path)


def _split(data: bytes) -> Kept:
    line, _, body = data.partition(b"\n")
    words = line.decode("ascii").split(" ")
    if words[0] != MAGIC or len(words) not in (3, 4):
        raise ValueError("not a kept event")
    return Kept(words[1], body, int(words[2]) / 1e9, words[3] if len(words) > 3 else "")


def split_body(body: bytes, name: str) -> tuple[str, Path, bytes]:
    """Parse what a hook sends: delivery name, .dmm folder and payload."""
    first, _, rest = body.partition(b"\n")
    if not first.startswith(b"/"):
        name = first.decode("ascii", "replace")
        first, _, rest = rest.partition(b"\n")
    return name, Path(os.fsdecode(first.replace(b"\0", b"\n"))), rest
