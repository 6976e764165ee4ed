"""The result of a note as lines of at most 80 columns; light to import."""

from __future__ import annotations

from dmm.cli.format.wrapping import wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Told = Mapping[str, Any]

REFUSED = "refused"
CLASHES = ("duplicates", "conflicts")
RULE = "rule"
RECORDED = "conflict_"
# Whoever writes this most likely wants it enforced.
BINDING = ("never ", "always ", "do not ", "don't ")


def show_remembered(told: Told) -> Iterator[str]:
    """Tell what became of a note."""
    clashes = [one for one in (*told["failed"], *told["remarks"]) if one["check"] in CLASHES]
    if told["status"] == REFUSED:
        yield from wrapped(told["why"], "Not remembered: ")
        yield from _ways(clashes)
        return
    done = "Remembered" if told["status"] == "applied" else f"{told['proposal']} {told['status']}"
    yield f"{done}: {told['path']}"
    yield from wrapped(", ".join(told["tags"]), "  tags: ")
    if told["paths"]:
        yield from wrapped(", ".join(told["paths"]), "  for:  ")
    ruled = [one for one in told["remarks"] if one["check"] == RULE]
    for one in (*clashes, *ruled):
        yield from wrapped(one["text"], "  note: ")
    for notice in told["notices"]:
        name = notice.split(" ", 1)[0]
        if clashes and name.startswith(RECORDED):
            # What it says has been shown.
            yield f"  see:  dmm conflicts show {name.removeprefix(RECORDED)}"
        else:
            yield from wrapped(notice, "  note: ")
    if told["status"] == "applied":
        if not ruled and told["title"].casefold().startswith(BINDING):
            yield "  rule: agents are not held to a note; to enforce it: dmm rules add TEXT"
        yield f"  undo: dmm undo {told['seq']}"
    else:
        yield from wrapped(told["why"], "  why:  ")
        yield f"  see:  dmm review show {told['seq']}"


def _ways(clashes: list[Told]) -> Iterator[str]:
    """Show the ways out of a note that another memory stands against."""
    other = next((one["other"] for one in clashes if one["other"]), None)
    if other is None:
        return
    yield f"  read it:    .dmm/memory/{other}"
    yield f"  replace it: dmm remember --replace {other} TEXT"
    yield "  keep both:  dmm remember --anyway TEXT"


def show_forgotten(told: Told) -> Iterator[str]:
    """Tell what became of a memory that should be forgotten."""
    if told["status"] == "several":
        named = "Several memories" if len(told["matches"]) > 1 else "Another memory"
        yield f"{named} may be meant; name one by its path:"
        for one in told["matches"]:
            yield f"  {one['path']}"
            yield from wrapped(one["title"], "    ")
        return
    done = "Forgotten" if told["status"] == "applied" else f"{told['proposal']} {told['status']}"
    yield from wrapped(f"{told['path']} ({told['title']})", f"{done}: ")
    for notice in told["notices"]:
        yield from wrapped(notice, "  note: ")
    if told["status"] == "applied":
        yield f"  undo: dmm undo {told['seq']}"
    else:
        yield from wrapped(told["why"], "  why:  ")
