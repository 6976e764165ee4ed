"""One-line notes: found again by other words among a thousand, and how long one takes to keep.

    python -m bench.remembered [--json FILE]

Two tables hold notes, each with a paraphrase and with a question: `judged/notes.tsv` of the first
author, and `judged/notes_other.tsv` of another, who asks for those notes in other words and adds as
many. They lie among notes of other systems, in the folders that `dmm remember` chooses. Needs no
data.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import statistics
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.bootstrap import open_root
from dmm.domain.pack import QueryRequest
from dmm.files.roots import NAME, Root
from dmm.files.trusted import TrustStore
from dmm.notes.placing import Around, place_note
from dmm.review.drafting import About, Drafts

if TYPE_CHECKING:
    from dmm.bootstrap import Dmm

JUDGED = Path(__file__).parent / "judged"
ALL = 1_000
OTHERS = 900
TIMED = 20
BUDGET = 2_000
SYSTEMS = (
    *("the warehouse scanner", "the crane controller", "the seating planner", "the choir archive"),
    *("the greenhouse gateway", "the ferry timetable", "the dental scheduler", "the kiln monitor"),
    *("the beekeeping ledger", "the planetarium display", "the orchard planner", "the ski lift"),
    *("the harbour radar", "the library kiosk", "the parking garage", "the tram simulator"),
    *("the blood bank", "the glacier probe", "the puppet theatre", "the bakery line"),
    *("the lighthouse beacon", "the zoo feeder", "the marathon tracker", "the mint press"),
    *("the aquarium pump", "the opera surtitles", "the vineyard sensor", "the elevator bank"),
    *("the chess server", "the brewery tank"),
)
FACTS = (
    "{} writes its readings to the table {}_readings every {} seconds.",
    "The owner of {} is team {}, reachable in channel {}.",
    "{} restarts with the script bin/{}-restart, at most {} times a day.",
    "Measurements of {} below {} are noise and are dropped ({}).",
    "{} speaks Modbus to unit {} on line {}.",
    "The simulator for {} is in tools/{}_sim and needs {} megabytes.",
    "Calibrate {} with profile {} after {} hours of service.",
    "{} ignores commands of operator class {} while alarm {} is on.",
    "The manual of {} is volume {} in cabinet {}.",
    "{} keeps {} spare parts in store room {}.",
    "Firmware {} of {} must not be combined with board revision {}.",
    "{} is insured by contract {} until year {}.",
    "Colour code {} on {} means maintenance in week {}.",
    "{} is polled by collector {} with priority {}.",
    "Noise of {} above {} decibels is reported to office {}.",
    "{} uses gear oil grade {} and {} litres of it.",
    "Sensor {} of {} drifts by {} per month.",
    "{} was moved to hall {} on floor {}.",
    "Visitors of {} need badge {} and shoes of class {}.",
    "{} has a wired emergency stop at post {} and post {}.",
    "Shift {} inspects {} with checklist {}.",
    "{} runs at {} percent load in season {}.",
    "The licence of {} covers {} seats at site {}.",
    "{} prints its labels on printer {} with template {}.",
    "Report {} of {} goes to the board in month {}.",
    "{} shares its power line {} with {} other machines.",
    "{} was built by supplier {} in lot {}.",
    "Door {} of {} opens outward, key {}.",
    "{} has {} cameras, archive {}.",
    "The spare battery of {} lasts {} minutes at {} degrees.",
)


def read_table(name: str = "notes.tsv") -> list[tuple[str, str, str]]:
    """Read the notes with their paraphrases and the questions that ask for them."""
    rows = (line.split("\t") for line in (JUDGED / name).read_text("utf-8").splitlines())
    return [(note, paraphrase, question) for note, paraphrase, question in rows]


def make_others() -> list[str]:
    """Make the notes that no question asks for."""
    pairs = list(product(enumerate(SYSTEMS), enumerate(FACTS)))[:OTHERS]
    return [
        fact.format(system, f"K{7 * at + 3 * of + 10}", 2 + (5 * at + of) % 97).strip()
        for (at, system), (of, fact) in pairs
    ]


def write_notes(root: Root, notes: list[str]) -> dict[str, str]:
    """Write notes where `dmm remember` places them without neighbours; returns their paths."""
    day = dt.date(2026, 1, 1)
    taken: set[str] = set()
    paths: dict[str, str] = {}
    used = set()
    for note in notes:
        placed = place_note(note, Around(free=lambda path: path not in used))
        used.add(placed.path)
        drafts = Drafts(root.tree, root.folder, day, frozenset(taken))
        (edit,) = drafts.create(placed.path, placed.body, About(tags=placed.tags))
        root.tree.create(placed.path, edit.after or "")
        taken.add((edit.after or "").split("id: ")[1].split("\n")[0])
        paths[note] = placed.path
    return paths


def measure(dmm: Dmm, paths: dict[str, str], asked: dict[str, str]) -> dict[str, object]:
    """Ask for every note, and say where it stands."""
    ranks = []
    missed = []
    for note, question in asked.items():
        pack = dmm.packs.query(QueryRequest(question, budget=BUDGET), refresh=False).pack
        found = [entry.path for entry in pack.retrieved_entries]
        rank = found.index(paths[note]) + 1 if paths[note] in found else 0
        ranks.append(rank)
        if rank != 1:
            missed.append({"asked": question, "rank": rank, "first": found[:1], "note": note})
    return {
        "R@1": round(sum(rank == 1 for rank in ranks) / len(ranks), 3),
        "R@5": round(sum(1 <= rank <= 5 for rank in ranks) / len(ranks), 3),
        "nothing_served": sum(not one["first"] for one in missed),
        "missed": missed,
    }


def time_notes(dmm: Dmm) -> dict[str, float]:
    """Keep some notes as a person does, and say how long one takes once all is loaded."""
    texts = [paraphrase for _, paraphrase, _ in read_table()[: TIMED + 1]]
    dmm.notes.remember(texts[0], anyway=True)
    wall, busy = [], []
    for text in texts[1:]:
        began, used = time.perf_counter(), time.process_time()
        dmm.notes.remember(text, anyway=True)
        wall.append(time.perf_counter() - began)
        busy.append(time.process_time() - used)
    return {
        "remember_p50_s": round(statistics.median(wall), 3),
        "remember_cpu_p50_s": round(statistics.median(busy), 3),
    }


def run() -> dict[str, object]:
    """Measure everything in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="dmm-remembered-") as base:
        home, project = Path(base) / "home", Path(base) / "work"
        home.mkdir()
        root = Root(project / NAME)
        root.tree.root.mkdir(parents=True)
        TrustStore.of_user(home).trust(root.folder)
        first, other = read_table(), read_table("notes_other.tsv")
        known = {note for note, _, _ in first}
        tables = {
            "first author": first,
            "other author, notes of the first": [row for row in other if row[0] in known],
            "other author, own notes": [row for row in other if row[0] not in known],
        }
        judged = list(dict.fromkeys(note for note, _, _ in first + other))
        paths = write_notes(root, judged + make_others()[: ALL - len(judged)])
        dmm = open_root(root, home)
        try:
            dmm.memories.reindex()
            found = {
                name: {
                    "paraphrases": measure(dmm, paths, {row[0]: row[1] for row in table}),
                    "questions": measure(dmm, paths, {row[0]: row[2] for row in table}),
                }
                for name, table in tables.items()
            }
            return {"notes": len(paths), **found, **time_notes(dmm)}
        finally:
            dmm.close()


def main() -> None:
    """Print the figures, and write them where they are wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    told = run()
    text = json.dumps(told, indent=2) + "\n"
    sys.stdout.write(text)
    if given.json:
        given.json.write_text(text)


if __name__ == "__main__":
    main()
