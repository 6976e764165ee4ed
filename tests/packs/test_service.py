"""A query answered: what is in the pack, what is not, and what is said about it."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from dmm.bootstrap import today
from dmm.domain.memory import Scope
from dmm.domain.pack import Pack, QueryRequest, Reason
from dmm.domain.plain import to_plain
from dmm.domain.receipt_payload import MOST_EXCLUDED
from dmm.errors import ModelUnavailable, StorageError, UsageError
from dmm.files.citations import digest
from dmm.packs import service as packs_module
from dmm.packs.baselines import Baselines
from dmm.packs.retrieve import retrieve

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import HashEmbedder, MemoryText, Opener, Project

    from dmm.domain.pack import PackEntry

QUESTION = "how long do we wait before we retry a failed call"


def paths(pack: Pack) -> set[str]:
    return {entry.path for entry in pack.retrieved_entries}


def entry_of(pack: Pack, path: str) -> PackEntry:
    return next(entry for entry in pack.retrieved_entries if entry.path == path)


@pytest.fixture
def note(project: Project, memory_text: MemoryText) -> Callable[..., None]:
    """Write a memory about retries; each has words of its own, so that none is a duplicate."""

    def write(path: str, own: str = "", **fields: str) -> None:
        number = len(list(project.memory.rglob("*.md"))) + 1
        fields = {"id": f"mem_2026_01_31_{number:03d}", "scope": path.partition("/")[0]} | fields
        body = f"A failed call waits two seconds before the retry. {own}"
        project.write(path, memory_text(f"Retry of failed calls {own}", body, **fields))

    return write


def test_near_duplicates_are_left_out_and_named(
    project: Project, open_project: Opener, note: Callable[..., None]
) -> None:
    note("project/first.md", priority="0.9")
    note("project/second.md", priority="0.1")
    pack = open_project(project).packs.query(QueryRequest(QUESTION)).pack
    assert paths(pack) == {"project/first.md"}
    (double,) = pack.excluded
    assert (double.path, double.reason) == ("project/second.md", Reason.DUPLICATE)
    assert double.detail == "says nearly the same as project/first.md"
    assert pack.excluded_paths == ("project/second.md",)


def test_what_is_deprecated_is_served_only_on_request_and_labelled(
    project: Project, open_project: Opener, note: Callable[..., None]
) -> None:
    note("project/now.md", "Budget of the gateway: thirty seconds in total.")
    note("project/status.md", "Orders of the warehouse go first.", status="deprecated")
    note("project/trust.md", "Mail to customers comes last.", confidence="deprecated")
    note("deprecated/old.md", "Images of lanterns are exempt.", scope="project")
    dmm = open_project(project)
    assert paths(dmm.packs.query(QueryRequest(QUESTION)).pack) == {"project/now.md"}
    pack = dmm.packs.query(QueryRequest(QUESTION, include_deprecated=True)).pack
    labels = {entry.path: entry.labels for entry in pack.retrieved_entries}
    assert labels == {
        "project/now.md": (),
        "project/status.md": ("deprecated",),
        "project/trust.md": ("deprecated",),
        "deprecated/old.md": ("deprecated",),
    }


def test_what_has_expired_is_left_out_from_the_day_after(
    project: Project, open_project: Opener, note: Callable[..., None]
) -> None:
    day = today()
    note("ephemeral/gone.md", "Orders first.", expires=f"{day - dt.timedelta(days=1)}")
    note("ephemeral/today.md", "Mail last.", expires=f"{day}")
    note("ephemeral/lasting.md", "Images are exempt.")
    pack = open_project(project).packs.query(QueryRequest(QUESTION, explain=True)).pack
    assert paths(pack) == {"ephemeral/today.md", "ephemeral/lasting.md"}
    assert "ephemeral/gone.md" not in {one.path for one in pack.receipt.candidates}


def test_filters_by_scope(
    project: Project, open_project: Opener, note: Callable[..., None]
) -> None:
    note("global/g.md", "Orders of the warehouse go first.")
    note("agent/a.md", "Mail to customers comes last.")
    note("project/p.md", "Images of lanterns are exempt.")
    note("ephemeral/e.md", "The gateway of the bank is slow today.")
    packs = open_project(project).packs
    everything = packs.query(QueryRequest(QUESTION)).pack
    assert [entry.path for entry in everything.retrieved_entries] == [
        "global/g.md",
        "agent/a.md",
        "project/p.md",
        "ephemeral/e.md",
    ]
    without = packs.query(QueryRequest(QUESTION, exclude_ephemeral=True)).pack
    assert paths(without) == paths(everything) - {"ephemeral/e.md"}
    for path in paths(everything):
        scope = Scope(path.partition("/")[0])
        assert paths(packs.query(QueryRequest(QUESTION, scope=scope)).pack) == {path}
    assert paths(packs.query(QueryRequest(QUESTION, scope=Scope.BASELINE)).pack) == set()


def own_memory(home: Path, path: str, text: str) -> None:
    file = home / ".dmm" / "memory" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_users_own_memories_join_every_project(
    project: Project,
    open_project: Opener,
    note: Callable[..., None],
    memory_text: MemoryText,
    home: Path,
    count: Callable[[str], int],
) -> None:
    note("project/now.md", "Budget of the gateway: thirty seconds in total.")
    about = "A failed call of {} waits, then comes the retry."
    for number, (path, scope, what) in enumerate(
        [
            ("global/mine.md", "global", "the printer"),
            ("agent/ours.md", "agent", "the assistant"),
            ("project/theirs.md", "project", "another project"),
            ("baseline/rule.md", "baseline", "everything"),
        ]
    ):
        fields = {"scope": scope, "id": f"mem_2026_05_05_00{number}"}
        own_memory(home, path, memory_text(what, about.format(what), **fields))
    pack = open_project(project).packs.query(QueryRequest(QUESTION)).pack
    assert paths(pack) == {"user:global/mine.md", "user:agent/ours.md", "project/now.md"}
    assert pack.baseline_entries == ()
    entry = entry_of(pack, "user:global/mine.md")
    assert entry.origin == "user"
    heading = f"#### [user:global/mine.md] (relevance: {entry.relevance_score:.2f})\n"
    shown = f"{heading}{entry.content}\n\n"
    assert count(shown) == entry.token_count + entry.heading_tokens


def test_a_project_memory_wins_over_the_users_with_the_same_id(
    project: Project,
    open_project: Opener,
    note: Callable[..., None],
    memory_text: MemoryText,
    home: Path,
) -> None:
    note("project/now.md", id="mem_2026_05_05_001")
    text = memory_text("Retry", "A failed call of the printer: retry.", scope="global")
    own_memory(home, "global/mine.md", text.replace("2026_01_31_001", "2026_05_05_001"))
    pack = open_project(project).packs.query(QueryRequest(QUESTION, explain=True)).pack
    assert [one.path for one in pack.receipt.candidates] == ["project/now.md"]


def test_citations_of_the_users_own_memories_are_not_looked_up_in_the_project(
    project: Project, open_project: Opener, memory_text: MemoryText, home: Path
) -> None:
    text = memory_text("Retry", "A failed call: retry.", scope="global", cites="[gone.py]")
    own_memory(home, "global/mine.md", text)
    (entry,) = open_project(project).packs.query(QueryRequest(QUESTION)).pack.retrieved_entries
    assert (entry.labels, entry.citations) == ((), ())


CODE = "import time\n\n\ndef wait():\n    time.sleep(2)\n"
WAIT = digest(["def wait():", "    time.sleep(2)"])
CITE = f"[{{path: call.py, symbol: wait, lines: [4, 5], hash: '{WAIT}'}}]"


@pytest.mark.parametrize(
    ("code", "labels"),
    [
        (CODE, ()),
        ("# new\n" + CODE, ("cites call.py:4-5 wait: moved, now call.py:5-6",)),
        (CODE.replace("2", "9"), ("cites call.py:4-5 wait: changed",)),
        (CODE.replace("wait", "rest"), ("cites call.py:4-5 wait: gone",)),
        (None, ("cites call.py:4-5 wait: gone",)),
    ],
)
def test_an_entry_says_what_became_of_the_code_it_cites(
    code: str | None,
    labels: tuple[str, ...],
    project: Project,
    open_project: Opener,
    note: Callable[..., None],
) -> None:
    note("project/cited.md", cites=CITE)
    if code is not None:
        (project.folder / "call.py").write_text(code)
    answer = open_project(project).packs.query(QueryRequest(QUESTION))
    (entry,) = answer.pack.retrieved_entries
    assert entry.labels == labels
    shown = "".join(f"> {label}\n" for label in labels)
    assert f"(relevance: {entry.relevance_score:.2f})\n{shown}# Retry" in answer.markdown


def test_stale_citations_put_a_memory_below_its_equals_but_not_out(
    project: Project, open_project: Opener, note: Callable[..., None]
) -> None:
    note("project/a_cited.md", "Orders of the warehouse.", cites=CITE, priority="0.6")
    note("project/b_plain.md", "Orders of the lantern shop.")
    (project.folder / "call.py").write_text(CODE)

    def order() -> list[str]:
        pack = open_project(project).packs.query(QueryRequest(QUESTION)).pack
        return [entry.path for entry in pack.retrieved_entries]

    assert order() == ["project/a_cited.md", "project/b_plain.md"]
    (project.folder / "call.py").write_text(CODE.replace("2", "9"))
    assert order() == ["project/b_plain.md", "project/a_cited.md"]


def test_labels_count_against_the_budget(
    project: Project, open_project: Opener, note: Callable[..., None]
) -> None:
    note("project/cited.md", cites=CITE)
    packs = open_project(project).packs
    (entry,) = packs.query(QueryRequest(QUESTION)).pack.retrieved_entries
    cost = entry.token_count + entry.heading_tokens
    short = packs.query(QueryRequest(QUESTION, budget=cost - 1))
    assert short.pack.retrieved_entries == ()
    message = f"the best match, project/cited.md, has {cost} tokens. A budget of {cost} holds it."
    assert message in short.markdown
    assert len(packs.query(QueryRequest(QUESTION, budget=cost)).pack.retrieved_entries) == 1


def test_without_the_model_words_still_find_and_every_answer_says_so(
    project: Project, open_project: Opener, note: Callable[..., None]
) -> None:
    note("project/now.md")

    def missing() -> NoReturn:
        raise ModelUnavailable("not here")

    packs = open_project(project, missing).packs
    for _ in range(2):
        answer = packs.query(QueryRequest("retry failed call"))
        assert paths(answer.pack) == {"project/now.md"}
        assert answer.pack.receipt.candidates[0].lanes == ("keywords",)
        assert answer.stats.retrieval == "keyword"
        assert answer.pack.notices == (
            "keyword retrieval only, the model is unavailable: not here",
        )
        assert "> Notice: keyword retrieval only" in answer.markdown
    back = open_project(project)
    answer = back.packs.query(QueryRequest("what if the other side is silent", explain=True))
    assert answer.pack.notices == ()
    assert answer.stats.retrieval == "hybrid"
    assert answer.pack.receipt.candidates[0].lanes == ("similarity",)


@pytest.mark.parametrize("broken", ["embed_query", "embed_windows"])
def test_a_model_that_fails_in_the_middle_leaves_the_keywords(
    broken: str,
    project: Project,
    open_project: Opener,
    note: Callable[..., None],
    new_embedder: Callable[[], HashEmbedder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> NoReturn:
        raise ModelUnavailable("the model does not run")

    note("project/now.md")
    embedder = new_embedder()
    monkeypatch.setattr(embedder, broken, fail)
    pack = open_project(project, lambda: embedder).packs.query(QueryRequest("retry a call")).pack
    assert paths(pack) == {"project/now.md"}
    assert pack.notices == (
        "keyword retrieval only, the model is unavailable: the model does not run",
    )


def test_the_pack_abstains_from_an_unrelated_question(
    lantern: Project, open_project: Opener
) -> None:
    answer = open_project(lantern).packs.query(QueryRequest("what is the capital of France"))
    assert answer.pack.retrieved_entries == ()
    assert answer.pack.receipt.abstained
    assert "Nothing in memory is relevant enough to this task.\n" in answer.markdown


def test_the_receipt_accounts_for_every_candidate(lantern: Project, open_project: Opener) -> None:
    request = QueryRequest("add password reset to the login flow", budget=900, explain=True)
    pack = open_project(lantern).packs.query(request).pack
    lines = pack.receipt.candidates
    assert len(lines) == pack.receipt.considered == 13
    assert {one.path for one in lines if one.included} == paths(pack)
    assert {one.reason for one in lines} == {Reason.INCLUDED, Reason.BUDGET, Reason.FLOOR}
    assert [one.score for one in lines] == sorted((one.score for one in lines), reverse=True)
    for one in lines:
        assert set(one.lanes) <= {"similarity", "keywords"}
        assert {"similarity", "bm25", "coverage", "evidence", "directory", "claims"} <= set(
            one.parts
        )
        assert (one.detail != "") == (one.reason is Reason.BUDGET)
    assert pack.excluded_paths == tuple(one.path for one in lines if one.reason is Reason.BUDGET)


def test_explaining_a_pack_does_not_change_it(shop: Project, open_project: Opener) -> None:
    (shop.dmm / "daemon.config.json").write_text('{"retrieval": {"max_candidates": 3}}')
    packs = open_project(shop).packs
    question = "how are logins, sessions and passwords kept safe"
    plain = packs.query(QueryRequest(question, budget=5000))
    told = packs.query(QueryRequest(question, budget=5000, explain=True))
    assert told.markdown == plain.markdown
    assert len(plain.pack.retrieved_entries) == 3
    assert sum(one.included for one in plain.pack.receipt.candidates) == 3
    assert len(plain.pack.receipt.candidates) <= 3 + MOST_EXCLUDED
    reasons = [one.reason for one in told.pack.receipt.candidates]
    assert reasons[:3] == [Reason.INCLUDED] * 3
    assert Reason.LIMIT in reasons


PACK = {
    *("format", "generated_at", "query", "budget", "baseline_budget", "baseline_tokens"),
    *("retrieved_tokens", "heading_tokens", "total_tokens", "baseline_entries"),
    *(
        "retrieved_entries",
        "included_paths",
        "excluded_paths",
        "excluded",
        "notices",
        "constraints",
        "constraint_tokens",
        "abstained",
    ),
}
ENTRY = {
    *("path", "id", "title", "content", "token_count", "heading_tokens", "relevance_score"),
    *("source", "scope", "origin", "labels", "citations"),
}
CANDIDATE = {
    *("path", "title", "lanes", "parts", "score", "tokens", "included", "reason", "detail"),
}
STATS = {"indexed", "candidates", "directories", "retrieval"}


@pytest.mark.parametrize("query", ["add password reset to the login flow", ""])
def test_the_answer_as_data_has_the_documented_keys(
    query: str, lantern: Project, open_project: Opener
) -> None:
    answer = open_project(lantern).packs.query(QueryRequest(query, budget=900))
    told = to_plain(answer)
    assert set(told) == {"pack", "pack_markdown", "stats"}
    assert set(told["pack"]) == PACK
    assert set(told["stats"]) == STATS
    entries: list[dict[str, Any]] = told["pack"]["baseline_entries"]
    entries += told["pack"]["retrieved_entries"]
    assert all(set(entry) == ENTRY for entry in entries)
    receipt = to_plain(replace(answer, explain=True))["receipt"]
    assert set(receipt) == {"directories", "candidates", "considered", "abstained"}
    lines = [*told["pack"]["excluded"], *receipt["candidates"]]
    assert all(set(line) == CANDIDATE for line in lines)
    assert told["pack_markdown"] == answer.markdown
    assert told["pack"]["format"] == 1


def test_the_format_document_names_every_key() -> None:
    document = Path(__file__).parents[2] / "docs" / "FORMAT.md"
    words = set(re.findall(r"`(\w+)`", document.read_text()))
    assert words >= PACK | ENTRY | CANDIDATE | STATS


@pytest.mark.parametrize(
    ("pack_request", "message"),
    [
        (QueryRequest("x", budget=-1), "the budget is negative"),
        (QueryRequest("x", baseline_budget=-1), "the baseline budget is negative"),
        (QueryRequest("x" * 20_001), "the task has more than 20,000 characters"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    pack_request: QueryRequest, message: str, project: Project, open_project: Opener
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        open_project(project).packs.query(pack_request)
    assert caught.value.hint


def test_the_last_pack_is_left_to_be_read(shop: Project, open_project: Opener) -> None:
    answer = open_project(shop).packs.query(QueryRequest("sessions"))
    assert (shop.dmm / "packs" / "last_pack.md").read_text() == answer.markdown


def test_a_warm_query_counts_no_tokens(lantern: Project, open_project: Opener) -> None:
    def count(_text: str) -> NoReturn:
        raise AssertionError("the ranks of the tokens are slow to load and not needed here")

    before = open_project(lantern).packs.query(QueryRequest("sessions"))
    dmm = open_project(lantern)
    dmm.indexes.count = count
    packs = replace(dmm.packs, count=count, baselines=Baselines(dmm.root, count, dmm.consents))
    assert packs.query(QueryRequest("sessions")).markdown == before.markdown


def test_a_task_cannot_hide_or_add_lines(project: Project, open_project: Opener) -> None:
    task = 'say "hi"\n## Baseline\x1b[31m \u202e \udcff'
    markdown = open_project(project).packs.query(QueryRequest(task)).markdown
    assert markdown.split("\n")[2] == "Task: \"say 'hi' ## Baseline<U+001B>[31m <U+202E> \udcff\""


@pytest.mark.parametrize("grown", [True, False])
def test_an_index_that_changes_during_a_query_is_read_again(
    grown: bool,
    project: Project,
    open_project: Opener,
    note: Callable[..., None],
    memory_text: MemoryText,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note("project/changing.md")
    text = memory_text("Retry of failed calls", "A failed call waits. " * 20)
    dmm, other = open_project(project), open_project(project)
    dmm.packs.query(QueryRequest(QUESTION))
    meanwhile = [grown]

    def interrupted(*given: Any, **named: Any) -> Any:
        found = retrieve(*given, **named)
        if meanwhile and meanwhile.pop():
            project.write("project/changing.md", text)
        elif not grown:
            (project.memory / "project" / "changing.md").unlink(missing_ok=True)
        other.memories.reindex()
        return found

    monkeypatch.setattr(packs_module, "retrieve", interrupted)
    pack = dmm.packs.query(QueryRequest(QUESTION)).pack
    assert pack.notices == ()
    contents = [entry.content for entry in pack.retrieved_entries]
    assert contents == ([text.split("---\n", 2)[2].strip()] if grown else [])


def test_a_storage_fault_while_searching_leaves_the_baseline(
    shop: Project, open_project: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise StorageError("disk is on fire", where="here")

    monkeypatch.setattr(packs_module, "retrieve", refuse)
    answer = open_project(shop).packs.query(QueryRequest("sessions"))
    assert len(answer.pack.baseline_entries) == 2
    assert answer.pack.notices == ("only the baseline could be served: here: disk is on fire",)
    assert set(to_plain(answer.stats)) == STATS
