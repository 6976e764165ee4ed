"""What documents tell people to do: words, commands and headings of three kinds of markup."""

from __future__ import annotations

import pytest

from dmm.ask.guides import MOST_INSTRUCTIONS, MOST_LINES, Instruction, is_guide, read_instructions


def read(
    text: str, path: str = "README.md"
) -> list[tuple[tuple[str, ...], str, tuple[str, ...], int]]:
    """Read a document as headings, words, commands and first lines."""
    found = read_instructions(path, text.split("\n"))
    return [(one.headings, one.said, one.commands, one.line) for one in found]


def test_a_block_of_code_belongs_to_the_paragraph_above_it() -> None:
    text = (
        "# Harbour\n\n## Testing\n\nRun all tests:\n\n```sh\n$ make test\n```\n\n"
        "They take a while.\n"
    )
    assert read(text) == [
        (("Harbour", "Testing"), "Run all tests:", ("make test",), 5),
        (("Harbour", "Testing"), "They take a while.", (), 11),
    ]


def test_a_heading_ends_the_one_of_its_level_and_those_below() -> None:
    text = "# A\n\n## B\n\n### C\n\nOne.\n\n## D\n\nTwo.\n"
    assert [headings for headings, *_ in read(text)] == [("A", "B", "C"), ("A", "D")]


def test_commands_that_a_comment_explains_stand_for_themselves() -> None:
    text = (
        "## Tests\n\nThe commands:\n\n```\n# Run the unit tests\nmake unit\n\n# Run one\n"
        "make unit ONE=tide\nmake lint  # check the style\nmake all\n```\n"
    )
    assert [(said, commands, line) for _, said, commands, line in read(text)] == [
        ("The commands:", ("make all",), 3),
        ("Run the unit tests", ("make unit",), 7),
        ("Run one", ("make unit ONE=tide",), 10),
        ("check the style", ("make lint",), 11),
    ]


def test_items_of_a_list_and_rows_of_a_table_are_told_apart() -> None:
    text = (
        "- Run `make test`.\n- Read [the guide](docs/guide.md)\n  before that.\n\n"
        "| Command | Does |\n|---|---|\n| `make lint` | checks the style |\n"
    )
    assert [said for _, said, *_ in read(text)] == [
        "Run `make test`.",
        "Read the guide before that.",
        "Command Does",
        "`make lint` checks the style",
    ]


def test_restructuredtext_and_asciidoc_are_read_too() -> None:
    text = (
        "Harbour\n=======\n\nTesting\n-------\n\n"
        "Run the tests::\n\n    make test\n    make lint\n\n"
        "See `the guide <https://docs.example.com>`_.\n\n.. code-block:: sh\n   :linenos:\n\n"
        "   make guide\n\nLast\n----\n\nDone.\n"
    )
    assert read(text) == [
        (("Harbour", "Testing"), "Run the tests::", ("make test", "make lint"), 7),
        (("Harbour", "Testing"), "See the guide.", ("make guide",), 12),
        (("Harbour", "Last"), "Done.", (), 22),
    ]
    adoc = "= Harbour\n\n== Testing\n\nRun the tests:\n\n----\nmake test\n----\n"
    assert read(adoc, "README.adoc") == [
        (("Harbour", "Testing"), "Run the tests:", ("make test",), 5)
    ]


def test_markup_that_says_nothing_is_left_out() -> None:
    text = "<!-- a comment -->\n<p align='center'>\n\n---\n\n:::note\n\n[guide]: https://x.example.com\n"
    assert read(text) == []


def test_marks_of_links_pictures_and_emphasis_are_left_out() -> None:
    text = (
        "[![Build](https://x.example.com/b.svg)](https://x.example.com) It must **all** *be*"
        " built_here - see <https://x.example.com>.\n"
    )
    assert read(text)[0][1] == "It must all be built_here - see https://x.example.com."


def test_programs_and_data_are_no_commands_and_a_backslash_continues_one() -> None:
    text = (
        "Call it:\n\n```python\nharbour.plan()\n```\n\nStart it:\n\n```console\n"
        "$ docker run \\\n    harbour\n$ docker ps\n```\n\nSet:\n\n```yaml\nport: 80\n```\n"
    )
    assert [(said, commands) for _, said, commands, _ in read(text)] == [
        ("Call it:", ()),
        ("Start it:", ("docker run harbour", "docker ps")),
        ("Set:", ("port: 80",)),
    ]


def test_code_without_words_stands_under_its_heading() -> None:
    assert read("## Install\n\n```\npip install harbour\n") == [
        (("Install",), "", ("pip install harbour",), 4)
    ]


def test_a_document_without_end_is_read_to_a_limit() -> None:
    lines = ["- One of many items."] * (MOST_INSTRUCTIONS + 10)
    assert len(read_instructions("README.md", lines)) == MOST_INSTRUCTIONS
    blank = [""] * MOST_LINES
    assert read_instructions("README.md", [*blank, "Too late."]) == []


def test_a_rule_below_more_than_a_title_or_alone_begins_no_code() -> None:
    text = "One line.\nAnother line.\n----\nWords.\n\n-----\n\nMore ``code`` here.\n"
    assert [(said, commands) for _, said, commands, _ in read(text)] == [
        ("One line. Another line.", ()),
        ("Words.", ()),
        ("More `code` here.", ()),
    ]


def test_code_in_ticks_keeps_what_looks_like_markup() -> None:
    text = (
        "Run `git checkout <branch>` then `curl x | bash` in **every** <b>case</b>"
        " of [`a[0]`](b.md), [`c`](d.md) and [the rest][e].\n"
    )
    assert read(text)[0][1] == (
        "Run `git checkout <branch>` then `curl x | bash` in every case"
        " of `a[0]`, `c` and the rest."
    )


def test_beside_prompts_what_is_printed_is_no_command() -> None:
    text = "Test it:\n\n```\n$ make test\nOK 12 passed\n$ git commit -m 'Fix # 12'\n```\n"
    assert read(text)[0][2] == ("make test", "git commit -m 'Fix # 12'")


def test_of_metadata_the_title_is_read_and_hidden_text_is_not() -> None:
    text = (
        "---\ntitle: 'Testing'\nweight: 3\n---\n\nRun it.\n\n"
        "<!-- Run\n\n- something else\n\n-->\n\nThen stop.\n"
    )
    assert read(text) == [
        (("Testing",), "Run it.", (), 6),
        (("Testing",), "Then stop.", (), 14),
    ]
    assert read("---\nno end\n")[0][1] == "no end"


def test_indented_code_is_read_and_what_is_indented_in_a_list_is_prose() -> None:
    text = "Run the tests:\n\n    make test\n    make lint\n\n- One item\n\n    goes on.\n"
    assert [(said, commands) for _, said, commands, _ in read(text)] == [
        ("Run the tests:", ("make test", "make lint")),
        ("One item", ()),
        ("goes on.", ()),
    ]


def test_a_directive_without_code_is_no_block_of_code() -> None:
    text = ".. note::\n\n   Take care of it.\n\n.. toctree::\n\n   intro\n"
    assert all(not commands for _, _, commands, _ in read(text, "docs/guide.rst"))


@pytest.mark.parametrize(
    ("path", "tells"),
    [
        ("README.md", True),
        ("docs/release-management.md", True),
        ("INSTALL", True),
        ("CHANGELOG.md", False),
        ("docs/changelogs/2.0.md", False),
        ("src/harbour.py", False),
    ],
)
def test_a_list_of_past_changes_tells_nobody_what_to_do(path: str, tells: bool) -> None:
    assert is_guide(path) is tells


def test_hostile_lines_are_read_in_time() -> None:
    for line in (
        "`" * 50_000,
        "[" * 50_000,
        "<" * 50_000,
        "*" * 50_000,
        "# " * 25_000,
        "| " * 9_999,
    ):
        found = read_instructions("README.md", [line, "Words at the end."])
        assert all(isinstance(one, Instruction) for one in found)
