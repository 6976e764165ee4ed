"""The message of a commit is read from wherever the command takes it."""

from __future__ import annotations

import pytest

from dmm.rules.commands.calls import ToolCall, read_call

FILES = {"msg.txt": "Signed by a robot\n", "sub/msg.txt": "Signed by a robot\n"}


def messages(command: str) -> list[tuple[str, str]]:
    facts = read_call(ToolCall("Bash", {"command": command}, "/project"), FILES.get)
    return [(one.kind, one.text) for one in facts.messages]


@pytest.mark.parametrize(
    "command",
    [
        "git commit -F msg.txt",
        "git commit --file=msg.txt",
        "git commit -F - < msg.txt",
        "cd sub && git commit -F msg.txt",
        "echo 'Signed by a robot' > new.txt && git commit -F new.txt",
        "cat > new.txt <<E\nSigned by a robot\nE\ngit commit -F - < new.txt",
        "cat msg.txt | git commit -F -",
    ],
)
def test_a_message_in_a_file_is_read(command: str) -> None:
    assert [(kind, text.strip()) for kind, text in messages(command)] == [
        ("commit", "Signed by a robot")
    ]


@pytest.mark.parametrize(
    "trailer",
    [
        '--trailer "Co-Authored-By: A <a@b.c>"',
        '--trailer="Co-Authored-By: A <a@b.c>"',
        '--trailer "Co-Authored-By=A <a@b.c>"',
    ],
)
def test_a_trailer_belongs_to_the_message(trailer: str) -> None:
    expected = "Fix it\n\nCo-Authored-By: A <a@b.c>"

    assert messages(f"git commit -m 'Fix it' {trailer}") == [("commit", expected)]


def test_the_message_of_a_tag_is_not_its_name() -> None:
    assert messages("git tag -a v1 -m 'First release'") == [("tag", "v1")]
