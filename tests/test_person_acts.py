"""Nothing that only a person does is offered anywhere without being asked for."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from tests.person_acts import (
    CHECKS,
    ELSEWHERE,
    FREE_COMMANDS,
    FREE_GROUPS,
    FREE_LEDGER,
    LINES,
    ROUTES,
)

from dmm.cli.commands import make_app
from dmm.passkeys.acts import PAGE, TERMINAL, PersonAct

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCE = REPOSITORY / "src" / "dmm"
WEB = REPOSITORY / "web" / "src"
SURFACES = ("cli", "daemon", "hook", "http", "mcp", "mcp_stdio", "pump", "server")


def test_each_act_is_tried_on_every_surface_that_offers_it() -> None:
    assert {one for one in PersonAct if set(TERMINAL) & set(one.offered)} == set(LINES)
    assert {one for one in PersonAct if set(PAGE) & set(one.offered)} == set(ROUTES)


def test_every_command_is_a_person_s_or_known_to_need_none() -> None:
    deciding = {_command(line) for lines in LINES.values() for line in lines}
    free = FREE_COMMANDS | {f"ledger {one}" for one in FREE_LEDGER}
    known = {one for one in _commands() if one.partition(" ")[0] not in FREE_GROUPS}
    assert known == deciding | free
    assert not deciding & free


def _command(line: str) -> str:
    words = line.split()
    grouped = words[0] in ("review", "rules", "ledger", "conflicts", "team")
    return " ".join(words[: 2 if grouped else 1])


def _commands() -> Iterator[str]:
    """List every command, those in groups with the name of their group."""
    found: Any = typer.main.get_command(make_app())
    for name, one in found.commands.items():
        inner = getattr(one, "commands", None)
        yield from [name] if inner is None else (f"{name} {word}" for word in inner)


def test_every_act_of_the_page_is_one_that_is_asked_for() -> None:
    told = (WEB / "proof.ts").read_text()
    [union] = re.findall(r"export type Action = ([^;]+);", told)
    assert set(re.findall(r'"(\w+)"', union)) <= {str(one) for one in ROUTES}
    deciding = [_pattern(route) for route, _ in ROUTES.values() if route.startswith("POST ")]
    sent = re.compile(r'request(?:<[^(]*>)?\(\s*[`"]([^`"]+)[`"], \{[^}]*body')
    for file in WEB.rglob("*.ts*"):
        for path in sent.findall(file.read_text()):
            address = re.sub(r"\$\{[^}]*\}", "x", path)
            assert not any(one.fullmatch(address) for one in deciding), (file.name, path)


def _pattern(route: str) -> re.Pattern[str]:
    path = route.partition(" ")[2]
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))


def test_every_place_that_asks_whether_a_person_speaks_belongs_to_an_act() -> None:
    """A service that begins to tell persons from agents has to say for which act."""
    assert set(_checks()) == set(CHECKS)
    assert {act for acts in CHECKS.values() for act in acts} | ELSEWHERE == set(PersonAct)


def _checks() -> Iterator[str]:
    for file in sorted(SOURCE.rglob("*.py")):
        place, text = file.relative_to(SOURCE), file.read_text()
        # A file without the word has no such place; to parse them all takes seconds.
        if place.parts[0] not in SURFACES and "actor" in text:
            for name, function in _functions(ast.parse(text)):
                if any(map(_compares_speaker, ast.walk(function))):
                    yield f"{place.with_suffix('').as_posix()}:{name}"


def _functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{within}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{node.name}.")


def _compares_speaker(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare):
        return False
    names = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    names |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return "actor" in names and bool(names & {"PERSONS", "USER", "REVIEWED"})
