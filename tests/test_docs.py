"""What the documents say exists, and what exists is documented."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main

from dmm.bootstrap import open_dmm, today
from dmm.cli.failures import EXIT_STATUS
from dmm.cli.main import app
from dmm.config import Config
from dmm.service.setup import set_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.embed.model import Embedder

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "src" / "dmm" / "files" / "templates"
DOCUMENTS = [
    *(ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))),
    *sorted(TEMPLATES.rglob("*.md")),
    ROOT / "tools" / "demo.sh",
]
COMMANDS = typer.main.get_group(app).commands
GENERAL = {"--help", "-h", "--version"}


def options_of(name: str) -> set[str]:
    return {option for given in COMMANDS[name].params for option in given.opts} - {name}


def spoken(text: str) -> Iterator[list[str]]:
    """List the dmm commands in code spans, code blocks and shell lines, cut into words."""
    spans = re.findall(r"`(dmm [^`\n]*)`", text)
    lines = re.findall(r"^(?:\s{4,}|\$ |run ['\"])?(dmm [^\n]*)$", text, re.MULTILINE)
    for line in (*spans, *lines):
        bare = re.split(r"\s#|[|;&]|\s{2,}", line)[0].strip("'\"")
        try:
            yield shlex.split(bare)
        except ValueError:
            yield bare.split()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_and_option_in_a_document_exists(document: Path) -> None:
    for words in spoken(document.read_text()):
        name = words[1] if len(words) > 1 else "--help"
        if name in {*GENERAL, "COMMAND"}:
            continue
        assert name in COMMANDS, (document.name, words)
        options = {word.partition("=")[0] for word in words[2:] if word.startswith("-")}
        assert options <= options_of(name) | GENERAL, (document.name, words)


def test_the_documents_do_name_commands() -> None:
    named = {words[1] for path in DOCUMENTS for words in spoken(path.read_text()) if words[1:]}
    assert set(COMMANDS) <= named


def sections() -> dict[str, str]:
    parts = re.split(r"^## ", (ROOT / "docs" / "cli.md").read_text(), flags=re.MULTILINE)
    return {part.splitlines()[0]: part for part in parts[1:]}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_its_section_with_every_option(name: str) -> None:
    titles = [title for title in sections() if title.split()[:2] == ["dmm", name]]
    assert len(titles) == 1
    described = set(re.findall(r"`(--?[\w-]+)", sections()[titles[0]]))
    # The option that every command has is told once, above all sections.
    own = options_of(name) - {"--root"} - GENERAL
    assert {option for option in own if option.startswith("-")} <= described
    assert described <= options_of(name)


def test_no_section_tells_of_a_command_that_is_gone() -> None:
    told = {title.split()[1] for title in sections() if title.startswith("dmm ")}
    assert told == set(COMMANDS)
    intro = (ROOT / "docs" / "cli.md").read_text().partition("## ")[0]
    assert "`--root PATH`" in intro
    assert "`DMM_ROOT`" in intro


def test_every_exit_status_is_documented() -> None:
    told = set(map(int, re.findall(r"^\| (\d+) \|", sections()["Exit status"], re.MULTILINE)))
    assert told == {0, 1, *EXIT_STATUS.values(), 130}


def keys(kind: type[Any], trail: str = "") -> Iterator[str]:
    for one in dataclasses.fields(kind):
        section = one.metadata.get("section")
        if section is None:
            yield f"{trail}{one.name}"
        else:
            yield from keys(section, f"{trail}{one.name}.")


def test_every_setting_is_documented_and_no_other() -> None:
    told = set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)?)`", sections()["Settings"]))
    assert set(keys(Config)) <= told
    assert {key for key in told if "." in key} <= set(keys(Config))


def test_links_between_documents_lead_somewhere() -> None:
    for document in [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)\)", document.read_text()):
            if "://" not in target:
                assert (document.parent / target).exists(), (document.name, target)


def test_modules_in_the_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for name in re.findall(r"`([a-z_]+/[a-z_]+\.py)`", text):
        assert any((ROOT / base / name).is_file() for base in ("src/dmm", ".")), name


def test_the_templates_are_valid_without_a_word(tmp_path: Path, model: Embedder) -> None:
    set_up(tmp_path, day=today())
    dmm = open_dmm(override=tmp_path, home=tmp_path / "home", load_model=lambda: model)
    assert dmm.validation.check().findings == ()
