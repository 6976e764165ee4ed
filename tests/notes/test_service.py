"""Notes: remembered in one line, told what they repeat, and forgotten again."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import Trust
from dmm.domain.pack import QueryRequest
from dmm.errors import ModelUnavailable, StaleBase, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.rules.authorship import Likeness

if TYPE_CHECKING:
    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder

AGENT = Actor(name="codex", source="mcp", trust=Trust.AGENT, session="s-1")


@pytest.fixture
def dmm(project: Project, open_project: Opener) -> Dmm:
    return open_project(project)


def served(dmm: Dmm, task: str) -> list[str]:
    pack = dmm.packs.query(QueryRequest(task)).pack
    return [entry.path for entry in pack.retrieved_entries]


def test_a_persons_note_is_applied_found_and_undone(dmm: Dmm, project: Project) -> None:
    told = dmm.notes.remember("Use pnpm, not npm, to install packages.")
    assert (told.status, told.path) == ("applied", "project/build/pnpm_not_npm_install_packages.md")
    text = (project.memory / told.path).read_text()
    assert "tags: [build, pnpm, npm, install]" in text
    assert text.endswith("\n\nUse pnpm, not npm, to install packages.\n")
    assert served(dmm, "install a package with npm") == [told.path]
    assert dmm.validation.check().findings == ()
    dmm.undoing.undo(told.seq)
    assert served(dmm, "install a package with npm") == []


def test_an_agents_note_waits_for_a_person(dmm: Dmm, project: Project) -> None:
    dmm = dmm.as_actor(AGENT)
    told = dmm.notes.remember("The staging database is reset every Sunday.")
    assert told.status == "pending"
    assert "no reviewer agent is set up" in told.why
    assert not (project.memory / told.path).exists()
    again = dmm.notes.remember("The staging database is reset every Sunday.")
    assert again.proposal == told.proposal


def test_what_is_known_is_not_remembered_again(dmm: Dmm, project: Project) -> None:
    first = dmm.notes.remember("Use pnpm, not npm, to install packages.")
    for text in ("Use pnpm, not npm, to install packages.", "Install packages with pnpm, not npm."):
        told = dmm.notes.remember(text)
        assert told.status == "refused"
        assert told.failed[0].other == first.path
        assert first.path in told.why
    assert dmm.reviews.list().pending == 0
    kept = dmm.notes.remember("Install packages with pnpm, not npm.", anyway=True)
    assert kept.status == "applied"
    assert len(project.tree.scan().stamps) == 2


def test_one_word_is_no_note(dmm: Dmm) -> None:
    for word in ("x", "Passwort", "Passw\N{LATIN SMALL LETTER O WITH DIAERESIS}rter"):
        with pytest.raises(UsageError, match="a note needs at least two words"):
            dmm.notes.remember(word)
    assert dmm.notes.remember("\N{CJK UNIFIED IDEOGRAPH-6C38}" * 8).status == "applied"


def test_a_note_that_repeats_an_enforced_rule_is_not_kept(dmm: Dmm, project: Project) -> None:
    dmm.rules.add("Use uv, never pip, to install packages.")
    told = dmm.notes.remember("use uv never pip to install packages")
    assert (told.status, told.path) == ("refused", "")
    assert "use-uv-never-pip-to-install-packages" in told.why
    assert not list(project.memory.rglob("*.md"))
    reason = "Use uv, never pip, to install packages: the lock file is uv's."
    assert dmm.notes.remember(reason).status == "applied"
    assert dmm.notes.remember("Use uv, never pip, to install packages.", anyway=True).path


@pytest.mark.parametrize(
    ("note", "rule"),
    [
        ("Use bun, not npm", "Use pnpm, not npm"),
        ("Use uv, not pip.", "Do not use pip here."),
        ("Don't edit dist/, run make build", "Never edit dist/ files by hand"),
        ("Never edit dist/, edit src/templates", "Do not edit files in dist/ by hand"),
        ("Never edit dist/ as builds break", "Do not edit any files in dist/ by hand"),
        (
            "Do not run `npm install`, use make deps",
            "Never run `npm install` in this repository here",
        ),
        ("Ask before pushing to main", "Never push to main directly"),
    ],
)
def test_a_note_that_says_more_than_a_rule_is_kept_and_shown_the_rule(
    dmm: Dmm, note: str, rule: str
) -> None:
    held = dmm.rules.add(rule)
    told = dmm.notes.remember(note)
    assert told.status == "applied"
    (remark,) = [one for one in told.remarks if one.check == "rule"]
    assert (remark.other, rule in remark.text) == (held.id, True)


@pytest.mark.parametrize("replaces", [True, False])
def test_a_note_against_a_rule_is_kept_and_told_the_ways_out(dmm: Dmm, *, replaces: bool) -> None:
    rule = dmm.rules.add("Never push to main")
    older = dmm.notes.remember("The build is green before lunch.").path if replaces else None
    told = dmm.notes.remember("push to main when the build is green", replaces=older)
    assert told.status == "applied"
    assert told.remarks[-1].text == (
        f'it contradicts the rule {rule.id}: "Never push to main". If the note is wrong: '
        f"dmm forget {told.path}; if the rule no longer holds: dmm rules disable {rule.id}"
    )
    agent = dmm.as_actor(AGENT).notes.remember("Push to main after a green build")
    assert agent.status == "pending"
    assert agent.remarks[-1].other == rule.id
    assert "dmm forget" not in agent.remarks[-1].text
    dmm.notes.remember("The main branch holds the releases.")
    dmm.rules.disable(rule.id)
    kept = dmm.notes.remember("push to main after the tests are green")
    assert not [one for one in kept.remarks if one.check == "rule"]


MANY = """\
- Assess the impact of a change on the public packages before you begin.
- Work on a branch rather than committing directly to `main`.
- Every package has a changeset for each change that its users can see.
- Formatting is done by oxfmt and linting by oxlint, both from the root of the repository.
- Fixtures are shared by all packages and stay small; they are never published.
- Generated types are checked in and made by the build of the package itself.
- Comments that switch a check off give the reason on the same line.
- Documentation for users is in another repository, and changes there follow a release."""


@pytest.mark.parametrize(
    "text",
    [
        "Pushing to main is not allowed.",
        "Pushing to main is forbidden since 2021.",
        "Remember to ask before you push to main.",
    ],
)
def test_a_note_that_says_what_a_rule_says_does_not_go_against_it(dmm: Dmm, text: str) -> None:
    dmm.rules.add("Never push to main")
    told = dmm.notes.remember(text)
    assert "against" not in " ".join(one.text for one in told.remarks)


def test_a_note_against_one_of_many_sentences_of_the_baseline_is_told(
    dmm: Dmm, project: Project, memory_text: MemoryText
) -> None:
    project.write("baseline/rules.md", memory_text("Rules", MANY, scope="baseline"))
    told = dmm.notes.remember("Commit directly to main for small fixes.")
    (remark,) = told.remarks
    assert (told.status, remark.check, remark.other) == (
        "applied",
        "conflicts",
        "baseline/rules.md",
    )
    assert "rather than committing directly" in remark.text
    assert dmm.notes.remember("Main is built by the action after each merge.").remarks == ()


@pytest.mark.parametrize(
    ("note", "rule"),
    [
        ("Never edit files in dist/", "Do not edit files in dist/ by hand"),
        ("Don't edit the files in dist/", "Do not edit files in dist/ by hand"),
    ],
)
def test_a_rule_that_matches_the_same_and_has_all_the_words_says_it(
    dmm: Dmm, note: str, rule: str
) -> None:
    dmm.rules.add(rule)
    assert dmm.notes.remember(note).status == "refused"


def test_signs_in_a_name_tell_sentences_apart() -> None:
    for one, other in (("Use C#", "Use C"), ("Use `==`", "Use `===`"), ("Use .env", "Use env")):
        assert not Likeness.of(one).same_words(Likeness.of(other))
    assert Likeness.of("Use **C#**, always.").same_words(Likeness.of('use "C#" always!'))


def test_a_note_can_take_the_place_of_an_older_one(dmm: Dmm, project: Project) -> None:
    first = dmm.notes.remember("Releases are cut on Mondays.")
    told = dmm.notes.remember("Releases are cut on Thursdays.", replaces=first.path)
    assert (told.status, told.path) == ("applied", first.path)
    text = (project.memory / first.path).read_text()
    assert "Thursdays" in text
    assert "Mondays" not in text
    with pytest.raises(UsageError, match="no such memory"):
        dmm.notes.remember("Anything else", replaces="project/none.md")


def test_notes_in_a_row_know_each_other_though_only_a_clash_is_indexed_at_once(dmm: Dmm) -> None:
    first = dmm.notes.remember("Sessions expire after 30 minutes without activity.")
    assert len(dmm.indexes.snapshot()) == 0
    clash = dmm.notes.remember("Sessions expire after 8 hours without activity.")
    assert {place.path for place in dmm.indexes.snapshot().places} == {first.path, clash.path}
    (conflict,) = dmm.conflicts.list().conflicts
    assert {side.path for side in conflict.memories} == {first.path, clash.path}


def test_a_clash_is_told_with_the_note(dmm: Dmm) -> None:
    first = dmm.notes.remember("Sessions expire after 30 minutes without activity.")
    told = dmm.notes.remember("Sessions expire after 8 hours without activity.")
    assert told.status == "applied"
    assert [(one.check, one.other) for one in told.remarks] == [("conflicts", first.path)]
    assert any("conflict_" in notice for notice in told.notices)


def test_secrets_and_empty_notes_are_refused_and_nothing_is_recorded(dmm: Dmm) -> None:
    secret = "The deploy token is " + "ghp_" + "Zk3vQ9xW1mB7nT5rY2uL8pS4dF6gH0jKaE1c"
    for text, what in ((secret, "seems to contain a secret"), ("  \n", "the text is empty")):
        with pytest.raises(UsageError, match=what):
            dmm.notes.remember(text)
    assert dmm.reviews.list("all").proposals == ()


def test_a_secret_in_an_agents_note_reaches_neither_name_nor_title_nor_tags(dmm: Dmm) -> None:
    secret = "zk3vq9xw1mb7nt5ry2ul8ps4df6gh0jkae1c"
    told = dmm.as_actor(AGENT).notes.remember(f"The deploy token is ghp_{secret}.")
    assert [one.check for one in told.failed] == ["secrets"]
    assert secret not in str(told)
    made = dmm.proposal_store.find(told.proposal)
    assert secret not in f"{made.path} {made.text}"


def test_folders_that_git_ignores_are_not_used(project: Project, open_project: Opener) -> None:
    subprocess.run(["git", "init", "-q", str(project.folder)], check=True)
    (project.folder / ".gitignore").write_text("build/\n")
    told = open_project(project).notes.remember("Use pnpm, not npm, to install packages.")
    assert told.path == "project/notes/pnpm_not_npm_install_packages.md"


def test_a_note_about_a_changed_file_gets_its_path(project: Project, open_project: Opener) -> None:
    subprocess.run(["git", "init", "-q", str(project.folder)], check=True)
    (project.folder / "retry.py").write_text("")
    told = open_project(project).notes.remember("retry.py must never sleep longer than a minute.")
    assert told.paths == ("retry.py",)
    assert "paths: [retry.py]" in (project.memory / told.path).read_text()


def test_memories_that_are_not_committed_yet_give_a_note_no_tag(
    project: Project, open_project: Opener
) -> None:
    subprocess.run(["git", "init", "-q", str(project.folder)], check=True)
    notes = open_project(project).notes
    notes.remember("Grafana is at the second address, for everybody.")
    subprocess.run(["git", "-C", str(project.folder), "add", "."], check=True)
    assert "markdown" not in notes.remember("Time is a flat circle.").tags


def test_an_undo_that_can_not_be_done_names_the_way(project: Project, open_project: Opener) -> None:
    dmm = open_project(project)
    first = dmm.notes.remember("Use pnpm, not npm, to install packages.")
    later = dmm.notes.forget(first.path)
    with pytest.raises(StaleBase, match="was changed after") as refused:
        dmm.undoing.undo(first.seq)
    assert f"first: dmm undo {later.seq};" in (refused.value.hint or "")
    (project.memory / first.path).unlink()
    with pytest.raises(StaleBase, match="is not here") as refused:
        dmm.undoing.undo(first.seq)
    assert "switch to the branch that has it" in (refused.value.hint or "")


def test_a_memory_is_forgotten_by_path_id_or_words(dmm: Dmm, project: Project) -> None:
    first = dmm.notes.remember("Use pnpm, not npm, to install packages.")
    done = dmm.notes.forget("use PNPM, not npm")
    assert (done.status, done.path) == ("applied", first.path)
    assert "status: deprecated" in (project.memory / first.path).read_text()
    dmm.undoing.undo(done.seq)
    named = next(iter(dmm.indexes.snapshot().places)).id
    again = dmm.notes.forget(named, reason="we moved to bun")
    dmm.undoing.undo(again.seq)
    assert dmm.notes.forget(f".dmm/memory/{first.path}").path == first.path


def test_a_forgotten_note_comes_back_where_it_was(dmm: Dmm, project: Project) -> None:
    text = "The staging database is reset every Sunday."
    first = dmm.notes.remember(text)
    before = (project.memory / first.path).read_text()
    dmm.notes.forget(first.path)
    other = dmm.notes.remember("The staging database is reset every Sunday!")
    assert other.path != first.path
    dmm.notes.forget(other.path)
    again = dmm.notes.remember(text)
    assert (again.status, again.path) == ("applied", first.path)
    assert (project.memory / first.path).read_text() == before
    assert served(dmm, "when is the staging database reset") == [first.path]


def test_a_note_that_ends_in_the_words_of_a_forgotten_one_is_written_as_it_is(
    dmm: Dmm, project: Project
) -> None:
    first = dmm.notes.remember("Never deploy on Friday afternoon.")
    dmm.notes.forget(first.path)
    told = dmm.notes.remember("deploy on Friday afternoon.")
    text = (project.memory / told.path).read_text()
    assert told.status == "applied"
    assert "deploy on Friday afternoon." in text
    assert "Never" not in text


def test_nothing_is_forgotten_where_several_may_be_meant(dmm: Dmm) -> None:
    dmm.notes.remember("The staging database is reset every Sunday.")
    dmm.notes.remember("The staging cluster has three nodes in Frankfurt.")
    told = dmm.notes.forget("staging")
    assert (told.status, len(told.matches)) == ("several", 2)
    told = dmm.notes.forget("how often do we wipe the database for testing?")
    assert told.status == "several"
    assert "database" in told.matches[0].path
    with pytest.raises(UsageError, match="no memory matches"):
        dmm.notes.forget("quantum chromodynamics")


def test_an_agent_can_only_propose_to_forget(dmm: Dmm, project: Project) -> None:
    first = dmm.notes.remember("Use pnpm, not npm, to install packages.")
    dmm = dmm.as_actor(AGENT)
    told = dmm.notes.forget(first.path)
    assert (told.status, told.path) == ("pending", first.path)
    assert "status: active" in (project.memory / first.path).read_text()


def test_without_the_model_a_note_is_placed_by_its_words(
    project: Project, open_project: Opener
) -> None:
    def fail() -> Embedder:
        raise ModelUnavailable("no model here")

    told = open_project(project, fail).notes.remember("Use pnpm, not npm, to install packages.")
    assert (told.status, told.path.rpartition("/")[0]) == ("applied", "project/build")
