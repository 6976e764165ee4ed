"""Train the shipped network further, on notes that hold other sentences too.

    labelled pairs, with sentences of other notes in them ─┐
    near pairs, as the shipped network judges them ────────┴─→ network

What the shipped network says of pairs as they are is kept. A sentence is put beside a note only
where the network finds it compatible with all that it meets there.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tools.pairs.examples import LONGEST
from tools.pairs.export import PARTS
from tools.pairs.network import Network
from tools.pairs.rows import ANSWERS, Row, read_rows
from tools.pairs.train import log, save
from torch.nn import functional

from dmm.embed.model import DATA, read_vocabulary
from dmm.embed.wordpiece import CLS, SEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MADE = 10  # longer pairs for each labelled one
STRANGERS = (1, 2, 3)
UNRELATED = 0.85
KEPT = 120_000  # near pairs, to keep what it says of notes as they are
HELD = 8  # one table of so many is held back, and reported
EPOCHS, SIZE = 4, 512
LABELS = ANSWERS["note"]
DEVICE = "cuda"
ATTENTION = ("query", "key", "value")  # stored as one matrix

Pair = tuple[str, str]


def read_shipped() -> Network:
    """Return the network that is shipped, its numbers unpacked."""
    graph = onnx.load(DATA / "pairs.onnx").graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def weight(name: str) -> NDArray[np.float32]:
        if name in stored:
            return np.asarray(stored[name], np.float32)
        whole, zero = (stored[f"{name}_{part}"] for part in ("quantized", "zero_point"))
        return (whole.astype(np.float32) - zero.astype(np.float32)) * stored[f"{name}_scale"]

    found = {"words.weight": weight("words"), "segments.weight": weight("texts")}
    for part, kind in (("weight", "w"), ("bias", "b")):
        found[f"norm.{part}"] = weight(f"embeddings.LayerNorm.{kind}")
        found[f"pool.{part}"] = weight(f"pool.{kind}").T
        for number in range(6):
            layer, name = f"layers.{number}", f"encoder.layer.{number}"
            split = np.split(weight(f"{name}.qkv.{kind}").T, 3)
            for piece, value in zip(ATTENTION, split, strict=True):
                found[f"{layer}.{piece}.{part}"] = value
            for piece in PARTS.keys() - set(ATTENTION):
                found[f"{layer}.{piece}.{part}"] = weight(f"{name}.{PARTS[piece]}.{kind}").T
    network = Network("student")
    state = network.state_dict()
    for name, value in found.items():
        state[name] = torch.from_numpy(np.ascontiguousarray(value))
    positions = weight("positions")
    state["positions.weight"][: len(positions)] = torch.from_numpy(positions)
    for part, kind in (("weight", "w"), ("bias", "b")):
        state[f"heads.{part}"][: len(LABELS)] = torch.from_numpy(weight(f"head.{kind}").T.copy())
    network.load_state_dict(state)
    return network.to(DEVICE).eval()


def encode(texts: Sequence[str]) -> list[list[int]]:
    """Return the pieces of some texts."""
    words = read_vocabulary(DATA / "vocab.txt")
    return [words.encode(text, limit=LONGEST) for text in texts]


class Pairs:
    """Pairs in word pieces on the device."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        texts = sorted({text for pair in pairs for text in pair})
        parts = [texts[at : at + 512] for at in range(0, len(texts), 512)]
        with Pool() as pool:
            found = [one for part in pool.map(encode, parts) for one in part]
        known = dict(zip(texts, found, strict=True))
        pieces = np.zeros((len(pairs), 2 * LONGEST + 3), np.int16)
        lengths = np.zeros((len(pairs), 2), np.int16)
        for at, (one, other) in enumerate(pairs):
            row = [CLS, *known[one], SEP, *known[other], SEP]
            pieces[at, : len(row)] = row
            lengths[at] = len(known[one]) + 2, len(row)
        self._pieces = torch.from_numpy(pieces).to(DEVICE)
        self.lengths = torch.from_numpy(lengths).to(DEVICE)

    def __len__(self) -> int:
        return len(self._pieces)

    def batch(self, rows: torch.Tensor, *, turn: bool) -> tuple[torch.Tensor, ...]:
        """Return some pairs for a network; turned, the second text first."""
        lengths = self.lengths[rows].long()
        length = int(lengths[:, 1].max())
        pieces = self._pieces[rows, :length].long()
        places = torch.arange(length, device=DEVICE)[None]
        first, whole = lengths[:, :1], lengths[:, 1:]
        if turn:
            second = whole - first
            moved = torch.where(places <= second, places + first - 1, places - second)
            there = (places > 0) & (places < whole)
            pieces = torch.where(there, pieces.gather(1, moved.clamp(0, length - 1)), pieces)
            first = second + 1
        used = places < whole
        return pieces, used.long(), ((places >= first) & used).long()


@torch.no_grad()
def ask(network: Network, pairs: Pairs) -> torch.Tensor:
    """Return the chances of the three answers, both orders averaged."""
    found = torch.zeros(len(pairs), len(LABELS), device=DEVICE)
    for rows in torch.argsort(pairs.lengths[:, 1]).split(1_024):
        for turn in (False, True):
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                scores = network(*pairs.batch(rows, turn=turn))[:, 0, : len(LABELS)]
            found[rows] += functional.softmax(scores.float(), 1) / 2
    return found


@dataclass(frozen=True, slots=True)
class Longer:
    """A labelled pair with sentences of other notes in it, and what these meet there."""

    pair: Pair
    label: str
    table: str
    meetings: tuple[Pair, ...]


def lengthen(row: Row, others: Sequence[str], chance: random.Random) -> Longer:
    """Put sentences into one note or both; what says the same must keep saying it."""
    (label,) = row.answers
    strangers = chance.sample(others, 2 * chance.choice(STRANGERS))
    half = len(strangers) // 2
    added = [strangers[:half], strangers[half:]]
    if label == "duplicate" or (label == "conflict" and chance.random() < 0.25):
        added[1] = added[0]  # two versions of one note
    elif chance.random() < 0.3:
        added[chance.randrange(2)] = []
    texts = []
    for text, more in zip((row.one, row.other), added, strict=True):
        parts = [*more]
        parts.insert(chance.randint(0, len(parts)), text)
        texts.append(" ".join(parts))
    meetings = [(one, row.other) for one in added[0]] + [(one, row.one) for one in added[1]]
    if added[0] != added[1]:
        meetings += [(one, other) for one in added[0] for other in added[1]]
    return Longer((texts[0], texts[1]), label, row.source, tuple(meetings))


def make_longer(labelled: Sequence[Row], network: Network) -> list[Longer]:
    """Lengthen the labelled pairs, with sentences that have nothing to do with them."""
    chance = random.Random(23)
    tables: dict[str, list[str]] = {}
    for row in labelled:
        tables.setdefault(row.source, []).extend((row.one, row.other))
    everything = [text for texts in tables.values() for text in texts]
    found = []
    for row in labelled:
        for _ in range(MADE):
            pool = tables[row.source] if chance.random() < 0.5 else everything
            others = [one for one in chance.sample(pool, min(12, len(pool))) if one not in row.one]
            found.append(lengthen(row, [one for one in others if one != row.other], chance))
    meetings = sorted({pair for one in found for pair in one.meetings})
    told = ask(network, Pairs(meetings))[:, LABELS.index("compatible")].tolist()
    known = dict(zip(meetings, told, strict=True))
    return [one for one in found if all(known[pair] >= UNRELATED for pair in one.meetings)]


def learn(start: Network, pairs: Pairs, told: torch.Tensor, rate: float) -> Network:
    """Train on, in either order."""
    torch.manual_seed(9)
    network = Network("student").to(DEVICE)
    network.load_state_dict(start.state_dict())
    network.train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01, fused=True)
    steps = EPOCHS * (len(pairs) // SIZE + 64)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps)
    for epoch in range(EPOCHS):
        parts: list[torch.Tensor] = []
        for block in torch.randperm(len(pairs), device=DEVICE).split(64 * SIZE):
            parts += block[torch.argsort(pairs.lengths[block, 1])].split(SIZE)
        total = torch.zeros((), device=DEVICE)
        for at in torch.randperm(len(parts)).tolist():
            rows = parts[at]
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                scores = network(*pairs.batch(rows, turn=at % 2 == 1))[:, 0, : len(LABELS)]
            loss = -(told[rows] * functional.log_softmax(scores.float(), 1)).sum(1).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.detach()
        log("epoch", epoch + 1, f"loss {total.item() / len(parts):.4f}")
    return network.eval()


def report(label: str, said: torch.Tensor, right: torch.Tensor) -> None:
    """Tell how well pairs are judged."""
    chosen = said.argmax(1)
    hits = float(((chosen == 0) & (right == 0)).sum())
    log(
        label,
        len(said),
        f"accuracy {float((chosen == right).float().mean()):.4f}",
        f"conflict precision {hits / max(1, int((chosen == 0).sum())):.4f}",
        f"recall {hits / max(1, int((right == 0).sum())):.4f}",
    )


def numbers(labels: Sequence[str]) -> torch.Tensor:
    """Return the numbers of labels."""
    return torch.tensor([LABELS.index(one) for one in labels], device=DEVICE)


def main() -> None:
    """Train without the tables that are held back and report; then train on all, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="labelled, changed and near pairs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rate", type=float, default=4e-5)
    options = parser.parse_args()
    shipped = read_shipped()
    labelled = read_rows(options.data / "labelled.gz")
    changed = read_rows(options.data / "changed.gz")
    longer = make_longer(labelled, shipped)
    near = [(row.one, row.other) for row in read_rows(options.data / "near.gz")]
    near = random.Random(5).sample(near, min(KEPT, len(near)))
    held = set(sorted({row.source for row in labelled})[::HELD])
    log(len(longer), "longer pairs of", MADE * len(labelled), len(near), "near ones")
    judged = [one for one in longer if one.table in held]
    tests = Pairs([one.pair for one in judged]), numbers([one.label for one in judged])
    plain = [row for row in labelled if row.source in held]
    rows = Pairs([(row.one, row.other) for row in plain])
    right = numbers([row.answers[0] for row in plain])
    report("longer, shipped", ask(shipped, tests[0]), tests[1])
    for but in (held, set[str]()):
        known = [row for row in (*labelled, *labelled, *changed) if row.source not in but]
        mixed = [one for one in longer if one.table not in but]
        pairs = Pairs(
            [*near, *((row.one, row.other) for row in known), *(one.pair for one in mixed)]
        )
        told = ask(shipped, pairs)
        labels = numbers([row.answers[0] for row in known] + [one.label for one in mixed])
        sure = functional.one_hot(labels, len(LABELS)).float() * 0.94 + 0.02
        short = len(near) + len(known)
        told[len(near) : short] = (told[len(near) : short] + sure[: len(known)]) / 2
        told[short:] = sure[len(known) :]
        network = learn(shipped, pairs, told, options.rate)
        if but:
            report("longer, held back", ask(network, tests[0]), tests[1])
            report(
                "as they are, held back (shipped has learnt from these)", ask(network, rows), right
            )
    save(network, options.out)


if __name__ == "__main__":
    main()
