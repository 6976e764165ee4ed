"""Cut long text into overlapping windows that fit the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dmm.embed.wordpiece import CLS, SEP

if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOW_PIECES: Final = 256  # of one window, with header and marks: what the model reads
OVERLAP_PIECES: Final = 32  # body pieces that a window shares with the one before
HEADER_PIECES: Final = 48  # most of the header that each window repeats

window_scheme: Final = f"w{WINDOW_PIECES}-{OVERLAP_PIECES}-{HEADER_PIECES}"


def cut_windows(
    header: Sequence[int],
    body: Sequence[int],
    *,
    size: int = WINDOW_PIECES,
    overlap: int = OVERLAP_PIECES,
) -> list[list[int]]:
    """Return as few windows as hold the body: [CLS], header, a slice of the body, [SEP].

    The slices are about equally long, so none is a remnant without context, and every body piece
    is in some window. A change of this rule needs a new name in window_scheme.
    """
    head = [CLS, *header[:HEADER_PIECES]]
    room = size - len(head) - 1
    if size > WINDOW_PIECES or not 0 <= overlap < room:
        raise ValueError(f"no windows of {size} pieces with overlap {overlap}")
    if len(body) <= room:
        return [[*head, *body, SEP]]
    count = -(-(len(body) - overlap) // (room - overlap))
    cuts = [(len(body) - overlap) * n // count for n in range(count + 1)]
    slices = (body[cuts[n] : cuts[n + 1] + overlap] for n in range(count))
    return [[*head, *part, SEP] for part in slices]
