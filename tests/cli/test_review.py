"""`dmm review` and `dmm undo` as they are typed: people look and decide, agents can't."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.cli.editor import keeping

if TYPE_CHECKING:
    from tests.cli.conftest import Told, Typed
    from tests.conftest import Project

ROOMS = (
    *("hall", "kitchen", "cellar", "attic", "garage"),
    *("study", "library", "workshop", "pantry", "porch"),
)
NOTE = "# What the sensors of the house reported in the trial\n\n" + "\n".join(
    f"The sensor in the {room} reported {number + 11} degrees at noon and {number + 7} at night;"
    f" its battery was at {90 - number} percent and its clock was {number} seconds slow."
    for number, room in enumerate(ROOMS)
)
# Longer than a memory may be.
LONG = "# Lamp\n\nThe lamp in the hall is red.\n" + "Its light is warm.\n" * 300


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def own(project: Project, home: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("DMM_STATE_DIR", str(home / "state"))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    project.trust(home)
    return project


@pytest.fixture
def make(typed: Typed, own: Project) -> Any:
    """Propose a memory and give the number of the proposal."""

    def propose(path: str = "project/house/sensors.md", text: str = NOTE) -> int:
        line = ("write", "create", "--path", path, "--content", text, "--reason", "from the trial")
        return int(json.loads(typed(*line, "--json", within=own.folder).out)["seq"])

    return propose


def ask(typed: Typed, project: Project, *line: str) -> Any:
    told = typed(*line, "--json", within=project.folder)
    return json.loads(told.out)


def test_the_list_names_each_with_its_age_proposer_trust_and_checks(
    typed: Typed, own: Project, make: Any
) -> None:
    assert typed("review", "list", within=own.folder).out == "0 proposals await review\n"
    make()
    make("project/lamp.md", LONG)
    told = typed("review", "list", within=own.folder)
    assert told.out.splitlines() == [
        "proposal_1  create project/house/sensors.md (just now)",
        "    by user, trust user, ✓12: from the trial",
        "proposal_3  create project/lamp.md (just now)",
        "    by user, trust user, ✓11 ✗1: from the trial",
        "2 proposals await review",
        "Show one with: dmm review show ID; all with: dmm review batch",
    ]
    rows = ask(typed, own, "review", "list")["proposals"]
    assert [one["id"] for one in rows] == ["proposal_1", "proposal_3"]
    wrong = typed("review", "list", "--status", "lost", within=own.folder)
    assert wrong.status == 2


def test_without_a_command_what_is_pending_is_listed(typed: Typed, own: Project, make: Any) -> None:
    make()
    assert typed("review", within=own.folder).out == typed("review", "list", within=own.folder).out


def test_ages_are_told_in_the_largest_unit() -> None:
    from dmm.cli.format.verdicts import age

    told = [age(seconds) for seconds in (0, 59, 60, 3_599, 7_200, 86_400, 3 * 86_400)]
    assert told == ["just now", "just now", "1 minute", "59 minutes", "2 hours", "1 day", "3 days"]


def test_show_has_the_checks_and_the_diff_in_80_columns_of_frame(
    typed: Typed, own: Project, make: Any
) -> None:
    make("project/lamp.md", LONG)
    out = typed("review", "show", "proposal_1", within=own.folder).out
    lines = out.splitlines()
    assert lines[:3] == [
        "proposal_1 pending: create project/lamp.md",
        "  by:     user (cli), trust user, just now",
        "  reason: from the trial",
    ]
    assert "  ✓ secrets         no secret found" in lines
    assert "+++ b/project/lamp.md" in lines
    assert "+The lamp in the hall is red." in lines
    digest = ask(typed, own, "review", "show", "1")["digest"]
    assert lines[-3:] == [
        f"Decide: dmm review approve 1 --seen {digest[:12]} --bypass-reviewer",
        "        dmm review edit 1",
        '        dmm review reject 1 --reason "..."',
    ]
    assert "\x1b" not in out
    assert max(map(len, lines)) <= 80
    assert typed("review", "show", "--id", "1", within=own.folder).out == out


def test_on_a_terminal_it_has_colour_and_folds(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(text=f"{NOTE}\x1b[2J")
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr("locale.getencoding", lambda: "UTF-8")
    typed("review", "show", "1", within=own.folder)
    shown = screen.getvalue()
    assert "\x1b[32m" in shown
    assert "✓" in shown
    assert "\x1b[2J" not in shown
    bare = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "<U+001B>[2J" in bare
    assert max(map(len, bare.splitlines())) <= 80


def test_a_terminal_that_knows_letters_only_gets_words(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("project/lamp.md", LONG)
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr("locale.getencoding", lambda: "ANSI_X3.4-1968")
    typed("review", "show", "1", within=own.folder)
    assert screen.getvalue().isascii()
    assert "ok   secrets" in screen.getvalue()
    assert "FAIL tokens" in screen.getvalue()


def test_approving_writes_the_file_and_rejecting_does_not(
    typed: Typed, own: Project, make: Any
) -> None:
    make()
    make("project/lamp.md", LONG)
    told = typed("review", "approve", "1", "--reason", "true", within=own.folder)
    assert (told.status, told.out) == (
        0,
        "proposal_1 applied: create project/house/sensors.md\n",
    )
    assert NOTE in (own.memory / "project" / "house" / "sensors.md").read_text()
    assert ask(typed, own, "review", "reject", "3", "--reason", "no")["status"] == "rejected"
    assert not (own.memory / "project" / "lamp.md").exists()
    again = typed("review", "approve", "3", within=own.folder)
    assert again.status == 15
    assert again.err.startswith("dmm: proposal_3 is rejected\n")
    rows = ask(typed, own, "review", "list", "--all")["proposals"]
    assert [one["status"] for one in rows] == ["applied", "rejected"]
    applied = ask(typed, own, "review", "list", "--status", "applied")["proposals"]
    assert [one["id"] for one in applied] == ["proposal_1"]


def test_an_approval_of_what_was_seen_applies_no_other_text(
    typed: Typed, own: Project, make: Any
) -> None:
    make()
    old = ask(typed, own, "review", "show", "1")["digest"][:12]
    (own.folder / "mine.md").write_text(f"{NOTE}\nThe sensor on the roof is broken.\n")
    typed("review", "edit", "1", "--file", "mine.md", within=own.folder)
    edited = ["edit", "1", "--file", "mine.md"]
    for line in (["approve", "1"], ["reject", "1", "--reason", "no"], edited):
        told = typed("review", *line, "--seen", old, within=own.folder)
        assert (told.status, told.err.splitlines()) == (
            15,
            [
                "dmm: its text was changed since you looked at it",
                "  where: proposal_1",
                "  hint:  look at it again: dmm review show proposal_1",
            ],
        )
    assert not (own.memory / "project" / "house" / "sensors.md").exists()
    new = ask(typed, own, "review", "show", "1")["digest"]
    assert not new.startswith(old)
    (own.folder / "mine.md").write_text(f"{NOTE}\nThe sensor on the roof is new.\n")
    told = typed("review", *edited, "--seen", new[:12], within=own.folder)
    assert told.status == 0
    new = ask(typed, own, "review", "show", "1")["digest"]
    told = typed("review", "approve", "1", "--seen", new[:12].upper(), within=own.folder)
    assert told.out == "proposal_1 applied: create project/house/sensors.md\n"
    assert "roof is new" in (own.memory / "project" / "house" / "sensors.md").read_text()


def test_a_digest_goes_with_one_proposal(typed: Typed, own: Project, make: Any) -> None:
    make()
    told = typed("review", "edit", "--seen", "3f2a9c81", within=own.folder)
    assert (told.status, told.err.splitlines()[0]) == (2, "dmm: name one proposal")


@pytest.mark.parametrize("digest", ["", "3f2a9c8", "latest", "3f2a9c81 or so"])
def test_a_digest_that_is_none_is_told(typed: Typed, own: Project, make: Any, digest: str) -> None:
    make()
    told = typed("review", "approve", "1", "--seen", digest, within=own.folder)
    assert told.status == 2
    assert told.err.startswith(
        f"dmm: {digest!r} is not the digest of a proposal\n  hint:  dmm review"
    )


def test_a_failed_check_takes_a_word_more_to_approve(typed: Typed, own: Project, make: Any) -> None:
    make("project/lamp.md", LONG)
    refused = typed("review", "approve", "1", within=own.folder)
    assert refused.status == 15
    assert "--bypass-reviewer" in refused.err
    told = typed("review", "approve", "--id", "1", "--bypass-reviewer", within=own.folder)
    assert told.out == "proposal_1 applied: create project/lamp.md\n"


DECIDING = (
    ["review", "approve", "1"],
    ["review", "reject", "1", "--reason", "no"],
    ["review", "edit", "1", "--from-stdin"],
    ["review", "edit"],
    ["review", "batch"],
    ["undo", "1", "--yes"],
)


@pytest.mark.parametrize("line", DECIDING, ids=" ".join)
def test_an_agents_shell_decides_nothing(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch, line: list[str]
) -> None:
    make()
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("EDITOR", "sed -i s/pending/approve/")
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    told = typed(*line, within=own.folder)
    assert told.status == 2
    assert "an agent can't " in told.err
    assert list(own.memory.rglob("*.md")) == []


@pytest.mark.parametrize("line", [["show"], ["approve"], ["process"], ["show", "1", "--id", "1"]])
def test_one_proposal_has_to_be_named(typed: Typed, own: Project, line: list[str]) -> None:
    told = typed("review", *line, within=own.folder)
    assert (told.status, told.err.splitlines()[0]) == (2, "dmm: name one proposal")
    unknown = typed("review", "show", "17", within=own.folder)
    assert unknown.err.startswith("dmm: there is no proposal_17\n")


def test_without_a_model_the_reviewer_says_why_it_waits(
    typed: Typed, own: Project, make: Any
) -> None:
    make()
    told = typed("review", "process", "1", within=own.folder)
    assert told.status == 0
    assert told.out.startswith("proposal_1 pending: create project/house/sensors.md\n  why:   ")
    every = typed("review", "process-all", within=own.folder)
    assert every.out.endswith("1 proposal left to a person\n")


def write_editor(own: Project, script: str) -> str:
    """Make an editor that runs a few lines of shell on the file it is given."""
    path = own.folder / "editor.sh"
    path.write_text(f'#!/bin/sh\ncp "$1" seen.txt\n{script}\n')
    return f"sh {path}"


def test_a_text_is_edited_checked_anew_and_waits_on(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    monkeypatch.setenv("EDITOR", write_editor(own, 'sed -i s/hall/entrance/ "$1"'))
    told = typed("review", "edit", "1", within=own.folder)
    assert (told.status, told.out) == (
        0,
        "proposal_1 pending: create project/house/sensors.md\n"
        "  see:   dmm review show proposal_1\n",
    )
    assert NOTE in (own.folder / "seen.txt").read_text()
    assert "+The sensor in the entrance" in typed("review", "show", "1", within=own.folder).out
    monkeypatch.setenv("EDITOR", "true")
    assert "nothing was changed" in typed("review", "edit", "1", within=own.folder).err
    (own.folder / "mine.md").write_text("# Sensors\n\nA body alone.\n")
    told = typed("review", "edit", "1", "--file", "mine.md", within=own.folder)
    assert told.status == 0
    shown = typed("review", "show", "1", within=own.folder).out
    assert "+A body alone.\n" in shown
    assert "+scope: project\n" in shown
    digest = ask(typed, own, "review", "show", "1")["digest"]
    for seen, what in (
        ("", "is not the digest"),
        ("0" * 12, "its text was changed since you looked"),
    ):
        told = typed("review", "edit", "1", "--seen", seen, within=own.folder)
        assert what in told.err, "before the editor is opened, which changes nothing"
    monkeypatch.setenv("EDITOR", write_editor(own, 'sed -i s/alone/seen/ "$1"'))
    assert typed("review", "edit", "1", "--seen", digest, within=own.folder).status == 0
    monkeypatch.setenv("EDITOR", write_editor(own, 'echo > "$1"'))
    assert "the text is empty" in typed("review", "edit", "1", within=own.folder).err


@pytest.mark.parametrize(
    ("editor", "what"),
    [
        ("false", "the editor exited with status 1, so nothing was done"),
        ("/nonexistent/editor", "the editor '/nonexistent/editor' can't be run"),
        ('"', "the editor '\"' can't be read as a command"),
        ("", "there is no terminal for an editor"),
    ],
)
def test_an_editor_that_fails_decides_nothing(
    typed: Typed,
    own: Project,
    make: Any,
    monkeypatch: pytest.MonkeyPatch,
    editor: str,
    what: str,
) -> None:
    make()
    monkeypatch.setenv("EDITOR", editor)
    for line in (["edit", "1"], ["batch"]):
        told = typed("review", *line, within=own.folder)
        assert told.status == 2
        assert told.err.startswith(f"dmm: {what}")


def decide(
    typed: Typed, own: Project, monkeypatch: pytest.MonkeyPatch, script: str, *line: str
) -> Told:
    monkeypatch.setenv("EDITOR", write_editor(own, script))
    return typed("review", *(line or ("batch",)), within=own.folder)


def test_many_are_decided_in_one_document(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    make("project/lamp.md", LONG)
    make("project/lamps.md", f"{LONG}\r\napprove proposal_3")
    script = (
        "sed -i -e 's/^pending proposal_1$/approve proposal_1 it is true/'"
        " -e 's/^pending proposal_3$/approve proposal_3/'"
        " -e 's/^pending proposal_5$/reject proposal_5 said twice/' \"$1\""
    )
    told = decide(typed, own, monkeypatch, script, "edit")
    assert told.status == 1
    lines = told.out.splitlines()
    assert lines[0] == "proposal_1 applied: create project/house/sensors.md"
    assert lines[1].startswith("proposal_3 left: tokens: ")
    assert lines[-2:] == ["proposal_5 rejected: create project/lamps.md", "1 proposal left"]
    document = (own.folder / "seen.txt").read_text()
    assert document.startswith("# Change the first word of a line to decide")
    named = [line for line in document.splitlines() if not line.startswith("#") and line]
    assert named == ["pending proposal_1", "pending proposal_3", "pending proposal_5"]
    assert "# +The lamp in the hall is red." in document
    insisting = decide(typed, own, monkeypatch, 'sed -i s/^pending/approve!/ "$1"')
    assert insisting.out == "proposal_3 applied: create project/lamp.md\n0 proposals left\n"


@pytest.mark.slow
def test_what_somebody_else_writes_while_the_editor_is_open_is_not_decided_unseen(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    make("project/lamp.md", LONG)
    (own.folder / "mine.md").write_text("# Lamp\n\nThe lamp in the hall is green.\n")
    command = f"{sys.executable} -c 'from dmm.cli.main import main; main()'"
    elsewhere = f"{command} review edit 3 --file mine.md"
    told = decide(
        typed, own, monkeypatch, f'{elsewhere}\nsed -i "s/^pending .*_3/approve! proposal_3/" "$1"'
    )
    assert told.out.splitlines() == [
        "proposal_3 left: its text was changed since you looked at it",
        "  hint: look at it again: dmm review show proposal_3",
        "2 proposals left",
    ]
    (own.folder / "mine.md").write_text("# Lamp\n\nThe lamp in the hall is blue.\n")
    own_text = decide(
        typed, own, monkeypatch, f'{elsewhere}\nsed -i s/green/red/ "$1"', "edit", "3"
    )
    assert own_text.err.startswith("dmm: its text was changed since you looked at it\n")
    assert "; your text is kept in " in own_text.err
    assert "+The lamp in the hall is blue." in typed("review", "show", "3", within=own.folder).out


@pytest.mark.parametrize("script", ["true", ': > "$1"', 'sed -i s/^pending.*// "$1"'])
def test_an_unchanged_or_empty_document_decides_nothing(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    make()
    told = decide(typed, own, monkeypatch, script)
    assert (told.status, told.out) == (0, "Nothing is decided.\n1 proposal left\n")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("reject proposal_1", "the reason is missing: reject proposal_1 because ..."),
        (
            "drop proposal_1",
            "it starts with 'drop'; expected one of pending, approve, approve!, reject",
        ),
        ("approve proposal_9", "'proposal_9' is not one of the proposals shown"),
        ("approve proposal_1\\nreject proposal_1 no", "proposal_1 is listed twice"),
        ("approve", "the proposal is missing: approve proposal_17"),
    ],
)
def test_a_document_that_is_not_understood_decides_nothing(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch, line: str, what: str
) -> None:
    make()
    told = decide(typed, own, monkeypatch, f"printf '{line}\\n' > \"$1\"")
    assert told.status == 2
    assert re.fullmatch(
        rf"dmm: line \d of the document: {re.escape(what)}\n"
        r"  hint:  nothing was decided; fix the line; your text is kept in \S+\n",
        told.err,
    )
    assert list(own.memory.rglob("*.md")) == []


def test_at_a_terminal_a_slip_can_be_mended(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    once = (
        "if grep -q '^drop' \"$1\"; then sed -i 's/^drop/approve/' \"$1\";"
        " else sed -i 's/^pending/drop/' \"$1\"; fi"
    )
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    left = decide(typed, own, monkeypatch, once)
    assert left.out == "Edit it again? [y/N] Nothing is decided.\n1 proposal left\n"
    assert "it starts with 'drop'; expected one of" in left.err
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    told = decide(typed, own, monkeypatch, once)
    assert told.out == (
        "Edit it again? [y/N] proposal_1 applied: create project/house/sensors.md\n"
        "0 proposals left\n"
    )


def test_a_text_is_kept_where_the_confirmation_is_cancelled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(KeyboardInterrupt), keeping("approve proposal_1", "proposals.dmm"):
        raise KeyboardInterrupt
    _, _, path = capsys.readouterr().err.partition("dmm: your text is kept in ")
    assert Path(path).read_text() == "approve proposal_1"


def test_undo_shows_what_changes_and_asks(
    typed: Typed, own: Project, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    typed("review", "approve", "1", within=own.folder)
    path = own.memory / "project" / "house" / "sensors.md"
    nobody = typed("undo", "1", within=own.folder)
    assert nobody.status == 2
    assert "no terminal to confirm undoing this" in nobody.err
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    told = typed("undo", "proposal_1", within=own.folder)
    assert told.out.startswith("1 write would be undone:\n  proposal_1  create project/house/")
    assert "\n+++ /dev/null\n" in told.out
    assert told.out.endswith("Undo this? [y/N] Nothing was undone.\n")
    assert path.is_file()
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    told = typed("undo", "1", "--reason", "it was wrong", within=own.folder)
    assert re.search(
        r"\[y/N\] proposal_\d+ applied: undo proposal_1\n  project/house/sensors.md\n$", told.out
    )
    assert not path.exists()


def test_undo_as_data_only_looks_unless_yes_is_said(typed: Typed, own: Project, make: Any) -> None:
    make()
    typed("review", "approve", "1", within=own.folder)
    looked = ask(typed, own, "undo", "--source", "cli")
    assert [one["id"] for one in looked["would_undo"]] == ["proposal_1"]
    assert (own.memory / "project" / "house" / "sensors.md").is_file()
    told = ask(typed, own, "undo", "--source", "cli", "--yes")
    assert (told["status"], told["undone"]) == ("applied", ["proposal_1"])
    again = typed("undo", "1", "--yes", within=own.folder)
    assert again.status == 15
    for line in (["undo"], ["undo", "1", "--session", "x"], ["undo", "x"]):
        assert typed(*line, within=own.folder).status == 2


def test_undo_of_a_file_that_was_changed_shows_all_three(
    typed: Typed, own: Project, make: Any
) -> None:
    make("project/lamp.md", LONG)
    typed("review", "approve", "1", "--bypass-reviewer", within=own.folder)
    path = own.memory / "project" / "lamp.md"
    path.write_text(path.read_text().replace("red", "white"))
    told = typed("undo", "1", "--yes", within=own.folder)
    assert told.status == 15
    assert "was  -The lamp in the hall is red.\n" in told.err
    assert "file +The lamp in the hall is white.\n" in told.err


def test_the_log_tells_of_it_in_words(typed: Typed, own: Project, make: Any) -> None:
    make("project/lamp.md", LONG)
    typed("review", "approve", "1", "--bypass-reviewer", within=own.folder)
    lines = typed("ledger", "log", within=own.folder).out.splitlines()
    told = [re.sub(r"^ *\d+ \S+ \S+ ", "", line) for line in lines]
    assert told == [
        "ProposalMade     proposal_1: create project/lamp.md: fr…",
        "ProposalChecked  proposal_1 failed tokens",
        "ProposalReviewed proposal_1 approved by person",
        "ProposalApplying proposal_1 is being applied: project/l…",
        "ProposalApplied  proposal_1 applied",
    ]


def test_an_import_is_shown_by_folder_and_in_full_when_it_is_asked_for(
    typed: Typed, own: Project
) -> None:
    rooms = (*ROOMS, "garden", "roof")
    for n, room in enumerate(rooms):
        (own.folder / room).mkdir()
        told = f"# The {room}\n\nThe sensor in the {room} reports to gateway {n} every hour.\n"
        (own.folder / room / "AGENTS.md").write_text(told)
    typed("import", *(f"{room}/AGENTS.md" for room in rooms), "--apply", within=own.folder)
    for line in (("review", "show", "1"), ("undo", "1")):
        short = typed(*line, within=own.folder).out
        full = typed(*line, "--full", within=own.folder).out
        assert "gateway" not in short
        assert (
            len(re.findall(r"  (?:adds|removes) 1 file in project/\w+\n    \w+\.md", short)) == 12
        )
        assert short.endswith("Every line of these files: the same command with --full\n")
        assert all(f"to gateway {n} every hour" in full for n in range(12))
