"""A pack as markdown and as data, byte by byte."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from dmm.domain.memory import Origin, Scope
from dmm.domain.pack import (
    Candidate,
    CitationCheck,
    Freshness,
    Pack,
    PackEntry,
    Reason,
    Receipt,
)
from dmm.packs.render import (
    describe_candidate,
    describe_entry,
    describe_pack,
    describe_receipt,
    render_body,
    render_pack,
)

CITE = CitationCheck("src/a.py:1-2 f", Freshness.MOVED, "src/a.py:5-6")
BASELINE = PackEntry(
    id="mem_2026_01_01_001",
    path="baseline/identity.md",
    title="Us",
    content="# Us\n\nWe.",
    token_count=5,
    heading_tokens=9,
    source="baseline",
    scope=Scope.BASELINE,
)
RETRIEVED = PackEntry(
    id="mem_2026_01_01_002",
    path="project/a.md",
    title="A",
    content="# A\n\nOf project.",
    token_count=7,
    heading_tokens=20,
    source="retrieved",
    scope=Scope.PROJECT,
    relevance_score=0.81549,
    labels=("cites src/a.py:1-2 f: moved, now src/a.py:5-6",),
    citations=(CITE,),
)
GLOBAL = replace(
    RETRIEVED,
    path="user:global/b.md",
    content="# B\n\nOf the user.",
    scope=Scope.GLOBAL,
    origin=Origin.USER,
    relevance_score=0.4,
    labels=(),
    citations=(),
)


def line(path: str, reason: Reason, tokens: int = 300) -> Candidate:
    return Candidate(path, "T", ("keywords",), {"bm25": 0.123456}, 0.54321, tokens, reason, "why")


PACK = Pack(
    query='say  "hi"\nnow',
    day=dt.date(2026, 1, 31),
    budget=1000,
    baseline_budget=800,
    baseline_entries=(BASELINE,),
    retrieved_entries=(GLOBAL, RETRIEVED),
    receipt=Receipt(
        directories=(("project", 0.987654),),
        candidates=(
            line("project/x.md", Reason.BUDGET),
            line("project/y.md", Reason.BUDGET),
            line("project/z.md", Reason.DUPLICATE),
            line("project/w.md", Reason.FLOOR),
        ),
        considered=6,
    ),
    notices=("look here", "and here"),
)
MARKDOWN = """# DMM Memory Pack
Generated: 2026-01-31
Task: "say 'hi' now"
Baseline tokens: 5 | Retrieved tokens: 14 | Total: 19

---

> Notice: look here
> Notice: and here

## Baseline (Always Included)

### [baseline/identity.md] (relevance: baseline)
# Us

We.

---

## Retrieved Context

### Global

#### [user:global/b.md] (relevance: 0.40)
# B

Of the user.

### Project

#### [project/a.md] (relevance: 0.82)
> cites src/a.py:1-2 f: moved, now src/a.py:5-6
# A

Of project.

---

## Pack Statistics
- Baseline: 1 file, 5 tokens
- Retrieved: 2 files, 14 tokens
- Headings: 49 tokens
- Budget: 1000 tokens
- Remaining: 932 tokens
- Excluded: 2 files (budget exceeded)
- Excluded: 1 file (near-duplicate)
"""


def test_a_pack_as_markdown() -> None:
    assert render_pack(PACK) == MARKDOWN


def test_the_body_does_not_depend_on_the_day_or_the_wording_of_the_task() -> None:
    other = replace(PACK, day=dt.date(2027, 2, 2), query="something else")
    assert render_body(other) == render_body(PACK)
    assert render_pack(PACK).endswith(render_body(PACK))


@pytest.mark.parametrize(
    ("query", "candidates", "told"),
    [
        ("x", (), "Nothing in memory is relevant enough to this task."),
        (" \n", (), "No task was given, so nothing was looked up."),
        (
            "x",
            (line("project/x.md", Reason.BUDGET, 2000), line("project/y.md", Reason.BUDGET, 10)),
            "No room: the best match, project/x.md, has 2000 tokens. A budget of 2014 holds it.",
        ),
        (
            "x",
            (line("project/x.md", Reason.FLOOR, 2000),),
            "Nothing in memory is relevant enough to this task.",
        ),
    ],
)
def test_an_empty_answer_says_why(query: str, candidates: tuple[Candidate, ...], told: str) -> None:
    receipt = Receipt(candidates=candidates)
    pack = replace(PACK, query=query, retrieved_entries=(), receipt=receipt, notices=())
    assert f"## Retrieved Context\n\n{told}\n\n---\n" in render_pack(pack)


def test_an_empty_answer_of_an_unfinished_index_does_not_say_that_there_is_nothing() -> None:
    pack = replace(PACK, retrieved_entries=(), receipt=Receipt(), incomplete=True)
    shown = render_pack(pack)
    assert "Nothing was found so far: not all memory files are indexed yet." in shown
    assert "relevant enough" not in shown


def test_a_baseline_over_its_budget_is_told_in_the_statistics() -> None:
    assert "- Baseline: 1 file, 5 tokens (over its budget of 3 by 2)\n" in render_pack(
        replace(PACK, baseline_budget=3)
    )


def test_a_pack_as_data() -> None:
    assert describe_pack(PACK) == {
        "format": 1,
        "generated_at": "2026-01-31",
        "query": 'say  "hi"\nnow',
        "budget": 1000,
        "baseline_budget": 800,
        "baseline_tokens": 5,
        "retrieved_tokens": 14,
        "heading_tokens": 49,
        "total_tokens": 19,
        "baseline_entries": [describe_entry(BASELINE)],
        "retrieved_entries": [describe_entry(GLOBAL), describe_entry(RETRIEVED)],
        "included_paths": ["baseline/identity.md", "user:global/b.md", "project/a.md"],
        "excluded_paths": ["project/x.md", "project/y.md", "project/z.md"],
        "excluded": [describe_candidate(one) for one in PACK.excluded],
        "constraints": [],
        "constraint_tokens": 0,
        "notices": ["look here", "and here"],
        "abstained": False,
    }


def test_an_entry_as_data() -> None:
    assert describe_entry(RETRIEVED) == {
        "path": "project/a.md",
        "id": "mem_2026_01_01_002",
        "title": "A",
        "content": "# A\n\nOf project.",
        "token_count": 7,
        "heading_tokens": 20,
        "relevance_score": 0.8155,
        "source": "retrieved",
        "scope": "project",
        "origin": "project",
        "labels": ["cites src/a.py:1-2 f: moved, now src/a.py:5-6"],
        "citations": [{"cite": "src/a.py:1-2 f", "state": "moved", "now": "src/a.py:5-6"}],
    }


def test_a_receipt_as_data() -> None:
    told = describe_receipt(replace(PACK.receipt, candidates=PACK.receipt.candidates[:1]))
    assert told == {
        "directories": [{"path": "project", "score": 0.9877}],
        "candidates": [
            {
                "path": "project/x.md",
                "title": "T",
                "lanes": ["keywords"],
                "parts": {"bm25": 0.1235},
                "score": 0.5432,
                "tokens": 300,
                "included": False,
                "reason": "budget",
                "detail": "why",
            }
        ],
        "considered": 6,
        "abstained": False,
    }
