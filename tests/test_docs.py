"""What the documents say exists, and what exists is documented."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
import typer.main

from dmm.bootstrap import open_dmm, today
from dmm.cli.commands import COMMANDS as MODULES
from dmm.cli.commands import make_app
from dmm.cli.failures import BLOCKED, EXIT_STATUS, FINDINGS
from dmm.cli.main import INTERRUPTED
from dmm.config import Config
from dmm.errors import FileFault
from dmm.files import texts
from dmm.files.roots import NAME
from dmm.memories import validation
from dmm.project.init import set_up

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
ALL: dict[str, Any] = dict(typer.main.get_group(make_app()).commands)
GROUPS = {name: ALL[name] for name, place in MODULES.items() if place.endswith(".app")}
COMMANDS = {
    **{name: one for name, one in ALL.items() if name not in GROUPS},
    **{f"{group} {name}": one for group in GROUPS for name, one in GROUPS[group].commands.items()},
}
GENERAL = {"--help", "-h", "--version", "-V"}
TEXTS = {".py", ".md", ".txt"}
# These have no command to name.
SILENT = {"hard_constraints.md", "_dir.md"}


def name_of(words: list[str]) -> str:
    """Read the name of a command from the words after dmm; a group and its command are two."""
    in_group = words[0] in GROUPS and len(words) > 1 and words[1].replace("-", "").isalpha()
    return " ".join(words[: 2 if in_group else 1])


def options_of(name: str) -> set[str]:
    names = {given.name for given in COMMANDS[name].params}
    return {option for given in COMMANDS[name].params for option in given.opts} - names


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
    told = list(spoken(document.read_text()))
    assert bool(told) is (document.name not in SILENT)
    for words in told:
        name = name_of(words[1:]) if len(words) > 1 else "--help"
        if name in {*GENERAL, *GROUPS, "COMMAND"}:
            continue
        assert name in COMMANDS, (document.name, words)
        options = {word.partition("=")[0] for word in words[2:] if word.startswith("-")}
        assert options <= options_of(name) | GENERAL, (document.name, words)


def test_the_documents_do_name_commands() -> None:
    told = (words[1:] for path in DOCUMENTS for words in spoken(path.read_text()))
    named = {name_of(words) for words in told if words}
    assert set(COMMANDS) <= named


def sections() -> dict[str, str]:
    parts = re.split(r"^###? ", (ROOT / "docs" / "cli.md").read_text(), flags=re.MULTILINE)
    return {part.splitlines()[0]: part for part in parts[1:]}


def title_of(title: str) -> str:
    return name_of(title.split()[1:]) if title.startswith("dmm ") else ""


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_its_section_with_every_option(name: str) -> None:
    titles = [title for title in sections() if title_of(title) == name]
    assert len(titles) == 1
    described = set(re.findall(r"`(--?[\w-]+)", sections()[titles[0]]))
    # The options that every command has are told once, above their sections.
    general = {"--root", "--json"} if " " in name else {"--root"}
    own = options_of(name) - general - GENERAL
    assert {option for option in own if option.startswith("-")} <= described
    assert described <= options_of(name)


def test_no_section_tells_of_a_command_that_is_gone() -> None:
    told = {title_of(title) for title in sections() if title.startswith("dmm ")}
    assert told == {*COMMANDS, *GROUPS}
    for group in GROUPS:
        assert "`--json`" in sections()[f"dmm {group}"]
    intro = (ROOT / "docs" / "cli.md").read_text().partition("## ")[0]
    assert "`--root PATH`" in intro
    assert "`DMM_ROOT`" in intro


def test_every_exit_status_is_documented() -> None:
    told = set(map(int, re.findall(r"^\| (\d+) \|", sections()["Exit status"], re.MULTILINE)))
    assert told == {0, FINDINGS, BLOCKED, *EXIT_STATUS.values(), INTERRUPTED}


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


def anchors(document: Path) -> set[str]:
    """Name the places of a document as its headings do."""
    titles = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_between_documents_lead_somewhere() -> None:
    documents = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").glob("*.md")]
    links = [
        (document, target, place)
        for document in documents
        for target, place in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", document.read_text())
        if "://" not in target
    ]
    assert any(place for _, _, place in links)
    for document, target, place in links:
        there = document.parent / target if target else document
        assert there.exists(), (document.name, target)
        assert not place or place in anchors(there), (document.name, target, place)


def test_every_path_in_the_architecture_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    names = re.findall(r"`([\w.-]+(?:/[\w.-]+)*/?)`", text)
    paths = {name for name in names if "/" in name or name.endswith((".py", ".md", ".toml"))}
    packages = {one.name for one in (ROOT / "src" / "dmm").iterdir() if one.is_dir()}
    assert len(paths) > 50
    for name in paths - {".dmm/", "service.py"}:
        places = [ROOT / base / name for base in ("src/dmm", ".")]
        assert any(place.exists() for place in places), name
    for name in packages - {"data", "__pycache__"}:
        assert re.search(rf"(?m)^    (?:.*\| )?{name}\b", text), name


def test_every_source_file_that_a_document_names_exists() -> None:
    documents = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").glob("*.md"))]
    # Spans with a space or a wildcard are commands and globs; `src/shop` is of an example.
    folders = "src/dmm|tools|tests|bench|web|examples|docs"
    named = [
        (document.name, name)
        for document in documents
        for name in re.findall(rf"`((?:{folders})/[\w./-]+)`", document.read_text())
    ]
    assert len(named) > 20
    assert [one for one in named if not (ROOT / one[1]).exists()] == []


def test_every_command_of_a_group_that_the_source_names_exists() -> None:
    """The source names commands in hints, rules and templates: `dmm GROUP COMMAND|COMMAND`."""
    groups = "|".join(GROUPS)
    sources = (path for path in (ROOT / "src" / "dmm").rglob("*.*") if path.suffix in TEXTS)
    named = [
        (str(path.relative_to(ROOT)), group, command)
        for path in sources
        for group, commands in re.findall(rf"\bdmm ({groups}) ([a-z][a-z|-]+)", path.read_text())
        for command in commands.split("|")
    ]
    assert len(named) > 100
    assert [one for one in named if one[2] not in GROUPS[one[1]].commands] == []


def test_the_architecture_fits_on_three_pages() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 200


def test_every_word_of_the_glossary_is_defined_once() -> None:
    glossary = (ROOT / "AGENTS.md").read_text().partition("## Glossary")[2].partition("## ")[0]
    words = re.findall(r"^\| ([a-z][a-z, ]+) \|", glossary, re.MULTILINE)[1:]
    assert len(words) >= 30
    assert len(words) == len(set(words))


def test_messages_in_the_troubleshooting_are_those_of_the_program() -> None:
    source = "\n".join(path.read_text() for path in sorted((ROOT / "src").rglob("*.py")))
    known = source.replace("{NAME}", NAME)
    text = (ROOT / "docs" / "troubleshooting.md").read_text()
    quoted = [" ".join(words.split()) for words in re.findall(r'"([^"]+)"', text)]
    headings = re.findall(r'^### "([^"]+)"', text, re.MULTILINE)
    assert len(headings) >= 5
    assert set(headings) <= set(quoted)
    for message in quoted:
        for part in message.split("…"):
            assert part.strip() in known, message


def checks() -> Iterator[tuple[str, str]]:
    """Read the names of the checks and their levels out of the code that makes the findings."""
    yield from ((name, "error") for name in (*get_args(FileFault), "symlink"))
    sources = [Path(str(one.__file__)).read_text() for one in (validation, texts)]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        given = [one.value if isinstance(one, ast.Constant) else None for one in node.args]
        match ast.unparse(node.func):
            case "Finding":
                level, check = given[1:3]
            case "self._warn":
                level, check = "warning", given[1]
            case _:
                continue
        if isinstance(level, str) and isinstance(check, str):
            yield check, level


def test_every_check_is_documented_with_its_level_and_no_other() -> None:
    told = re.findall(r"^\| `(\w+)` \| (\w+) \|", sections()["Checks"], re.MULTILINE)
    assert len(told) == len(set(told))
    assert set(told) == set(checks())


@pytest.mark.parametrize("in_path", [True, False])
def test_the_installation_tells_where_the_command_leads(in_path: bool, tmp_path: Path) -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("there is no make here")
    folder = tmp_path / ".local" / "bin"
    path = f"{folder}:{os.environ['PATH']}" if in_path else os.environ["PATH"]
    told = subprocess.run(
        [make, "--no-print-directory", "--old-file=.venv/run.stamp", "install"],
        cwd=ROOT,
        env=os.environ | {"HOME": str(tmp_path), "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    target = ROOT / ".venv" / "bin"
    assert {link.name: link.readlink() for link in folder.iterdir()} == {
        name: target / name for name in ("dmm", "dmm-hook", "dmm-mcp")
    }
    leads = f"dmm, dmm-hook and dmm-mcp in {folder} now link to {target}"
    assert told[0] == f"{leads}. Do not move this folder."
    lacking = f"{folder} is not on your PATH. Add this to your shell's profile: "
    assert told[1:] == ([] if in_path else [f'{lacking}export PATH="$HOME/.local/bin:$PATH"'])


def test_the_templates_are_valid_without_a_word(tmp_path: Path, model: Embedder) -> None:
    set_up(tmp_path, day=today())
    dmm = open_dmm(override=tmp_path, home=tmp_path / "home", load_model=lambda: model)
    assert dmm.validation.check().findings == ()
