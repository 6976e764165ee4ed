"""The program that compares memories in a process of its own; it needs nothing but this package."""

from __future__ import annotations

import gc
import pickle
import sys
from typing import TYPE_CHECKING

from dmm import VERSION
from dmm.conflicts.batches import Batch, work

if TYPE_CHECKING:
    from typing import BinaryIO

    from dmm.conflicts.readings import Reading


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer batches until there are no more."""
    held: dict[int, Reading] = {}
    while True:
        try:
            batch: Batch = pickle.load(requests)  # noqa: S301 - from the process that started us
        except EOFError:
            return
        pickle.dump(work(batch, held), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def main() -> None:
    """Serve the process that started this one, through its pipes."""
    if sys.argv[1:] != [VERSION]:
        # The program was replaced meanwhile: what is packed would be understood differently.
        sys.exit(1)
    # What is read holds no cycles, and looking for some takes longer the more is held.
    gc.disable()
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
