"""Examples for the networks: rows in word pieces, in batches, and what scores are held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from tokenizers import BertWordPieceTokenizer
from tools.pairs.network import MOST_ANSWERS, QUESTIONS
from tools.pairs.rows import ANSWERS, Row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Ids = NDArray[np.int32]

LONGEST = 126  # pieces of one text
TEMPERATURE = 2.0
TRUST_IN_TEACHER = 0.7
MARKS = {"student": ("[CLS]", "[SEP]", "[PAD]"), "teacher": ("<s>", "</s>", "<pad>")}


@dataclass(frozen=True, slots=True)
class Example:
    """A row in word pieces, the answers that are right, and perhaps what the teacher says."""

    one: Ids
    other: Ids
    question: int
    right: tuple[bool, ...]
    source: str
    told: tuple[float, ...] | None = None


class Reader:
    """Turns rows into examples by the vocabulary of a network."""

    def __init__(self, name: str, base: Path) -> None:
        start, end, empty = MARKS[name]
        self._words = BertWordPieceTokenizer(
            str(base / f"{name}.txt"),
            lowercase=True,
            cls_token=start,
            sep_token=end,
            pad_token=empty,
            unk_token="[UNK]",
        )
        ids = self._words.get_vocab()
        self.start, self.end, self.empty = ids[start], ids[end], ids[empty]
        self.between = [self.end] * (2 if name == "teacher" else 1)

    def examples(self, rows: Sequence[Row]) -> list[Example]:
        """Return the examples of some rows."""
        texts = [text for row in rows for text in (row.one, row.other)]
        found = self._words.encode_batch(texts, add_special_tokens=False)
        pieces = [np.array(one.ids[:LONGEST], np.int32) for one in found]
        return [
            Example(
                pieces[2 * at],
                pieces[2 * at + 1],
                QUESTIONS.index(row.question),
                _right(row),
                row.source,
            )
            for at, row in enumerate(rows)
        ]

    def batch(
        self, examples: Sequence[Example], turned: NDArray[np.bool_]
    ) -> tuple[torch.Tensor, ...]:
        """Lay examples side by side, padded to the longest; some in the other order."""
        gap = len(self.between)
        lengths = [len(one.one) + len(one.other) + gap + 2 for one in examples]
        length = -(-max(lengths) // 8) * 8
        pieces = np.full((len(examples), length), self.empty, np.int64)
        used, segments = np.zeros_like(pieces), np.zeros_like(pieces)
        for at, (example, turn) in enumerate(zip(examples, turned, strict=True)):
            one, other = (example.other, example.one) if turn else (example.one, example.other)
            middle = 1 + len(one) + gap
            pieces[at, 0] = self.start
            pieces[at, 1 : 1 + len(one)] = one
            pieces[at, 1 + len(one) : middle] = self.end
            pieces[at, middle : lengths[at] - 1] = other
            pieces[at, lengths[at] - 1] = self.end
            used[at, : lengths[at]] = 1
            segments[at, middle : lengths[at]] = 1
        return tuple(map(torch.from_numpy, (pieces, used, segments)))


def _right(row: Row) -> tuple[bool, ...]:
    known = ANSWERS[row.question]
    right = tuple(answer in row.answers for answer in known)
    return (*right, *(False,) * (MOST_ANSWERS - len(known)))


def batches(
    examples: Sequence[Example], size: int, chance: np.random.Generator | None
) -> list[NDArray[np.int64]]:
    """Group examples of like length; with chance, in any order."""
    lengths = np.array([len(one.one) + len(one.other) for one in examples])
    if chance is None:
        order = np.argsort(lengths, kind="stable")
        return [order[at : at + size] for at in range(0, len(order), size)]
    found = []
    mixed = chance.permutation(len(examples))
    for at in range(0, len(mixed), 50 * size):
        part = mixed[at : at + 50 * size]
        part = part[np.argsort(lengths[part], kind="stable")]
        found += [part[start : start + size] for start in range(0, len(part), size)]
    chance.shuffle(found)
    return found


@dataclass(frozen=True, slots=True)
class Target:
    """What the scores of a batch are held against."""

    asked: torch.Tensor
    right: torch.Tensor
    valid: torch.Tensor
    taught: torch.Tensor
    told: torch.Tensor

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Target:
        """Collect it from the examples."""
        asked = torch.tensor([one.question for one in examples])
        known = [[at < len(ANSWERS[name]) for at in range(MOST_ANSWERS)] for name in QUESTIONS]
        return cls(
            asked,
            torch.tensor([one.right for one in examples]),
            torch.tensor(known)[asked],
            torch.tensor([one.told is not None for one in examples]),
            torch.tensor([one.told or (0.0,) * MOST_ANSWERS for one in examples]),
        )

    def to(self, device: str) -> Target:
        """Move it to a device."""
        parts = self.asked, self.right, self.valid, self.taught, self.told
        return Target(*(part.to(device, non_blocking=True) for part in parts))

    def loss(self, scores: torch.Tensor, smooth: float) -> torch.Tensor:
        """Return the loss: the right answers, and the teacher's scores where there are some."""
        rows = torch.arange(len(scores), device=scores.device)
        chosen = scores[rows, self.asked].float().masked_fill(~self.valid, -1e4)
        whole = torch.logsumexp(chosen, 1)
        loss = whole - torch.logsumexp(chosen.masked_fill(~self.right, -1e4), 1)
        spread = whole - (chosen * self.valid).sum(1) / self.valid.sum(1)
        loss = (1 - smooth) * loss + smooth * spread
        target = F.softmax(self.told / TEMPERATURE, 1)
        apart = -(target * F.log_softmax(chosen / TEMPERATURE, 1)).sum(1) * TEMPERATURE**2 / 2
        taught = TRUST_IN_TEACHER * apart + (1 - TRUST_IN_TEACHER) * loss
        return torch.where(self.taught, taught, loss).mean()
