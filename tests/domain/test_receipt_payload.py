"""A kept receipt says what the full one says, in few bytes, and old or damaged ones do no harm."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Event, canonical
from dmm.domain.memory import Scope
from dmm.domain.pack import Candidate, PackEntry, Reason
from dmm.domain.payload import Held, PackServed
from dmm.domain.plain import to_plain
from dmm.domain.receipt_payload import LANES, MOST_EXCLUDED, REASONS, KeptReceipt, keep_receipt

LEFT_OUT = tuple(one for one in Reason if one is not Reason.INCLUDED)


def entry(path: str, score: float, lanes: tuple[str, ...], tokens: int) -> PackEntry:
    return PackEntry(
        "mem_1", path, "A", "text", tokens, 9, "retrieved", Scope.PROJECT, lanes=lanes,
        relevance_score=score,
    )  # fmt: skip


def candidate(path: str, score: float, reason: Reason, tokens: int) -> Candidate:
    return Candidate(path, "A", ("keywords",), {}, score, tokens, reason)


def stored(payload: object) -> Event:
    told = payload if isinstance(payload, dict) else {}
    return Event(7, "x", "PackServed", 1, "2026-01-31", "a", "mcp", "agent", None, None, (), told)


def test_every_reason_and_every_lane_has_its_own_letter() -> None:
    assert set(REASONS) == set(LEFT_OUT)
    assert len(set(REASONS.values())) == len(REASONS)
    assert len(set(LANES.values())) == len(LANES)


@given(
    score=st.floats(0.001, 2),
    lanes=st.lists(st.sampled_from(sorted(LANES)), unique=True).map(tuple),
    tokens=st.integers(0, 10**6),
    path=st.text(min_size=1, max_size=60),
    reason=st.sampled_from(LEFT_OUT),
)
def test_a_receipt_is_read_back_as_it_was_kept(
    score: float, lanes: tuple[str, ...], tokens: int, path: str, reason: Reason
) -> None:
    kept = keep_receipt(
        [entry("baseline/a.md", 1.0, (), 40)],
        [entry(path, score, lanes, tokens)],
        [
            candidate(f"left {path}", score, reason, tokens),
            candidate(path, score, Reason.INCLUDED, 1),
        ],
        considered=9,
        memory=1234,
    )
    served = PackServed(task="x", retrieved=(Held(path),), receipt=kept)
    read = PackServed.read(stored(to_plain(served)))
    assert read is not None
    assert read.receipt == kept
    assert (kept.baseline, kept.more, kept.memory) == ((40,), 7, 1234)
    assert kept.read_found() == ((round(score, 3), lanes, tokens),)
    assert kept.read_excluded() == ((f"left {path}", round(score, 3), reason.value, tokens),)


def test_only_the_best_exclusions_are_kept_and_the_rest_is_counted() -> None:
    many = [candidate(f"project/{n}.md", 1 - n / 100, Reason.FLOOR, 10) for n in range(50)]
    many += [candidate("project/x.md", 0.0, Reason.FLOOR, 10)]
    kept = keep_receipt((), (), many, considered=51)
    assert [one.path for one in kept.read_excluded()] == [
        f"project/{n}.md" for n in range(MOST_EXCLUDED)
    ]
    assert kept.more == 51 - MOST_EXCLUDED
    assert keep_receipt((), (), many[-1:], considered=1).read_excluded() == ()


def test_a_memory_that_is_in_a_pack_is_not_left_out_of_it() -> None:
    found = [entry("project/a.md", 0.79, ("keywords",), 40)]
    twice = [candidate(f"project/{name}.md", 0.86, Reason.FLOOR, 40) for name in "ab"]
    kept = keep_receipt((), found, twice, considered=2)
    assert [one.path for one in kept.read_excluded()] == ["project/b.md"]
    assert kept.more == 0


def test_an_old_pack_has_no_receipt_and_a_malformed_one_is_none() -> None:
    old = {"task": "x", "retrieved": [{"path": "a.md"}], "tokens": 3}
    for payload in (old, old | {"receipt": 7}, old | {"receipt": {"found": [1]}}):
        read = PackServed.read(stored(payload))
        assert read is not None
        assert (read.receipt, read.tokens) == (None, 3)


@given(st.lists(st.text(max_size=30), max_size=4).map(tuple))
def test_lines_that_somebody_else_wrote_are_passed_over(lines: tuple[str, ...]) -> None:
    kept = KeptReceipt(lines, excluded=lines)
    assert len(kept.read_found()) == len(lines)
    assert len(kept.read_excluded()) <= len(lines)


def test_a_kept_receipt_is_small() -> None:
    found = [entry(f"project/area/note_{n}.md", 0.5, ("similarity", "keywords"), 380) for n in "ab"]
    left = [candidate(f"project/area/left_{n:02}.md", 0.4, Reason.BUDGET, 380) for n in range(20)]
    held = tuple(Held(one.path, "mem_2026_01_31_001", "0" * 64) for one in found)
    told = PackServed(task="x", retrieved=held)
    before = len(canonical(to_plain(told)))
    kept = keep_receipt((), found, left, considered=25)
    after = len(canonical(to_plain(PackServed(task="x", retrieved=held, receipt=kept))))
    # A line of an entry has about 15 bytes, one of an exclusion about 15 more than its path.
    assert after - before < 100 + 20 * len(found) + sum(len(one.path) + 20 for one in left)
