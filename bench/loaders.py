"""Public test sets from a data folder; bench/README.md names their layouts and licences."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from bench.corpora import ComparisonSet, Question, Text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCOMO = "memory/locomo/locomo_dev.json"
LOCOMO_AUDIT = "memory/locomo/locomo_dev_audit_errors.json"
NOTES = "notes/notes.json"
NOTES_QUESTIONS = "notes/queries.dev.json"
SCIFACT = "ir/scifact"
CACM = "ir/cacm"
COSQA = "code/cosqa"
ANSWERABLE = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}

_TURN = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")


class SetMissing(Exception):
    """A set is not in the data folder; its text names the file."""


def read_json(data: Path, name: str) -> Any:
    """Read a JSON file of the data folder."""
    try:
        return json.loads((data / name).read_text("utf-8"))
    except FileNotFoundError as error:
        raise SetMissing(name) from error


def _read_lines(data: Path, name: str) -> list[str]:
    try:
        return (data / name).read_text("utf-8").splitlines()
    except FileNotFoundError as error:
        raise SetMissing(name) from error


def load_locomo(data: Path, *, corrected: bool = False) -> list[ComparisonSet]:
    """LoCoMo: a memory per turn, a folder per session; optionally with the audited key."""
    keys = _audited_keys(data) if corrected else {}
    conversations = enumerate(read_json(data, LOCOMO))
    return [_conversation(number, entry, keys) for number, entry in conversations]


def _audited_keys(data: Path) -> dict[str, list[str]]:
    faults = read_json(data, LOCOMO_AUDIT)
    return {f["question_id"]: f["correct_evidence"] for f in faults if f.get("correct_evidence")}


def _conversation(number: int, entry: dict[str, Any], keys: dict[str, list[str]]) -> ComparisonSet:
    texts = tuple(_turns(entry["conversation"]))
    known = {text.id for text in texts}
    questions = []
    for place, asked in enumerate(entry["qa"]):
        name = f"locomo_{number}_qa{place}"
        cited = keys.get(name, asked.get("evidence", []))
        relevant = known.intersection(_TURN.findall(" ".join(cited)))
        if asked["category"] in ANSWERABLE and relevant:
            kind = ANSWERABLE[asked["category"]]
            questions.append(Question(name, asked["question"], frozenset(relevant), kind))
    return ComparisonSet(f"locomo-{number}", texts, tuple(questions))


def _turns(conversation: dict[str, Any]) -> Iterator[Text]:
    for key, turns in conversation.items():
        session = _SESSION.fullmatch(key)
        if session is None:
            continue
        day = conversation.get(f"{key}_date_time", "")
        for place, turn in enumerate(turns):
            body = f"[{day}] {turn['speaker']}: {turn['text']}"
            yield Text(turn["dia_id"], f"session_{int(session[1]):02d}", f"{place:04d}", body)


def load_notes(data: Path) -> list[ComparisonSet]:
    """Notes made of manual pages, and questions with one target each."""
    texts = tuple(_note(note) for note in read_json(data, NOTES))
    questions = tuple(
        Question(q["id"], q["query"], frozenset([q["target"]]), q["kind"])
        for q in read_json(data, NOTES_QUESTIONS)
    )
    return [ComparisonSet("notes", texts, questions)]


def _note(note: dict[str, Any]) -> Text:
    directory, _, name = note["path"].rpartition("/")
    return Text(note["path"], directory, name, note["body"], note["title"], tuple(note["tags"]))


def load_beir(data: Path, folder: str, *, apart: bool = False) -> list[ComparisonSet]:
    """Load a set in BEIR's layout; its texts share one folder, or lie apart in one each.

    Such a set has no folders of its own, and in a shared one chance makes texts neighbours.
    """
    entries = [json.loads(line) for line in _read_lines(data, f"{folder}/corpus.jsonl")]
    texts = tuple(
        Text(
            id=entry["_id"],
            directory=f"{place:06d}" if apart else "",
            name=f"{place:06d}",
            body=entry["text"],
            title=entry.get("title", ""),
        )
        for place, entry in enumerate(entries)
    )
    answers = _judgements(_read_lines(data, f"{folder}/qrels.tsv"))
    asked = [json.loads(line) for line in _read_lines(data, f"{folder}/queries.jsonl")]
    questions = tuple(
        Question(entry["_id"], entry["text"], frozenset(answers[entry["_id"]]))
        for entry in asked
        if entry["_id"] in answers
    )
    return [ComparisonSet(folder, texts, questions)]


def _judgements(lines: list[str]) -> dict[str, set[str]]:
    """Read which texts answer which question, below the line of column names."""
    answers: dict[str, set[str]] = {}
    for line in lines[1:]:
        question, text, score = line.split("\t")
        if int(score) > 0:
            answers.setdefault(question, set()).add(text)
    return answers
