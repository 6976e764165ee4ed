"""Hostile words in every place where others may write: a table of texts times a table of places."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.conftest import Project, git
from tests.daemon.conftest import Session
from tests.page.agent import send_hooks
from tests.page.world import Sample, reindex, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ELSEWHERE = "http://elsewhere.invalid"
RUN = "window.ran=1;alert(1)"
LONG = 12_000


@dataclass(frozen=True, slots=True)
class Text:
    """A hostile text, and the words of it that a reader must see.

    `plain` is seen wherever the text stands as it is, `read` where it is read as markdown.
    """

    name: str
    text: str
    plain: tuple[str, ...]
    read: tuple[str, ...] = ()

    @property
    def in_markdown(self) -> tuple[str, ...]:
        return self.read or self.plain


def _whole(name: str, text: str, *read: str) -> Text:
    """A text that is seen whole where it stands as it is."""
    return Text(name, text, (text,), read)


TEXTS = (
    _whole("script", f"<script>{RUN}</script>"),
    _whole("script elsewhere", f"<script src={ELSEWHERE}/a.js></script>"),
    _whole("broken image", f'<img src=x onerror="{RUN}">'),
    _whole("image elsewhere", f"<img src={ELSEWHERE}/a.png>"),
    _whole("svg", f'<svg onload="{RUN}"><a href="javascript:{RUN}">x</a></svg>'),
    _whole("frame", f'<iframe srcdoc="<script>parent.ran=1</script>" src={ELSEWHERE}/f></iframe>'),
    _whole("style", f"<style>@import '{ELSEWHERE}/a.css'; main {{ display: none }}</style>"),
    _whole("base", f'<base href="{ELSEWHERE}/"><link rel=prefetch href={ELSEWHERE}/p>'),
    _whole("refresh", f'<meta http-equiv=refresh content="0;url={ELSEWHERE}/r">'),
    _whole(
        "form", f'<form action={ELSEWHERE}/><button autofocus onfocus="{RUN}">go</button></form>'
    ),
    _whole("closing tags", f'</textarea></title></script><b onmouseover="{RUN}">over</b>'),
    Text("entities", "&lt;b&gt; &#x3c;script&#x3e;ran=1&#60;/script&#62;", ("script", "ran=1")),
    _whole("script link", f"[press](javascript:{RUN})"),
    _whole("script autolink", f"<javascript:{RUN}>"),
    _whole("data link", "[press](data:text/html;base64,PHNjcmlwdD5yYW49MTwvc2NyaXB0Pg==)"),
    _whole("image", f"![look]({ELSEWHERE}/i.png)", "look"),
    _whole("nested image", f"[![look]({ELSEWHERE}/j.png)](javascript:ran=1)", "look"),
    _whole("autolink", f"<{ELSEWHERE}/auto>", f"{ELSEWHERE}/auto"),
    Text("bidi", "safe\u202egpj.exe\u2066 end\u2069", ("safe", "202E", "2066", "2069")),
    Text("controls", "bell\x07 escape\x1b[2J back\x08 next\x85", ("bell", "0007", "001B", "0008")),
    Text("invisible", "pass\u200bword \u2060 \U000e0041\U000e0042", ("200B", "2060", "E0041")),
    Text("long word", "W" * LONG, ("W" * 40,)),
    Text("many words", "heavy words " * (LONG // 12), ("heavy words heavy words",)),
    _whole("template", "{{constructor.constructor('ran=1')()}} ${ran=1} <%= ran %>"),
    _whole("reference", "[press][hostile] `<b>` ~~gone~~", "press", "<b>", "gone"),
)
REFERENCE = f"\n\n[hostile]: javascript:{RUN} '{RUN}'"


@dataclass(frozen=True, slots=True)
class Placed:
    """A hostile text in its place, with a mark that is found beside it."""

    place: str
    text: Text
    mark: str


WRITTEN = ("body", "title", "tag", "path")
PLACES = (*WRITTEN, "prompt", "command", "file", "output")


def table() -> Iterator[Placed]:
    """Pair every text with every place: 200 of them."""
    for row, text in enumerate(TEXTS):
        for column, place in enumerate(PLACES):
            yield Placed(place, text, f"hz{row:02d}{column}z")


def build_hostile(folder: Path) -> None:
    """Build a project with all of them: memories as files, prompts and calls as the hook sends."""
    sample = Sample(folder / "hostile")
    project = Project(sample.folder)
    project.memory.mkdir(parents=True)
    git(project.folder, "init", "--quiet")
    told = []
    for number, one in enumerate(table()):
        if one.place in WRITTEN:
            project.write(memory_path(one), _memory(one, number))
        else:
            told.append(_payload(project.folder, one, number))
    reindex(project, folder / "elsewhere")
    with running(folder / "machine") as machine:
        project.trust(machine.home)
        send_hooks(machine, told, project.dmm)
    sample.keep()


def memory_path(one: Placed) -> str:
    """Return the path of the memory that holds a text."""
    named = f" {in_path(one.text)}" if one.place == "path" else ""
    return f"project/hostile/{one.mark}{named}.md"


def in_path(text: Text) -> str:
    """Return a text as it can stand in a name: no slash, nothing invisible, so many bytes."""
    seen = "".join(char for char in text.text if char.isprintable())
    return seen.replace("/", "\N{FRACTION SLASH}").encode()[:150].decode(errors="ignore").strip()


def expected(one: Placed) -> tuple[str, ...]:
    """Return what a reader must see of a text in its place."""
    if one.place == "path":
        return (in_path(one.text)[:60],)
    if one.place == "tag":
        return tuple(part[:40] for part in one.text.plain)
    return one.text.in_markdown if one.place in ("body", "title") else one.text.plain


def session_of(place: str) -> str:
    """Return the session in which the prompts or calls of one kind were made."""
    return f"5b1b6a3e-0000-4000-8000-00000000{PLACES.index(place):04d}"


def _payload(folder: Path, one: Placed, number: int) -> dict[str, Any]:
    said = f"{one.mark} {one.text.text}"
    session = Session(folder, session_of(one.place))
    if one.place == "prompt":
        return session.prompt(said, number)
    call: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": f"cat {one.mark}"}}
    if one.place == "command":
        call = {"tool_name": "Bash", "tool_input": {"command": f"echo '{said}'"}}
    elif one.place == "file":
        call = {"tool_name": "Read", "tool_input": {"file_path": f"/x/{said}"}}
    answer = {"stdout": said, "stderr": "", "interrupted": False}
    identity = f"toolu_{number:020d}"
    return session.payload("PostToolUse", tool_response=answer, tool_use_id=identity, **call)


def _memory(one: Placed, number: int) -> str:
    # A memory has at most 2,000 tokens.
    said = f"{one.mark} {one.text.text[:3_000]}"
    title = said if one.place == "title" else f"{one.mark} hostile"
    tag = said if one.place == "tag" else "hostile"
    body = f"{said}{REFERENCE}" if one.place == "body" else "Plain words."
    fields = {
        "id": f"mem_2026_03_01_{number:03d}",
        "tags": json.dumps([tag[:200]], ensure_ascii=False),
        "scope": "project",
        "priority": "0.5",
        "confidence": "active",
        "status": "active",
        "created": "2026-03-01",
    }
    front = "\n".join(f"{name}: {value}" for name, value in fields.items())
    return f"---\n{front}\n---\n\n# {title}\n\n{body}\n"
