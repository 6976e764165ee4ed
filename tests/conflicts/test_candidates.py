"""Which memories have something in common: what is about one subject, and never all with all."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.rulebooks import write_memories
from dmm.conflicts.candidates import RARE, Candidates, Profile, in_order, profile_of
from dmm.domain.conflict import Method

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.conflicts.conftest import NewNote

    Profiled = Callable[..., Profile]
    Pairs = dict[tuple[int, int], set[Method]]


@pytest.fixture(scope="session")
def profiled(note: NewNote) -> Profiled:
    def profile(
        number: int,
        body: str,
        title: str = "",
        *,
        tags: Sequence[str] = (),
        related: Sequence[str] = (),
        supersedes: Sequence[str] = (),
    ) -> Profile:
        memory = note(
            body,
            title,
            id=f"mem_{number}",
            path=f"project/note_{number}.md",
            tags=tuple(tags),
            related=tuple(related),
            supersedes=tuple(supersedes),
        )
        return profile_of(memory)

    return profile


def collected(profiles: Sequence[Profile]) -> Candidates:
    candidates = Candidates()
    for number, profile in enumerate(profiles):
        candidates.put(number, profile)
    return candidates


def pairs_among(candidates: Candidates) -> Pairs:
    """The pairs that a scan finds, and how: it asks about one memory after the other."""
    pairs: Pairs = {}
    for number, profile in candidates.profiles.items():
        for other, methods in candidates.partners(profile, number).items():
            pairs.setdefault((min(number, other), max(number, other)), set()).update(methods)
    return pairs


def candidate_pairs(profiles: Sequence[Profile]) -> Pairs:
    return pairs_among(collected(profiles))


def generated(profiled: Profiled, count: int, first: int = 1_000) -> list[Profile]:
    return [
        profiled(first + n, text.body, title=text.title, tags=text.tags)
        for n, text in enumerate(write_memories(count))
    ]


def test_two_notes_with_a_word_in_common_are_compared_by_their_rules(profiled: Profiled) -> None:
    notes = [profiled(1, "Indent with tabs."), profiled(2, "Use spaces to indent.")]
    assert candidate_pairs(notes) == {(0, 1): {Method.RULES}}


def test_notes_without_anything_in_common_are_not_compared(profiled: Profiled) -> None:
    notes = [profiled(1, "Indent with tabs."), profiled(2, "Lunch is at noon.")]
    assert candidate_pairs(notes) == {}


def test_a_shared_tag_is_told_whatever_its_letter_case(profiled: Profiled) -> None:
    notes = [
        profiled(1, "Indent with tabs.", tags=["Style"]),
        profiled(2, "Quote twice.", tags=["style"]),
    ]
    assert candidate_pairs(notes) == {(0, 1): {Method.TAGS}}


def test_related_memories_are_compared_and_those_that_are_named_together(
    profiled: Profiled,
) -> None:
    notes = [
        profiled(1, "Alpha.", related=["mem_2", "mem_3"]),
        profiled(2, "Beta."),
        profiled(3, "Gamma."),
        profiled(4, "Delta."),
    ]
    related = {Method.RELATED}
    assert candidate_pairs(notes) == {(0, 1): related, (0, 2): related, (1, 2): related}


def test_two_memories_that_replace_the_same_one_are_compared_though_it_is_gone(
    profiled: Profiled,
) -> None:
    notes = [
        profiled(1, "Alpha.", supersedes=["mem_9"]),
        profiled(2, "Beta.", supersedes=["mem_9"]),
    ]
    assert candidate_pairs(notes) == {(0, 1): {Method.SUPERSEDES}}


def test_what_replaces_a_memory_is_compared_with_what_relates_to_the_replaced_one(
    profiled: Profiled,
) -> None:
    notes = [
        profiled(1, "Alpha.", supersedes=["mem_2"]),
        profiled(2, "Beta."),
        profiled(3, "Gamma.", related=["mem_2"]),
    ]
    assert candidate_pairs(notes) == {
        (0, 1): {Method.SUPERSEDES},
        (0, 2): {Method.SUPERSEDES},
        (1, 2): {Method.RELATED},
    }


def test_all_methods_that_find_a_pair_are_told_in_one_order(profiled: Profiled) -> None:
    notes = [
        profiled(1, "Indent with tabs.", tags=["style"], related=["mem_2"], supersedes=["mem_2"]),
        profiled(2, "Indent with spaces.", tags=["style"]),
    ]
    (found,) = candidate_pairs(notes).values()
    told = in_order(frozenset({Method.SIMILARITY, *found}))
    assert told == tuple(method for method in Method if method is not Method.FLAG)


def test_a_tag_that_everybody_has_brings_nobody_together(profiled: Profiled) -> None:
    rng = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    notes = [
        profiled(n, " ".join("".join(rng.choices(letters, k=9)) for _ in range(6)), tags=["team"])
        for n in range(400)
    ]
    assert candidate_pairs(notes) == {}


def test_common_words_that_seldom_stand_together_bring_two_notes_together(
    profiled: Profiled,
) -> None:
    filler = [profiled(n, f"The billing report number{n} is late.") for n in range(RARE + 10)]
    filler += [profiled(500 + n, f"The export timeout of host{n}.") for n in range(RARE + 10)]
    wanted = [
        profiled(901, "Billing timeout: thirty."),
        profiled(902, "The timeout of billing is ten."),
    ]
    assert (len(filler), len(filler) + 1) in candidate_pairs([*filler, *wanted])


SUBJECTS = [
    ("Sessions end after 30 minutes.", "A session is valid for two hours."),
    ("Use tabs for indentation in Go.", "Indent Go code with four spaces."),
    ("The default branch is main.", "Our default branch is called trunk."),
    ("Never log customer addresses.", "Log the customer address with every order."),
    ("Deploy on Fridays only.", "No deploys on a Friday. Wait for Monday."),
    ("Passwords are hashed with bcrypt.", "Hash passwords with argon2."),
]


def test_short_notes_about_one_subject_meet_in_a_large_project(profiled: Profiled) -> None:
    crowd = generated(profiled, 1_500)
    short = [profiled(n, body) for n, body in enumerate(body for pair in SUBJECTS for body in pair)]
    pairs = candidate_pairs([*crowd, *short])
    first = len(crowd)
    missed = [
        SUBJECTS[n] for n in range(len(SUBJECTS)) if (first + 2 * n, first + 2 * n + 1) not in pairs
    ]
    assert missed == []


STORY = [f"The {word}s stood at dusk." for word in ("castle", "river", "tower", "garden") * 20]


def test_a_long_memory_is_known_by_its_rules_before_its_other_words(profiled: Profiled) -> None:
    long = profiled(1, "\n".join([*STORY, "Never commit the lockfile."]))
    assert {"never", "commit", "lockfil"} <= long.terms


TERMS = st.sampled_from(["tabs", "spaces", "timeout", "branch", "deploy", "cache"])
NOTES = st.lists(
    st.tuples(st.lists(TERMS, min_size=1, max_size=4), st.sets(st.sampled_from("abc"))),
    min_size=1,
    max_size=12,
)


@given(NOTES, st.data())
def test_taking_memories_in_and_out_leaves_what_building_anew_gives(
    profiled: Profiled, notes: list[tuple[list[str], set[str]]], data: st.DataObject
) -> None:
    profiles = [
        profiled(n, " ".join(words), tags=sorted(tags)) for n, (words, tags) in enumerate(notes)
    ]
    gone = data.draw(st.sets(st.sampled_from(range(len(profiles)))))
    candidates = collected(profiles)
    for number, profile in enumerate(profiles):
        candidates.put(number, profile)
    for number in gone:
        candidates.drop(number)
        candidates.drop(number)
    kept = Candidates()
    for number, profile in enumerate(profiles):
        if number not in gone:
            kept.put(number, profile)
    assert pairs_among(candidates) == pairs_among(kept)
