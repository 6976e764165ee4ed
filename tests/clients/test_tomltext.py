"""TOML edited in place."""

from __future__ import annotations

import tomllib

import pytest

from dmm.clients import tomltext

TRAIL = ("mcp_servers", "dmm")
VALUES = {"command": "python", "args": ["-I", 'a "quoted" path']}
MINE = """\
# mine
model = "x" # the best

[mcp_servers.other]
command = "true"   # mine too
"""
BLOCK = """
# >>> dmm (written by dmm install)
[mcp_servers.dmm]
command = "python"
args = ["-I", "a \\"quoted\\" path"]
# <<< dmm
"""


def test_a_table_is_added_at_the_end_and_taken_out_without_a_trace() -> None:
    added = tomltext.put(MINE, TRAIL, VALUES)
    assert added == MINE + BLOCK
    assert tomllib.loads(added)["mcp_servers"]["dmm"] == VALUES
    assert tomltext.drop(added, TRAIL) == MINE


def test_a_table_can_be_all_there_is() -> None:
    added = tomltext.put("", TRAIL, VALUES)
    assert added == BLOCK.lstrip("\n")
    assert tomltext.drop(added, TRAIL) == ""


def test_an_older_table_is_replaced() -> None:
    older = tomltext.put(MINE, TRAIL, {"command": "old"})
    assert tomltext.put(older, TRAIL, VALUES) == MINE + BLOCK


def test_tables_that_a_client_put_between_the_marks_stay() -> None:
    theirs = '\n[projects."/srv/shop"]\ntrust_level = "trusted"\n'
    added = tomltext.put(MINE, TRAIL, VALUES)
    written = added.replace("# <<< dmm\n", theirs + "# <<< dmm\n")
    assert written != added
    left = tomltext.drop(written, TRAIL)
    assert left == MINE + theirs
    assert tomltext.put(written, TRAIL, VALUES) == MINE + theirs + BLOCK
    # One that stands before ours, and one that was put into ours, are told apart too.
    between = added.replace(
        "[mcp_servers.dmm]", '[a]\nb = 1\n[mcp_servers.dmm.env]\nX = "1"\n[mcp_servers.dmm]'
    )
    assert tomltext.drop(between, TRAIL) == MINE + "\n[a]\nb = 1\n"


def test_a_table_without_its_marks_is_still_found() -> None:
    rewritten = (
        'model = "x"\n\n[mcp_servers.dmm]\ncommand = "python"\n\n[mcp_servers.dmm.env]\nA = "1"\n\n'
        '[mcp_servers.other]\ncommand = "true"\n'
    )
    left = tomltext.drop(rewritten, TRAIL)
    assert left == 'model = "x"\n\n[mcp_servers.other]\ncommand = "true"\n'


@pytest.mark.parametrize(
    "text",
    ['a = "b"', 'a = "b"\n', 'a = "b"\n\n', 'a = "b"\r\n', '[x]\r\na = "b"', "", "\n", "# x"],
)
def test_the_file_is_afterwards_as_it_was_to_the_byte(text: str) -> None:
    added = tomltext.put(text, TRAIL, VALUES)
    assert tomllib.loads(added)["mcp_servers"]["dmm"] == VALUES
    assert ("\r\n" in text) == ("\r\n" in added)
    assert "\r\n" not in text or added.count("\n") == added.count("\r\n")
    assert tomltext.put(added, TRAIL, VALUES) == added
    assert tomltext.drop(added, TRAIL) == text


def test_what_was_written_below_our_table_stays_on_lines_of_its_own() -> None:
    added = tomltext.put('a = "b"', TRAIL, VALUES) + '[later]\nc = "d"\n'
    assert tomltext.drop(added, TRAIL) == 'a = "b"\n[later]\nc = "d"\n'


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { dmm = { command = "dmm-mcp" } }\n',
        '[mcp_servers]\ndmm.command = "dmm-mcp"\n',
    ],
)
def test_a_way_of_writing_that_is_not_understood_is_left_alone(text: str) -> None:
    with pytest.raises(ValueError, match="can't change safely"):
        tomltext.drop(text, TRAIL)


def test_an_inline_table_of_servers_is_left_alone() -> None:
    with pytest.raises(ValueError, match="can't change safely"):
        tomltext.put('mcp_servers = { other = { command = "x" } }\n', TRAIL, VALUES)


def test_a_header_in_a_text_of_several_lines_is_no_header() -> None:
    text = 'note = """\n[mcp_servers.dmm]\n"""\n'
    assert tomltext.drop(tomltext.put(text, TRAIL, VALUES), TRAIL) == text


def test_an_empty_table_around_ours_stays() -> None:
    text = "[mcp_servers]\n"
    assert tomltext.drop(tomltext.put(text, TRAIL, VALUES), TRAIL) == text
