"""A pack as markdown for agents and as data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from dmm.domain.memory import RETRIEVED_SCOPES
from dmm.domain.pack import (
    BASELINE_HEADING,
    BASELINE_LEVEL,
    ENTRY_END,
    PACK_HEADING,
    RETRIEVED_HEADING,
    RETRIEVED_LEVEL,
    RULES_HEADING,
    STATISTICS_HEADING,
    Baseline,
    Reason,
    constraint_line,
    entry_heading,
    label_line,
)
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.domain.pack import Candidate, Pack, PackEntry, Receipt

FORMAT_VERSION = 1
RULE = "---\n\n"


def render_pack(pack: Pack) -> str:
    """Write a pack as markdown; it depends on nothing but the pack."""
    task = neutralise(" ".join(pack.query.split())).replace('"', "'")
    head = (
        f"# {PACK_HEADING}\n"
        f"Generated: {pack.day.isoformat()}\n"
        f'Task: "{task}"\n'
        f"Baseline tokens: {pack.baseline_tokens} | Retrieved tokens: {pack.retrieved_tokens}"
        f" | Total: {pack.total_tokens}\n\n"
    )
    return head + render_body(pack)


def render_body(pack: Pack) -> str:
    """Write everything below the head: the part whose bytes a prompt cache can keep."""
    notices = "".join(f"> Notice: {notice}\n" for notice in pack.notices)
    return "".join(
        [
            RULE,
            f"{notices}\n" if notices else "",
            f"## {BASELINE_HEADING}\n\n",
            _entries(pack.baseline_entries) or "No baseline memories.\n\n",
            RULE,
            _constraints(pack),
            f"## {RETRIEVED_HEADING}\n\n",
            _retrieved(pack),
            RULE,
            _statistics(pack),
        ]
    )


def _constraints(pack: Pack) -> str:
    """Write the standing rules that are enforced; they are not found by similarity."""
    if not pack.constraints:
        return ""
    lines = (
        constraint_line(one.id or str(one.seq), one.state, one.text) for one in pack.constraints
    )
    return f"## {RULES_HEADING}\n\n{''.join(lines)}\n{RULE}"


def _entries(entries: Iterable[PackEntry]) -> str:
    return "".join(render_entry(entry) for entry in entries)


def render_entry(entry: PackEntry) -> str:
    """Write one entry: heading, labels, content."""
    baseline = entry.source == "baseline"
    relevance = "baseline" if baseline else f"{entry.relevance_score:.2f}"
    heading = entry_heading(entry.path, relevance, BASELINE_LEVEL if baseline else RETRIEVED_LEVEL)
    labels = "".join(label_line(label) for label in entry.labels)
    return f"{heading}{labels}{entry.content}{ENTRY_END}"


def _retrieved(pack: Pack) -> str:
    if not pack.retrieved_entries:
        return _nothing_retrieved(pack) + "\n\n"
    parts = []
    for scope in RETRIEVED_SCOPES:
        entries = [entry for entry in pack.retrieved_entries if entry.scope is scope]
        if entries:
            parts.append(f"### {scope.value.capitalize()}\n\n{_entries(entries)}")
    return "".join(parts)


def _nothing_retrieved(pack: Pack) -> str:
    cut = [c for c in pack.excluded if c.reason is Reason.BUDGET]
    if cut:
        needed = Baseline(pack.baseline_entries).cost + cut[0].tokens
        return (
            f"No room: the best match, {cut[0].path}, has {cut[0].tokens} tokens."
            f" A budget of {needed} holds it."
        )
    if not pack.query.strip():
        return "No task was given, so nothing was looked up."
    if pack.incomplete:
        return "Nothing was found so far: not all memory files are indexed yet. Ask again soon."
    return "Nothing in memory is relevant enough to this task."


def _statistics(pack: Pack) -> str:
    over = pack.baseline_tokens - pack.baseline_budget
    alarm = f" (over its budget of {pack.baseline_budget} by {over})" if over > 0 else ""
    lines = [
        f"## {STATISTICS_HEADING}",
        f"- Baseline: {_files(len(pack.baseline_entries))}, {pack.baseline_tokens} tokens{alarm}",
        *_constraint_statistics(pack),
        f"- Retrieved: {_files(len(pack.retrieved_entries))}, {pack.retrieved_tokens} tokens",
        f"- Headings: {pack.heading_tokens} tokens",
        f"- Budget: {pack.budget} tokens",
        f"- Remaining: {max(0, pack.budget - pack.total_tokens - pack.heading_tokens)} tokens",
        *_exclusions(pack.excluded),
    ]
    return "\n".join(lines) + "\n"


def _constraint_statistics(pack: Pack) -> list[str]:
    if not pack.constraints:
        return []
    return [f"- Constraints: {len(pack.constraints)}, {pack.constraint_tokens} tokens"]


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"


def _exclusions(excluded: tuple[Candidate, ...]) -> Iterator[str]:
    words = {Reason.BUDGET: "budget exceeded", Reason.DUPLICATE: "near-duplicate"}
    for reason, word in words.items():
        count = sum(candidate.reason is reason for candidate in excluded)
        if count:
            yield f"- Excluded: {_files(count)} ({word})"


def describe_pack(pack: Pack) -> object:
    """Return a pack as plain data."""
    return {
        "format": FORMAT_VERSION,
        "generated_at": pack.day.isoformat(),
        "query": pack.query,
        "budget": pack.budget,
        "baseline_budget": pack.baseline_budget,
        "baseline_tokens": pack.baseline_tokens,
        "retrieved_tokens": pack.retrieved_tokens,
        "heading_tokens": pack.heading_tokens,
        "total_tokens": pack.total_tokens,
        "baseline_entries": [describe_entry(entry) for entry in pack.baseline_entries],
        "retrieved_entries": [describe_entry(entry) for entry in pack.retrieved_entries],
        "included_paths": list(pack.included_paths),
        "excluded_paths": list(pack.excluded_paths),
        "excluded": [describe_candidate(candidate) for candidate in pack.excluded],
        "constraints": [asdict(line) for line in pack.constraints],
        "constraint_tokens": pack.constraint_tokens,
        "notices": list(pack.notices),
        "abstained": pack.receipt.abstained,
    }


def describe_entry(entry: PackEntry) -> object:
    """Return an entry as plain data."""
    return {
        "path": entry.path,
        "id": entry.id,
        "title": entry.title,
        "content": entry.content,
        "token_count": entry.token_count,
        "heading_tokens": entry.heading_tokens,
        "relevance_score": round(entry.relevance_score, 4),
        "source": entry.source,
        "scope": entry.scope.value,
        "origin": entry.origin.value,
        "labels": list(entry.labels),
        "citations": [asdict(check) for check in entry.citations],
    }


def describe_receipt(receipt: Receipt) -> object:
    """Return a receipt as plain data."""
    return {
        "directories": [
            {"path": path, "score": round(score, 4)} for path, score in receipt.directories
        ],
        "candidates": [describe_candidate(candidate) for candidate in receipt.candidates],
        "considered": receipt.considered,
        "abstained": receipt.abstained,
    }


def describe_candidate(candidate: Candidate) -> object:
    """Return a line of the receipt as plain data."""
    return {
        "path": candidate.path,
        "title": candidate.title,
        "lanes": list(candidate.lanes),
        "parts": {name: round(value, 4) for name, value in candidate.parts.items()},
        "score": round(candidate.score, 4),
        "tokens": candidate.tokens,
        "included": candidate.included,
        "reason": candidate.reason.value,
        "detail": candidate.detail,
    }
