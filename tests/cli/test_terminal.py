"""What memory files hold never steers the terminal that shows it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dmm.cli.failures import report
from dmm.cli.options import deliver, print_lines, to_json
from dmm.errors import MemoryFileError

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import MemoryText, Project

CLEAR = "\x1b[2J"
SHOWN = "<U+001B>[2J"
TITLE = "\x1b]0;owned\x07"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def is_plain(text: str) -> bool:
    return all(sign == "\n" or sign.isprintable() for sign in text)


@pytest.fixture
def hostile(project: Project, memory_text: MemoryText) -> Project:
    """A project whose files hold escapes wherever a message may quote them."""
    project.write("project/scope.md", memory_text(scope='"\\e[2J"'))
    ids = (f"mem_2026_02_01_{number:03d}" for number in range(1, 9))
    unknown = {"id": next(ids), '"\\e[2Jkey"': "1"}
    project.write("project/unknown.md", memory_text(**unknown))
    tags = {"id": next(ids), "tags": '["\\e[2J", "\\e[2J"]'}
    project.write("project/tags.md", memory_text(**tags))
    heading = memory_text(f"Loud {CLEAR}{TITLE} title", f"Words {CLEAR} here.", id=next(ids))
    project.write("project/heading.md", heading)
    cites = {"id": next(ids), "cites": '[{path: "\\e[2Jgone.py"}]'}
    project.write("project/cites.md", memory_text(**cites))
    project.write(f"project/{CLEAR}.md", "no front matter")
    return project


@pytest.mark.parametrize(
    "arguments",
    [
        *(["reindex"], ["validate"], ["validate", "--fix"], ["status"], ["import", "CLAUDE.md"]),
        *(["query", "words here"], ["query", "words", "--explain", "--verbose"]),
        *(["import", "CLAUDE.md", "--apply"], ["ledger", "context"], ["ledger", "log"]),
        *(["ledger", "trace", "1"], ["import", f"{CLEAR}.md"], ["export", "--root", CLEAR]),
        *([CLEAR], ["query", "x", "--scope", CLEAR], ["query", "x", f"--{CLEAR}"]),
        *(["query", "x", CLEAR], ["query", "x", "--output", f"{CLEAR}.out"], ["init"]),
    ],
    ids=lambda words: " ".join(words).replace(CLEAR, "ESC"),
)
def test_no_command_passes_an_escape_on(
    arguments: list[str], typed: Typed, hostile: Project
) -> None:
    (hostile.folder / "CLAUDE.md").write_text(f"# A{CLEAR}\n\nAlways {CLEAR} be kind to all.\n")
    typed("ledger", "fact", f"key{CLEAR}", f"value{CLEAR}", within=hostile.folder)
    told = typed(*arguments, within=hostile.folder)
    assert is_plain(told.out), told.out
    assert is_plain(told.err), told.err


def test_messages_show_what_they_quote(typed: Typed, hostile: Project) -> None:
    out = typed("validate", within=hostile.folder).out
    assert f"unknown field '{SHOWN}key'" in out
    assert f"the tag '{SHOWN}' is listed twice" in out
    assert SHOWN in typed("status", within=hostile.folder).out


def test_an_error_shows_what_it_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    report(MemoryFileError(f"{CLEAR}.md", "yaml", CLEAR, hint=CLEAR), as_json=False)
    told = capsys.readouterr().err
    assert told == f"dmm: {SHOWN}\n  where: {SHOWN}.md\n  hint:  {SHOWN}\n"


@pytest.mark.parametrize("output", [None, Path("-")])
def test_a_document_is_harmless_on_a_terminal_and_exact_in_a_pipe(
    output: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream, told in ((Terminal(), f"a\tb {SHOWN}\n"), (io.StringIO(), f"a\tb {CLEAR}\n")):
        monkeypatch.setattr(sys, "stdout", stream)
        deliver(f"a\tb {CLEAR}\n", output, "Text")
        assert stream.getvalue() == told


def test_json_is_the_same_data_with_hidden_characters_escaped() -> None:
    value = {"a\x9b2J": ["\x1b[2J", "\u202e", "\U000e0041", "a\u200db", "ü 密 👩\u200d💻"]}
    text = to_json(value)
    assert is_plain(text.replace("\u200d", ""))
    assert json.loads(text) == value
    assert "ü 密 👩\u200d💻" in text
    assert r"a\u200db" in text


def test_lines_stay_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(["one\rtwo", "three\x08"])
    assert capsys.readouterr().out == "one<U+000D>two\nthree<U+0008>\n"
