from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest

from bench import conflicts, loaders
from bench.conflicts import COMPATIBLE, CONFLICT, DUPLICATE, Pair, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.domain.memory import Memory


def note(body: str, **rest: Any) -> dict[str, Any]:
    return {"title": "Port", "body": body, "tags": ["net"], **rest}


def write_pair(path: Path, a: dict[str, Any], b: dict[str, Any]) -> Pair:
    row = {"a": a, "b": b, "label": CONFLICT, "tricky": True, "kind": "numbers"}
    path.write_text(json.dumps(row) + "\n", "utf-8")
    (pair,) = conflicts.load_table(path)
    return pair


def made_of(text: str, tmp_path: Path) -> Memory:
    return write_pair(tmp_path / "pairs.jsonl", note(text), note(text)).one


@pytest.fixture
def verdicts(tmp_path: Path) -> list[Verdict]:
    memory = made_of("Port 80.", tmp_path)

    def said(label: str, answer: str) -> Verdict:
        return Verdict(Pair(memory, memory, label, neutral=label == COMPATIBLE), answer)

    return [
        said(CONFLICT, CONFLICT),
        said(CONFLICT, COMPATIBLE),
        said(COMPATIBLE, CONFLICT),
        said(COMPATIBLE, COMPATIBLE),
        said(DUPLICATE, DUPLICATE),
    ]


def test_a_note_becomes_a_memory_as_its_file_would_hold_it(tmp_path: Path) -> None:
    pair = write_pair(
        tmp_path / "pairs.jsonl",
        note("The port is 80.", created="2025-02-03"),
        note("The port is 81.", supersedes_other=True, expires="2026-02-03"),
    )
    assert pair.one.body == "# Port\n\nThe port is 80."
    assert pair.one.created == dt.date(2025, 2, 3)
    assert pair.other.expires == dt.date(2026, 2, 3)
    assert pair.other.supersedes == (pair.one.id,)
    assert (pair.one.supersedes, pair.one.related) == ((), ())
    assert (pair.label, pair.kind, pair.tricky) == (CONFLICT, "numbers", True)


def test_related_notes_name_one_another(tmp_path: Path) -> None:
    pair = write_pair(tmp_path / "pairs.jsonl", note("One.", related=True), note("Two."))
    assert pair.one.related == (pair.other.id,)
    assert pair.other.related == (pair.one.id,)


def test_the_scores_are_taken_over_the_right_pairs(verdicts: list[Verdict]) -> None:
    assert conflicts.accuracy(verdicts) == 60
    assert conflicts.precision(verdicts, CONFLICT) == 50
    assert conflicts.recall(verdicts, CONFLICT) == 50
    assert conflicts.f1(verdicts, DUPLICATE) == 100
    assert conflicts.flagged(verdicts) == 50


def test_of_nothing_every_score_is_none() -> None:
    assert conflicts.accuracy([]) == conflicts.f1([], CONFLICT) == conflicts.flagged([]) == 0


@pytest.mark.parametrize(
    ("one", "other", "guessed"),
    [
        ("The worker has 4 threads.", "The worker has 8 threads.", CONFLICT),
        ("Deploys are allowed on Friday.", "Deploys are forbidden on Friday.", CONFLICT),
        ("Deploy on Friday.", "Never deploy on Friday.", CONFLICT),
        ("Deploy with make.", "We deploy with make.", DUPLICATE),
        ("Deploy with make.", "Tables have a primary key.", COMPATIBLE),
    ],
)
def test_the_plain_rule_goes_by_words_polarity_numbers_and_antonyms(
    one: str, other: str, guessed: str, tmp_path: Path
) -> None:
    pair = write_pair(tmp_path / "pairs.jsonl", note(one), note(other))
    assert conflicts.guess(pair) == guessed


def test_of_a_large_set_evenly_spread_lines_are_taken(tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    rows = [{"a": f"One {n}.", "b": "Two.", "label": "neutral"} for n in range(10)]
    lines = "\n".join(map(json.dumps, rows))
    (tmp_path / "pairs" / "set.jsonl").write_text(lines, "utf-8")
    pairs = conflicts.load_public(tmp_path, "set", lambda _: COMPATIBLE, most=3)
    assert [pair.one.body for pair in pairs] == ["One 0.", "One 3.", "One 6."]
    assert all(pair.neutral and not pair.one.title for pair in pairs)


def test_a_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(loaders.SetMissing, match=r"pairs/set\.jsonl"):
        conflicts.load_public(tmp_path, "set", lambda _: COMPATIBLE)


def test_crossing_never_puts_the_two_of_a_pair_together(tmp_path: Path) -> None:
    texts = [("1", "2"), ("3", "4"), ("5", "6")]
    pairs = [write_pair(tmp_path / "pairs.jsonl", note(a), note(b)) for a, b in texts]
    crossed = conflicts.cross(pairs)
    found = {(pair.one.body[-1], pair.other.body[-1]) for pair in crossed}
    assert found == {("1", "4"), ("1", "6"), ("3", "2"), ("3", "6"), ("5", "2"), ("5", "4")}
    assert {pair.label for pair in crossed} == {COMPATIBLE}
