"""Train the teacher, then the student on what the teacher says; runs on one GPU in minutes.

    public + made pairs ── first stage ──┐
    labelled, changed, imported pairs ───┴─ second stage ─→ teachers ─ scores ─┐
    the same pairs, and near ones that nobody has labelled ────────────────────┴─→ student

Whatever is chosen is chosen on the labelled tables that teachers and student were held back from;
the student that is shipped then learns from these, too. No table called unseen is read.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from tools.pairs.examples import Example, Reader, Target, batches
from tools.pairs.network import MOST_ANSWERS, QUESTIONS, Network
from tools.pairs.rows import read_rows, write_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FOLDS, HELD = 4, 0
SEEDS = 9, 10, 11  # a teacher for each; their scores are averaged
EPOCHS = {"student": 4, "teacher": 1}  # of the second stage
SIZES = {"student": 128, "teacher": 80}
RATES = {"student": (1.5e-4, 1.3e-4), "teacher": (4e-5, 2e-5)}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
STARTED = time.monotonic()
NOTE = QUESTIONS.index("note")


def log(*parts: object) -> None:
    """Tell how far it is, with the seconds so far."""
    print(f"{time.monotonic() - STARTED:7.1f}", *parts, flush=True)


def train(
    network: Network,
    reader: Reader,
    examples: Sequence[Example],
    *,
    epochs: int,
    size: int,
    rate: float,
    seed: int,
    smooth: float = 0.0,
    label: str = "",
) -> None:
    """Train on the examples; notes and paraphrases are seen in either order."""
    chance = np.random.default_rng(seed)
    torch.manual_seed(seed)
    network.train()
    plan = [part for _ in range(epochs) for part in batches(examples, size, chance)]
    decayed = [one for one in network.parameters() if one.ndim > 1]
    plain = [one for one in network.parameters() if one.ndim < 2]
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}],
        lr=rate,
        betas=(0.9, 0.98),
        eps=1e-6,
        fused=DEVICE == "cuda",
    )
    warm = max(1, int(0.06 * len(plan)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (len(plan) - step) / (len(plan) - warm + 1))
    )
    total = torch.zeros((), device=DEVICE)
    begun = time.monotonic()
    for step, (target, batch) in enumerate(_prepared(reader, examples, plan, chance), 1):
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
            scores = network(*(part.to(DEVICE, non_blocking=True) for part in batch))
        loss = target.to(DEVICE).loss(scores, smooth)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        total += loss.detach()
        if step % 1_000 == 0:
            log(label, step, "of", len(plan), f"loss {total.item() / 1_000:.4f}")
            total.zero_()
    log(label, len(plan), f"steps in {time.monotonic() - begun:.0f} s")


def _prepared(
    reader: Reader,
    examples: Sequence[Example],
    plan: Sequence[NDArray[np.int64]],
    chance: np.random.Generator,
) -> Iterator[tuple[Target, tuple[torch.Tensor, ...]]]:
    def prepare(part: NDArray[np.int64], seed: int) -> tuple[Target, tuple[torch.Tensor, ...]]:
        chosen = [examples[at] for at in part]
        either = np.array([QUESTIONS[one.question] != "entailment" for one in chosen])
        turned = either & (np.random.default_rng(seed).random(len(chosen)) < 0.5)
        return Target.of(chosen), reader.batch(chosen, turned)

    ahead = 24
    seeds = chance.integers(1 << 30, size=len(plan))
    with ThreadPoolExecutor(8) as pool:
        first = zip(plan[:ahead], seeds[:ahead], strict=True)
        waiting = deque(pool.submit(prepare, part, seed) for part, seed in first)
        for at in range(ahead, len(plan) + ahead):
            yield waiting.popleft().result()
            if at < len(plan):
                waiting.append(pool.submit(prepare, plan[at], seeds[at]))


@torch.no_grad()
def judge(network: Network, reader: Reader, examples: Sequence[Example]) -> Floats:
    """Score notes in both orders, averaged."""
    network.eval()
    found = np.zeros((len(examples), MOST_ANSWERS), np.float32)
    for part in batches(examples, 512, None):
        chosen = [examples[at] for at in part]
        for turn in (False, True):
            batch = reader.batch(chosen, np.full(len(chosen), turn))
            with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
                scores = network(*(one.to(DEVICE) for one in batch))
            found[part] += scores[:, NOTE].float().cpu().numpy() / 2
    return found


def report(label: str, examples: Sequence[Example], scores: Floats) -> None:
    """Tell how well notes are judged."""
    right = np.array([one.right.index(True) for one in examples])
    said = scores.argmax(1)
    hits = (right == 0) & (said == 0)
    log(
        label,
        f"accuracy {(said == right).mean():.4f}",
        f"conflict precision {hits.sum() / max(1, (said == 0).sum()):.4f}",
        f"recall {hits.sum() / max(1, (right == 0).sum()):.4f}",
        len(examples),
        "pairs",
    )


class Course:
    """The way from base weights to a network that judges notes."""

    def __init__(self, name: str, data: Path, base: Path, quick: float) -> None:
        self.name, self.base = name, base
        self.reader = Reader(name, base)
        self._quick = quick
        self.general = [*self._load(data, "public"), *self._load(data, "made") * 2]
        parts = "labelled", "changed", "imported", "near"
        self.notes = {part: self._load(data, part) for part in parts}
        self.labelled = self.notes["labelled"]
        tables = sorted({one.source for one in self.labelled})
        self._folds = {table: at % FOLDS for at, table in enumerate(tables)}
        log(name, "examples", len(self.general), *(len(part) for part in self.notes.values()))

    def _load(self, data: Path, name: str) -> list[Example]:
        rows = read_rows(data / f"{name}.gz")
        return self.reader.examples(rows[: max(1, int(len(rows) * self._quick))])

    def fold_of(self, example: Example) -> int:
        """Return the fold that an example is judged in; -1 is none."""
        return self._folds.get(example.source, -1)

    def first(self, epochs: int) -> Network:
        """Train on everything that is not a labelled note."""
        network = Network(self.name)
        network.load_base(sorted(self.base.glob(f"{self.name}*.npz")))
        network.to(DEVICE)
        rate = RATES[self.name][0]
        train(
            network,
            self.reader,
            self.general,
            epochs=epochs,
            size=256,
            rate=rate,
            seed=0,
            label=f"{self.name}, first stage",
        )
        return network

    def second(
        self, start: Network, but: int | None, told: dict[str, Floats] | None, seed: int = SEEDS[0]
    ) -> Network:
        """Train on notes, all but those of one fold, and on some of the general pairs."""
        chance = np.random.default_rng(seed)
        parts = dict(self.notes)
        if told is None:
            parts["near"] = []  # only a teacher answers these
        else:
            parts = {name: _taught(part, told[name]) for name, part in parts.items()}
        kept = {
            name: [one for one in part if self.fold_of(one) != but] for name, part in parts.items()
        }
        count = min(30_000, len(self.general))
        some = [self.general[at] for at in chance.choice(len(self.general), count, replace=False)]
        network = Network(self.name).to(DEVICE)
        network.load_state_dict(start.state_dict())
        often = {"labelled": 5, "changed": 2, "imported": 1, "near": 1}
        examples = [*some, *(one for name, part in kept.items() for one in part * often[name])]
        train(
            network,
            self.reader,
            examples,
            epochs=EPOCHS[self.name],
            size=SIZES[self.name],
            rate=RATES[self.name][1],
            seed=seed,
            smooth=0.05,
            label=f"{self.name}, second stage, without fold {but}",
        )
        return network

    def scores(self, network: Network) -> dict[str, Floats]:
        """Score everything that a student learns from."""
        return {name: judge(network, self.reader, part) for name, part in self.notes.items()}

    def teach(self, start: Network, but: int | None) -> dict[str, Floats]:
        """Return what teachers say of the notes, one for each seed, averaged."""
        told = [self.scores(self.second(start, but, None, seed)) for seed in SEEDS]
        return {name: np.mean([one[name] for one in told], 0, np.float32) for name in told[0]}

    def report_held(self, found: Floats) -> None:
        """Report how well the labelled notes are judged that were held back."""
        held = [at for at, one in enumerate(self.labelled) if self.fold_of(one) == HELD]
        report(f"{self.name}, held back", [self.labelled[at] for at in held], found[held])


def _taught(examples: Sequence[Example], told: Floats) -> list[Example]:
    rows = zip(examples, told.tolist(), strict=True)
    return [replace(one, told=tuple(row)) for one, row in rows]


def save(network: Network, out: Path, limit: int = 15_000_000) -> None:
    """Write the weights as half-precision numbers, in parts."""
    part: dict[str, Floats] = {}
    number = size = 0
    for name, value in network.state_dict().items():
        whole = value.half().cpu().numpy()
        step = max(1, limit // max(1, whole[:1].nbytes)) if whole.ndim else 1
        for at in range(0, len(whole), step):
            piece = whole[at : at + step]
            if size + piece.nbytes > limit:
                write_arrays(out / f"weights{number}.npz", part)
                part, number, size = {}, number + 1, 0
            part[f"{name}|{at}"] = piece
            size += piece.nbytes
    write_arrays(out / f"weights{number}.npz", part)


def main() -> None:
    """Train as told; what the teacher says is kept beside the data for the student."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["begin", "teacher", "student"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="what is passed on between runs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quick", type=float, default=1.0, help="share of the data, for a try")
    parser.add_argument("--untaught", action="store_true", help="train a student without teacher")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    options.work.mkdir(parents=True, exist_ok=True)
    begun = options.work / "student_begun.pt"
    name = "teacher" if options.what == "teacher" else "student"
    course = Course(name, options.data, options.base, options.quick)
    if options.what == "begin":
        torch.save(course.first(epochs=2).state_dict(), begun)
        return
    if options.what == "teacher":
        start = course.first(epochs=1)
        for but in (HELD, None):
            told = course.teach(start, but)
            write_arrays(options.work / _told(but), told)
            if but == HELD:
                course.report_held(told["labelled"])
        return
    start = Network("student").to(DEVICE)
    start.load_state_dict(torch.load(begun, map_location=DEVICE))
    for but in (HELD, None):
        heard = None if options.untaught else dict(np.load(options.work / _told(but)))
        network = course.second(start, but, heard)
        if but == HELD:
            found = judge(network, course.reader, course.labelled)
            course.report_held(found)
            np.savez(options.out / "student_held.npz", scores=found)
        else:
            save(network, options.out)


def _told(but: int | None) -> str:
    return "told.npz" if but is None else "told_held.npz"


if __name__ == "__main__":
    main()
