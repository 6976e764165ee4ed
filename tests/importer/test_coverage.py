"""Nothing is lost: every line of content is in one memory, or reported as merged or skipped."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.importer.memories import ImportPlan
from dmm.importer.notes import HARD_LIMIT
from dmm.importer.plan import plan_import, read_all
from dmm.importer.remembered import Remembered
from dmm.importer.sources import Source, SourceRef, split_lines
from dmm.importer.wording import Wording

Planner = Callable[..., ImportPlan]


def test_every_line_of_realistic_files_is_accounted_for(
    plan: Planner, realistic: Sequence[Source]
) -> None:
    assert_accounted(realistic, plan(*realistic))


def test_every_line_of_each_realistic_file_alone_is_accounted_for(
    plan: Planner, realistic: Sequence[Source]
) -> None:
    for source in realistic:
        assert_accounted([source], plan(source))


def test_no_memory_of_realistic_files_is_above_the_limit(
    plan: Planner, realistic: Sequence[Source]
) -> None:
    assert max(planned.tokens for planned in plan(*realistic).memories) <= HARD_LIMIT


VOCABULARY = (
    "run never always use tests tabs spaces `make lint` 30 60 deploy secrets the before you"
)
KINDS = "heading setext para intro list steps nested fence table quote raw"

words = st.sampled_from(VOCABULARY.split(" "))
sentence = st.lists(words, min_size=1, max_size=12).map(" ".join)
odd_text = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\n\r"), min_size=1, max_size=30
)
line = sentence | odd_text


@st.composite
def block(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(KINDS.split()))
    texts = draw(st.lists(line, min_size=1, max_size=5))
    first = texts[0]
    if kind == "heading":
        return f"{'#' * draw(st.integers(1, 6))} {first}"
    if kind == "fence":
        fence = draw(st.sampled_from(["```", "~~~", "````"]))
        return "\n".join([f"{fence}sh", *texts, draw(st.sampled_from([fence, ""]))])
    if kind == "table":
        rows = (f"| {text} | x |" for text in texts)
        return "\n".join(["| a | b |", "|---|---|", *rows])
    shapes = {
        "setext": f"{first}\n{draw(st.sampled_from(['===', '---']))}",
        "para": "\n".join(texts),
        "intro": f"{first}:",
        "list": "\n".join(f"- {text}" for text in texts),
        "steps": "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1)),
        "nested": "\n".join(f"{'  ' * (number % 3)}* {text}" for number, text in enumerate(texts)),
        "quote": "\n".join(f"> {text}" for text in texts),
        "raw": draw(
            st.sampled_from(
                [
                    "---",
                    "<!-- a\nb -->",
                    "<rules>",
                    "</rules>",
                    "[a]: http://b",
                    "    code",
                    "@docs/a.md",
                ]
            )
        ),
    }
    return shapes[kind]


gap = st.sampled_from(["\n", "\n\n", "\n\n", "\n\n\n", "\r\n\r\n"])
document = st.lists(st.tuples(block(), gap), max_size=14).map(
    lambda parts: "".join(text + space for text, space in parts)
)
front_matter = st.sampled_from(["", "", "---\ndescription: All of it\nglobs: *.ts\n---\n", "---\n"])
some_path = st.sampled_from(
    [
        "CLAUDE.md",
        "AGENTS.md",
        ".cursorrules",
        "a.mdc",
        "m/MEMORY.md",
        "m/x.md",
        "~/.claude/CLAUDE.md",
    ]
)
sources_strategy = st.lists(
    st.builds(Source, some_path, st.builds(str.__add__, front_matter, document)),
    min_size=1,
    max_size=3,
    unique_by=lambda source: source.path,
)


@settings(max_examples=many(150), deadline=None)
@given(sources_strategy, st.sampled_from([1, 20]))
def test_every_line_of_any_markdown_is_accounted_for(sources: list[Source], weight: int) -> None:
    # A heavy counter makes small documents as hard to fit as large ones.
    def count(text: str) -> int:
        return len(text.split()) * weight

    plan = plan_import(
        sources, count=count, day=dt.date(2026, 1, 2), taken_ids=set(), taken_paths=set()
    )
    assert_accounted(sources, plan)
    assert all(planned.tokens <= HARD_LIMIT for planned in plan.memories)
    assert plan.baseline_tokens <= 800
    known = Remembered.of(planned.memory.body for planned in plan.memories)
    assert [p.memory.body for p in plan.memories if known.rest_of(p.memory.body).text] == []


@settings(max_examples=many(60), deadline=None)
@given(st.lists(sentence, min_size=1), st.lists(sentence, min_size=1))
def test_what_is_left_out_of_a_list_is_remembered(new: list[str], known: list[str]) -> None:
    body = "# Rules\n\n" + "\n".join(f"- {text}" for text in (*new, *known)) + "\n\nSource: a:1"
    remembered = Remembered.of(["# Rules\n\n" + "\n".join(f"* {text}" for text in known)])
    rest = remembered.rest_of(body).text
    wordings = [Wording.of(text) for text in known]
    for text in new:
        same = any(Wording.of(text).says_the_same_as(wording) for wording in wordings)
        assert f"- {text}\n" in rest or text in known or same
    assert not rest or rest.endswith("\n\nSource: a:1")


def assert_accounted(sources: Sequence[Source], plan: ImportPlan) -> None:
    for document in read_all(sources):
        source = next(s for s in sources if s.path == document.path)
        lines = split_lines(source.text)
        for number in document.content:
            assert_line(SourceRef(source.path, number, number), lines[number - 1], plan)


def assert_line(ref: SourceRef, text: str, plan: ImportPlan) -> None:
    holders = [p for p in plan.memories if any(inside(ref, s) for s in p.sources)]
    gone = [m for m in plan.merged if inside(ref, m.source)]
    skipped = [s for s in plan.skipped if inside(ref, s.source)]
    assert holders or skipped, f"{ref} is nowhere: {text!r}"
    if gone:
        assert all(m.memory for m in gone)
        return
    bodies = [planned.memory.body for planned in holders]
    if not skipped:
        assert any(squeezed(text) in squeezed(body) for body in bodies) or len(bodies) > 1, text
        assert len(bodies) == 1 or is_cut(text, bodies), f"{ref} is in {len(bodies)} memories"


def is_cut(text: str, bodies: Sequence[str]) -> bool:
    """A line too long for one memory is cut; the head of a cut table or code block is repeated."""
    parts = squeezed(text).split()
    return all(any(part in body for body in bodies) for part in parts)


def inside(ref: SourceRef, outer: SourceRef) -> bool:
    return ref.path == outer.path and outer.first_line <= ref.first_line <= outer.last_line


def squeezed(text: str) -> str:
    return " ".join(re.sub(r"^[ ]*#+ |#+$", "", text.strip()).split())
