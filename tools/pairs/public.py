"""Pairs of sentences from public sets, read out of Git mirrors of the repositories that hold them.

Sets that forbid commercial use or state no terms are left out. What is left, with its terms:

    SNLI                       CC BY-SA 4.0   in natural-instructions and e-SNLI
    MultiNLI                   OANC terms     in natural-instructions
    SciTail                    Apache-2.0     in natural-instructions
    PAWS                       free use       in natural-instructions
    FEVER, FEVER Symmetric     CC BY-SA 3.0   in Generative-NLI, fever-nli, FeverSymmetric
    ConjNLI                    MIT
    Counterfactual NLI         Apache-2.0     sentences of SNLI
    Breaking NLI               CC BY-SA 4.0
    ScoNe                      CC0
"""

from __future__ import annotations

import argparse
import ast
import csv
import io
import json
import random
import re
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from tools.pairs.rows import Row, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST, LONGEST_OTHER = 1_200, 600
LETTERS = {"E": "entailment", "C": "contradiction", "N": "neutral"}
CLAIMS = {
    "SUPPORTS": "entailment",
    "REFUTES": "contradiction",
    "NOT ENOUGH INFO": "neutral",
    "entailment": "entailment",
    "contradiction": "contradiction",
    "neutral": "neutral",
    "0": "neutral",
    "1": "entailment",
    "2": "contradiction",
}
TWO = re.compile(r"Sentence 1: (.*?) ?Sentence 2: (.*)$", re.DOTALL)
CHOICES = re.compile(r"Statement: (.*?)\s*Choices:\s*1\. (.*?)\s*2\. (.*?)\s*3\. (.*)$", re.DOTALL)
SNLI_EDITS = {
    184: ("entailment", "neutral"),
    185: ("contradiction", "neutral"),
    186: ("contradiction", "entailment"),
    187: ("entailment", "contradiction"),
    188: ("neutral", "entailment"),
    189: ("neutral", "contradiction"),
}
MNLI_CHOICES = {200: "entailment", 201: "neutral", 202: "contradiction"}


class Mirrors:
    """Bare Git repositories in one folder, named owner+name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, repository: str, path: str) -> bytes:
        """Return one file at the newest commit."""
        place = self._folder / repository.replace("/", "+") / "repo"
        command = ["git", "--git-dir", str(place), "show", f"HEAD:{path}"]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def text(self, repository: str, path: str) -> str:
        """Return one file as text."""
        return self.read(repository, path).decode("utf-8", "replace")

    def table(self, repository: str, path: str, delimiter: str = ",") -> Iterator[dict[str, str]]:
        """Return the lines of a table by their headings."""
        yield from csv.DictReader(io.StringIO(self.text(repository, path)), delimiter=delimiter)

    def instances(self, task: str) -> list[tuple[str, str]]:
        """Return the questions and first answers of a task of natural-instructions."""
        content = self.read("code-krishna/natural-instructions", f"tasks/{task}.json")
        return [(one["input"], one["output"][0]) for one in json.loads(content)["Instances"]]


def _entailed(one: str, other: str, source: str, *answers: str) -> Row:
    return Row(" ".join(one.split()), " ".join(other.split()), "entailment", answers, source)


def read_snli(mirrors: Mirrors) -> Iterator[Row]:
    """Sentences of SNLI: labelled ones, and edits that turn one label into another."""
    for number, (before, after) in SNLI_EDITS.items():
        task = f"task{number}_snli_{before}_to_{after}_text_modification"
        for asked, answer in mirrors.instances(task):
            if found := TWO.match(asked):
                yield _entailed(found[1], found[2], "snli", before)
                yield _entailed(found[1], answer, "snli", after)
    for asked, answer in mirrors.instances("task190_snli_classification"):
        if found := TWO.match(asked):
            yield _entailed(found[1], found[2], "snli", LETTERS[answer])
    folder = "dataset/eSNLI"
    lines = [
        mirrors.text("OanaMariaCamburu/e-SNLI", f"{folder}/{name}.test").splitlines()
        for name in ("s1", "s2", "labels")
    ]
    for one, other, label in zip(*lines, strict=True):
        yield _entailed(one, other, "snli", label)


def read_mnli(mirrors: Mirrors) -> Iterator[Row]:
    """Sentences of MultiNLI; of three hypotheses that belong together the third is worked out."""
    for asked, answer in mirrors.instances("task199_mnli_classification"):
        if found := TWO.match(asked):
            allowed = ("neutral",) if answer == "no" else ("contradiction", "entailment")
            yield _entailed(found[1], found[2], "mnli", *allowed)
    known: dict[tuple[str, ...], dict[str, str]] = {}
    for number, label in MNLI_CHOICES.items():
        for asked, answer in mirrors.instances(f"task{number}_mnli_{label}_classification"):
            if found := CHOICES.match(asked):
                premise, *hypotheses = (part.strip() for part in found.groups())
                chosen = hypotheses[int(answer) - 1]
                known.setdefault((premise, *sorted(hypotheses)), {})[chosen] = label
    for (premise, *hypotheses), labels in known.items():
        left = tuple(sorted(set(CLAIMS.values()) - set(labels.values())))
        for one in hypotheses:
            if one in labels or len(left) < 3:
                yield _entailed(premise, one, "mnli", *((labels[one],) if one in labels else left))


def read_scitail(mirrors: Mirrors) -> Iterator[Row]:
    """Sentences of SciTail: entailed or neutral."""
    for task, form in (
        ("task1529_scitail1.1_classification", r"Premise: (.*?)\s*Hypothesis: (.*)$"),
        ("task1554_scitail_classification", r"Sentence 1: (.*?) ?Sentence 2: (.*)$"),
    ):
        for asked, answer in mirrors.instances(task):
            if found := re.match(form, asked, re.DOTALL):
                label = "entailment" if answer.startswith("entail") else "neutral"
                turned = task.startswith("task1554")
                yield _entailed(found[1 + turned], found[2 - turned], "scitail", label)


def read_paws(mirrors: Mirrors) -> Iterator[Row]:
    """Sentences of PAWS: the same words, and the same meaning or not."""
    for asked, answer in mirrors.instances("task400_paws_paraphrase_classification"):
        lines = asked.split("\n")
        if len(lines) == 2:
            label = "same" if answer == "Paraphrase" else "other"
            yield Row(lines[0].strip(), lines[1].strip(), "paraphrase", (label,), "paws")


def read_fever(mirrors: Mirrors) -> Iterator[Row]:
    """Claims and the evidence for or against them."""
    repository = "technion-cs-nlp/Generative-NLI"
    sources = mirrors.text(repository, "data/fever/fever_val_source_file").splitlines()
    labels = mirrors.text(repository, "data/fever/fever_val_lbl_file").splitlines()
    for line, label in zip(sources, labels, strict=True):
        evidence, found, claim = line.partition("|||")
        if found and label in CLAIMS:
            yield _entailed(evidence, claim, "fever", CLAIMS[label])
    for part in ("eval", "test"):
        path = f"data/vanilla_wiki_data/{part}_data_vanilla.csv"
        for entry in mirrors.table("GGKorn/fever-nli", path):
            told = entry["evidence"]
            known = ast.literal_eval(told) if told.startswith("[") else []
            if known:
                label = CLAIMS[entry["label"]]
                yield _entailed(" ".join(known[:2]), entry["claim"], "fever", label)
    for part in ("dev", "test"):
        path = f"symmetric_v0.2/fever_symmetric_{part}.jsonl"
        for text in mirrors.text("TalSchuster/FeverSymmetric", path).splitlines():
            row = json.loads(text)
            evidence = row.get("evidence_sentence") or row["evidence"]
            label = row.get("gold_label") or row["label"]
            yield _entailed(evidence, row["claim"], "fever", CLAIMS[label])


def read_small(mirrors: Mirrors) -> Iterator[Row]:
    """Small sets on one difficulty each: conjunctions, and edits that turn a label."""
    path = "data/NLI/adversarial_train_15k.tsv"
    for line in mirrors.text("swarnaHub/ConjNLI", path).splitlines():
        *_, one, other, label = line.split("\t")
        if label in CLAIMS:
            yield _entailed(one, other, "conjnli", label)
    for part in ("train", "dev", "test"):
        path = f"NLI/all_combined/{part}.tsv"
        for row in mirrors.table("acmi-lab/counterfactually-augmented-data", path, "\t"):
            yield _entailed(row["sentence1"], row["sentence2"], "counterfactual", row["gold_label"])


def read_breaking(mirrors: Mirrors) -> Iterator[Row]:
    """Sentences of SNLI with one word swapped for a related one."""
    packed = mirrors.read("BIU-NLP/Breaking_NLI", "breaking_nli_dataset.zip")
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for name in archive.namelist():
            if name.endswith(".jsonl") and "MACOSX" not in name:
                for line in archive.read(name).decode().splitlines():
                    known = json.loads(line)
                    if known["gold_label"] in CLAIMS:
                        pair = known["sentence1"], known["sentence2"]
                        yield _entailed(*pair, "breaking", known["gold_label"])


def read_scone(mirrors: Mirrors) -> Iterator[Row]:
    """Sentences with none, one or two negations."""
    for part in ("no_negation", "one_not_scoped", "one_scoped", "two_not_scoped", "two_scoped"):
        for row in mirrors.table("selenashe/ScoNe", f"scone_nli/train/{part}.csv"):
            one, other, label = (
                row.get(f"{name}_edited") or row[name]
                for name in ("sentence1", "sentence2", "gold_label")
            )
            if label in CLAIMS:
                yield _entailed(one, other, "scone", label)


def plain(text: str) -> str:
    """Reduce a sentence to its words, to recognise it."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def held_out(folder: Path) -> set[str]:
    """Return the sentences that something is measured on: they are never trained on."""
    known = set()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            known |= {plain(row["a"]), plain(row["b"])}
    return {text for text in known if len(text) > 25}


def choose(rows: Iterable[Row], measured: set[str]) -> list[Row]:
    """Keep each pair once, with the fewest answers, and nothing that is measured on."""
    kept: dict[tuple[str, str], Row] = {}
    for row in rows:
        key = plain(row.one), plain(row.other)
        if not 2 < len(row.one) < LONGEST or not 2 < len(row.other) < LONGEST_OTHER:
            continue
        if measured.intersection(key) or key[0] == key[1]:
            continue
        known = kept.get(key)
        if known is None or len(row.answers) < len(known.answers):
            kept[key] = row
    chosen = list(kept.values())
    random.Random(1).shuffle(chosen)
    return chosen


def main() -> None:
    """Read all sets and write the pairs that are kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirrors", type=Path, required=True, help="folder with the mirrors")
    parser.add_argument("--held-out", type=Path, required=True, help="folder with measured sets")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    mirrors = Mirrors(options.mirrors)
    readers = (
        read_snli,
        read_mnli,
        read_scitail,
        read_paws,
        read_fever,
        read_small,
        read_breaking,
        read_scone,
    )
    rows = choose((row for read in readers for row in read(mirrors)), held_out(options.held_out))
    print(write_rows(options.out, rows), "pairs")


if __name__ == "__main__":
    main()
