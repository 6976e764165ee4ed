"""What documents tell people to do: a paragraph, the commands below it, and the headings above."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.repo.kinds import LANGUAGES
from dmm.text.prose import strip_emphasis

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Numbered = tuple[int, str]

# A document that needs more is a reference, and nobody reads on to there.
MOST_LINES, MOST_INSTRUCTIONS = 4_000, 400
LONGEST_SAID, LONGEST_LINE, MOST_COMMANDS = 2_000, 1_000, 12
_DOCUMENT = re.compile(r"\.(?:mdx?|rst|adoc|txt|org)$|(?:^|/)(?:README|INSTALL|HACKING)$")
_TITLE = re.compile(r"title:\s*[\"']?(.*?)[\"']?\s*$")
_PAST = re.compile(
    r"(?:^|/)(?:changelog[\w-]*|changes|history|news|releases|release[-_]notes)(?:\.\w+)?$"
    r"|(?:^|/)(?:changelogs?|\.changeset)/",
    re.IGNORECASE,
)
SHELL = "bash"
_PROGRAMS = frozenset(
    (*LANGUAGES.values(), "json", "jsonc", "json5", "html", "css", "diff", "mermaid")
)
# Headings of Markdown and AsciiDoc; others are underlined.
_HEADING = re.compile(r"(#{1,6}|={1,6})\s+(\S.*)$")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#])\1{2,}\s*$")
_FENCE = re.compile(r"\s*(`{3,}(?![^`]*`)|~{3,})\s*\{?\.?([\w+-]*)")
_ASCIIDOC_FENCE = re.compile(r"(-{4,}|\.{4,})()$")
_ITEM = re.compile(r"\A\s*(?:[-*+•>]|\d+[.)]|#\.)\s+(?=\S)")
_STEP = re.compile(r"\s{0,3}(\d{1,2})[.)]\s")
_ROW = re.compile(r"\s*\|.*\|\s*$")
# Lines of markup that say nothing: rules, directives, their options, anchors, tags, imports.
_MARKUP = re.compile(
    r"[\s|:+=-]*$|\s*(?:\.\. [\w-]+::|:[\w-]+:|\.\. _|:::|!!! |\?\?\? |===? [\"']|\[[^\]]*\]$"
    r"|</?[A-Za-z][^>]*>$|<!--.*-->$|import .* from |\[[^\]]*\]: )"
)
_CODE_FOLLOWS = re.compile(
    r"(?!\.\. )\S.*::$|\s*\.\. (?:code|code-block|sourcecode|prompt|console)::\s*([\w+-]*)"
)
_PROMPT = re.compile(r"(?:[$%>]\s+(?=\S)|#\s+(?=[a-z][\w./-]*\s+-\w))")
_COMMENT = re.compile(r"\s*(?:#|//|--|;|REM)\s+(\S.*)$")
_TRAILING = re.compile(r"(?<=\S)\s+#\s+(?=\S)")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_REFERENCE = re.compile(r"`([^`<]+) <[^>]*>`_+")
_CODE_LINK = re.compile(r"\[(`[^`]*`)\](?:\([^)]*\)|\[[^\]]*\])")
_LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|<((?:https?|mailto):[^>]*)>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->|\{#[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Instruction:
    """Something that a repository tells people to do, in words, in commands or in both.

    `headings` are those it stands under, the outermost first. A declared one is a task or a
    setting, and its words explain it.
    """

    path: str
    line: int
    end: int
    headings: tuple[str, ...] = ()
    said: str = ""
    commands: tuple[str, ...] = ()
    is_declared: bool = False
    # Its number where it is one of several steps.
    step: int = 0


def is_guide(path: str) -> bool:
    """Return whether a document tells people something; a list of past changes does not."""
    return _DOCUMENT.search(path) is not None and _PAST.search(path) is None


def is_upper(path: str) -> bool:
    """Return whether a document lies where people look first: at the top, in docs/ or .github/."""
    return "/" not in path.removeprefix(".github/").removeprefix("docs/")


def is_program(language: str) -> bool:
    """Return whether code in a language is no command: a program, or data of one."""
    named = LANGUAGES.get(language.lower(), language.lower())
    return named != SHELL and named in _PROGRAMS


def read_instructions(path: str, lines: Sequence[str]) -> list[Instruction]:
    """Cut a document into what it tells people, in the order of its lines."""
    reader = _Reader(path)
    for number, line in _visible(lines[:MOST_LINES]):
        reader.read(number, line[:LONGEST_LINE].rstrip())
        if len(reader.found) >= MOST_INSTRUCTIONS:
            break
    return sorted(reader.finish(), key=lambda one: one.line)


def _visible(lines: Sequence[str]) -> Iterator[Numbered]:
    """Yield what a reader of a page sees, with line numbers: its title, and no other metadata."""
    begins = 0
    if lines and lines[0].rstrip() == "---":
        ends = (at for at, line in enumerate(lines[1:], 2) if line.rstrip() == "---")
        begins = next(ends, 0)
    for number, line in enumerate(lines[:begins], 1):
        if titled := _TITLE.match(line):
            yield number, f"# {titled[1]}"
    is_hidden = False
    for number, line in enumerate(lines[begins:], begins + 1):
        before, opened, rest = line.partition("<!--")
        if is_hidden:
            is_hidden = "-->" not in line
        elif opened and "-->" not in rest:
            is_hidden = True
            yield number, before
        else:
            yield number, line


@dataclass(slots=True)
class _Reader:
    """Reads a document line by line; Markdown, reStructuredText and AsciiDoc alike."""

    path: str
    found: list[Instruction] = field(default_factory=list)
    _headings: dict[int, str] = field(default_factory=dict)
    _underlines: list[str] = field(default_factory=list)
    # A paragraph that is being read, and the last one, which a block of code may follow.
    _said: list[Numbered] = field(default_factory=list)
    _lead: Instruction | None = None
    _code: list[Numbered] = field(default_factory=list)
    _fence: str = ""
    _is_indented: bool = False
    _is_in_list: bool = False
    _is_program: bool = False

    def read(self, number: int, line: str) -> None:
        """Take in one line."""
        if self._fence:
            self._read_fenced(number, line)
        elif fence := self._find_fence(line):
            self._end_code()
            self._end_paragraph()
            self._fence, self._is_program = fence[1], is_program(fence[2])
        elif self._is_indented and (not line or line[0] in " \t"):
            if line and not _MARKUP.match(line):
                self._code.append((number, line))
        elif line.startswith(("    ", "\t")) and not (self._said or self._is_in_list):
            self._is_indented = True
            self._code.append((number, line))
        else:
            self._end_code()
            self._read_prose(number, line)

    def _find_fence(self, line: str) -> re.Match[str] | None:
        if self.path.endswith((".adoc", ".asciidoc")) and not self._is_underline(line):
            return _FENCE.match(line) or _ASCIIDOC_FENCE.match(line)
        return _FENCE.match(line)

    def finish(self) -> list[Instruction]:
        """Return all that was read."""
        self._end_code()
        self._end_paragraph()
        self._end_lead()
        return self.found[:MOST_INSTRUCTIONS]

    def _read_fenced(self, number: int, line: str) -> None:
        bare = line.strip()
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            self._fence = ""
            self._end_code()
        else:
            self._code.append((number, line))

    def _read_prose(self, number: int, line: str) -> None:
        if headed := _HEADING.match(line):
            self._end_paragraph()
            self._begin_section(len(headed[1]), headed[2].rstrip("# "))
        elif self._is_underline(line):
            if line[0] not in self._underlines:
                self._underlines.append(line[0])
            ((_, title),) = self._said
            self._said = []
            self._begin_section(self._underlines.index(line[0]) + 1, title)
        elif _MARKUP.match(line):
            self._end_paragraph()
        else:
            if _ITEM.match(line) or _ROW.match(line):
                self._end_paragraph()
            self._said.append((number, line))
        if follows := _CODE_FOLLOWS.match(line):
            self._end_paragraph()
            self._is_indented, self._is_program = True, is_program(follows[1] or "")

    def _is_underline(self, line: str) -> bool:
        if len(self._said) != 1 or not _UNDERLINE.match(line):
            return False
        title = self._said[0][1].strip()
        return len(line) >= min(len(title), 3) and not _ITEM.match(title)

    def _begin_section(self, level: int, title: str) -> None:
        self._end_lead()
        self._is_in_list = False
        above = {at: one for at, one in self._headings.items() if at < level}
        self._headings = above | {level: _plain(title)}

    def _end_paragraph(self) -> None:
        said = _plain(" ".join(line for _, line in self._said)[:LONGEST_SAID])
        if any(char.isalpha() for char in said):
            self._end_lead()
            (first, line), (last, _) = self._said[0], self._said[-1]
            number = _STEP.match(line)
            step = int(number[1]) if number else 0
            # What is indented below an item belongs to the list.
            self._is_in_list = _ITEM.match(line) is not None or (
                self._is_in_list and line[:1] in " \t"
            )
            self._lead = Instruction(self.path, first, last, self._titles(), said, step=step)
        self._said = []

    def _end_lead(self) -> None:
        if self._lead is not None:
            self.found.append(self._lead)
        self._lead = None

    def _end_code(self) -> None:
        """Take in a block of code; what a comment explains in it stands for itself."""
        code = [] if self._is_program else self._code
        self._code, self._is_indented, self._is_program = [], False, False
        parts = list(_split_code(code))
        plain = [one for said, commands in parts if not said for _, one in commands]
        if plain:
            first = next(commands[0][0] for said, commands in parts if not said)
            lead = self._lead or Instruction(self.path, first, first, self._titles())
            commands = (*lead.commands, *plain)[:MOST_COMMANDS]
            self._lead = replace(lead, commands=commands, end=code[-1][0])
        for said, told in parts:
            if said:
                first, last = told[0][0], told[-1][0]
                commands = tuple(one for _, one in told)[:MOST_COMMANDS]
                words = said[:LONGEST_SAID]
                self.found.append(
                    Instruction(self.path, first, last, self._titles(), words, commands)
                )

    def _titles(self) -> tuple[str, ...]:
        return tuple(self._headings[level] for level in sorted(self._headings))


def _split_code(code: Sequence[Numbered]) -> Iterator[tuple[str, list[Numbered]]]:
    """Yield the commands of a block, those that a comment explains apart from the others."""
    said: list[str] = []
    commands: list[Numbered] = []
    is_session = any(line.lstrip().startswith("$ ") for _, line in code)
    for number, line in code:
        bare = line.strip()
        if commands and commands[-1][1].endswith("\\"):
            # A command goes on in the next line.
            first, begun = commands[-1]
            commands[-1] = (first, f"{begun[:-1].rstrip()} {bare}"[:LONGEST_LINE])
            continue
        comment = None if _PROMPT.match(bare) else _COMMENT.match(line)
        command, beside = _split_comment(_PROMPT.sub("", bare, count=1))
        # A comment, an empty line below commented commands, and a command with its own comment end
        # what came before.
        if commands and (comment or beside or (said and not bare)):
            yield " ".join(said), commands
            said, commands = [], []
        if comment:
            said.append(comment[1])
        elif beside:
            yield beside, [(number, command)]
            said = []
        elif bare and (not is_session or _PROMPT.match(bare)):
            # Beside prompts, lines without one are what is printed.
            commands.append((number, command))
    if commands:
        yield " ".join(said), commands


def _split_comment(command: str) -> tuple[str, str]:
    """Cut the comment off a command; a mark in quotes begins none."""
    before, *beside = _TRAILING.split(command, maxsplit=1)
    is_quoted = any(before.count(mark) % 2 for mark in "\"'")
    return (command, "") if is_quoted or not beside else (before, beside[0])


def _plain(text: str) -> str:
    """Return the words of a paragraph, without links, tags and emphasis; code stays in ticks."""
    is_row = _ROW.match(text)
    said = _REFERENCE.sub(r"\1", _ITEM.sub("", text.strip(), count=1)).replace("``", "`")
    parts = re.split(r"(`[^`]*`)", _CODE_LINK.sub(r"\1", said))
    parts = [one if one.startswith("`") else _unmark(one) for one in parts]
    told = strip_emphasis("".join(parts))
    return " ".join((told.replace("|", " ") if is_row else told).split())


def _unmark(text: str) -> str:
    said = _LINK.sub(lambda one: one[1] or one[2] or "", _IMAGE.sub("", text))
    return _TAG.sub(" ", said)
