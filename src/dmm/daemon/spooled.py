"""Events that hooks kept while nobody listened: fetched in order, recorded once, then removed."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.endpoint import MAGIC, state_folder
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = "spool"
LARGEST = 2 << 20
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Spool:
    """The folder of kept events."""

    folder: Path

    @classmethod
    def of_user(cls) -> Spool:
        """Give the spool of this user."""
        return cls(Path(state_folder()) / FOLDER)

    def waiting(self) -> list[Path]:
        """List the kept events, oldest first."""
        try:
            return sorted(path for path in self.folder.iterdir() if path.suffix == ".event")
        except OSError:
            return []

    @property
    def dropped(self) -> int:
        """How many events found no room."""
        try:
            return (self.folder / "dropped").stat().st_size
        except OSError:
            return 0

    def drain(self, take: Callable[[str, bytes, float], bool]) -> int:
        """Hand each event over; one that was taken is removed, a damaged one is put aside."""
        taken = 0
        for path in self.waiting()[:AT_ONCE]:
            try:
                data, _ = read_regular(path, LARGEST)
                client, body, moment = _split(data)
            except (OSError, ValueError):
                with contextlib.suppress(OSError):
                    path.rename(path.with_suffix(".damaged"))
                continue
            if not take(client, body, moment):
                break
            with contextlib.suppress(OSError):
                path.unlink()
            taken += 1
        return taken


def _split(data: bytes) -> tuple[str, bytes, float]:
    line, _, body = data.partition(b"\n")
    words = line.decode("ascii").split(" ")
    if words[0] != MAGIC or len(words) != 3:
        raise ValueError("not a kept event")
    return words[1], body, int(words[2]) / 1e9
