"""The comment on a definition, in the ways that languages write it."""

from __future__ import annotations

import pytest

from dmm.repo.remarks import find_remark


@pytest.mark.parametrize(
    ("path", "text", "line", "remark"),
    [
        ("a.rs", "/// Sends a letter. Twice.\n#[must_use]\npub fn send() {}", 3, "Sends a letter."),
        (
            "a.ts",
            "/**\n * Sends a letter\n * by sea.\n *\n * @param to where\n */\nf()",
            7,
            "Sends a letter by sea.",
        ),
        ("a.go", "// Send sends a letter.\nfunc Send() {", 2, "Send sends a letter."),
        (
            "a.py",
            'def send(\n    to: str,\n) -> None:\n    """Send a letter.\n\n    More."""',
            1,
            "Send a letter.",
        ),
        ("a.py", "# eslint-disable-next-line\nf = 1", 2, ""),
        ("a.rs", "#[derive(Debug)]\nstruct Letter;", 2, ""),
        ("a.c", "#define LETTER a letter\nvoid send(void) {}", 2, ""),
        ("a.cs", "#region Letters and parcels\nclass Letter {}", 2, ""),
        ("a.rb", "# Sends a letter.\ndef send", 2, "Sends a letter."),
        ("a.py", "a = 1\n\ndef send(): ...", 3, ""),
    ],
)
def test_the_first_sentence_says_what_it_does(path: str, text: str, line: int, remark: str) -> None:
    lines = text.split("\n")
    assert find_remark(lines, line, len(lines), path) == remark


def test_the_text_of_another_definition_says_nothing() -> None:
    text = 'LIMIT = 3\n\n\ndef send():\n    """Send a letter."""\n'
    assert find_remark(text.split("\n"), 1, 1, "a.py") == ""
    assert find_remark(text.split("\n"), 4, 5, "a.py") == "Send a letter."


def test_only_python_has_documentation_strings() -> None:
    text = 'fun label() {\n  case:\n    """Plain text here."""\n}\n'
    assert find_remark(text.split("\n"), 1, 4, "a.kt") == ""


@pytest.mark.parametrize(
    ("comment", "remark"),
    [
        ("https://quay.example/tides?x=1", ""),
        ("Keeps {@link Berth} and its tides.", "Keeps Berth and its tides."),
        ("The <i>high</i> tide of a List<Berth>.", "The high tide of a List<Berth>."),
    ],
)
def test_an_address_says_nothing_and_markup_is_left_out(comment: str, remark: str) -> None:
    assert find_remark([f"// {comment}", "class Tide {}"], 2, 2, "A.java") == remark
