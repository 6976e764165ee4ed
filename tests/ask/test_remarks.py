"""The comment on a definition, in the ways that languages write it."""

from __future__ import annotations

import pytest

from dmm.ask.remarks import find_remark


@pytest.mark.parametrize(
    ("text", "line", "remark"),
    [
        ("/// Sends a letter. Twice.\n#[must_use]\npub fn send() {}", 3, "Sends a letter."),
        ("/**\n * Sends a letter\n * by sea.\n *\n * @param to where\n */\nf()", 7, None),
        ("// Send sends a letter.\nfunc Send() {", 2, "Send sends a letter."),
        ('def send(\n    to: str,\n) -> None:\n    """Send a letter.\n\n    More."""', 1, None),
        ("# eslint-disable-next-line\nf = 1", 2, ""),
        ("#[derive(Debug)]\nstruct Letter;", 2, ""),
        ("a = 1\n\ndef send(): ...", 3, ""),
    ],
)
def test_the_first_sentence_says_what_it_does(text: str, line: int, remark: str | None) -> None:
    expected = {7: "Sends a letter by sea.", 1: "Send a letter."}.get(line, remark)
    assert find_remark(text.split("\n"), line) == expected
