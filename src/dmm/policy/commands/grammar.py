"""The shell grammar: one text read into commands, with their pipelines, blocks and subshells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dmm.policy.commands.scanner import MAX_NESTING, Parts, WordScanner
from dmm.policy.commands.values import Place, Redirection, Span, Word

_BLANKS = re.compile(r"(?:[ \t\r]|\\\n)+")
_REDIRECTION = re.compile(
    r"(?:\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\())|(&>>|&>)", re.ASCII
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)(?:\[[^\]]*\])?(\+?)=", re.ASCII)
_ARITHMETIC = re.compile(r"\(\((?:[^()`;$]|\$(?!\()|\((?!\()[^()`]*\))*\)\)")
_LOOP_ARITHMETIC = re.compile(r"\(\((?:[^()`$]|\$(?!\()|\((?!\()[^()`]*\))*\)\)")
_FUNCTION = re.compile(r"\([ \t]*\)")
_STOPS = "\n;&|()<>"
_OPENERS = frozenset({"if", "while", "until", "{"})
_CLOSERS = frozenset({"fi", "done", "}"})
_SILENT = frozenset({"do", "then", "else", "elif", "!"})
_KEYWORDS = _OPENERS | _CLOSERS | _SILENT | {"for", "select", "case", "esac", "function", "[["}


@dataclass(slots=True)
class Draft:
    """A command as written, before variables are looked up and wrappers are opened."""

    number: int
    start: int
    end: int
    parent: int | None
    subshell: int
    substituted: bool
    words: list[Word] = field(default_factory=list)
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    background: bool = False
    after: int | None = None
    loop: str | None = None


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text whose commands run inside a word of the draft `parent`: the content of backticks."""

    text: str
    span: Span
    parent: int | None


@dataclass(slots=True)
class _Level:
    """What one list of commands remembers while it is read."""

    pipeline: int
    stage: int
    subshell: int
    blocks: list[tuple[int, int, int]] = field(default_factory=list)
    closed: int | None = None
    cases: int = 0
    pattern: bool = False
    base: int | None = None
    last: int | None = None
    tested: int | None = None


class Grammar(WordScanner):
    """Reads a whole shell text; the drafts stand in the order of the text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.drafts: list[Draft] = []
        self.embedded: list[Embedded] = []
        self.subshells: list[int] = [0]
        self._pipelines = 0
        self._current: int | None = None
        self._substituted = False
        self._pending: list[tuple[Draft, int]] = []
        self._level = _Level(0, 0, 0)

    def read(self) -> None:
        """Read the text to its end; a stray closing parenthesis is stepped over."""
        while self.pos < self.end:
            self._list(closes=False)
        if self._pending:
            self.malformed = True

    def substitute(self) -> None:
        """Read the commands of `$(…)`, `<(…)` or `>(…)` in place; skip plain arithmetic."""
        arithmetic = _ARITHMETIC.match(self.text, self.pos - 1, self.end)
        if arithmetic:
            self.pos = arithmetic.end()
            return
        current, substituted = self._current, self._substituted
        self._substituted = True
        self._nested_list(fresh=True)
        self._current, self._substituted = current, substituted

    def embed(self, text: str, start: int, end: int) -> None:
        """Keep the content of backticks; it is read later as a text of its own."""
        self.embedded.append(Embedded(text, (start, end), self._current))

    def _nested_list(self, *, fresh: bool) -> None:
        outer = self._level
        self.subshells.append(outer.subshell)
        if fresh:
            self._pipelines += 1
        pipeline, stage = (self._pipelines, 0) if fresh else (outer.pipeline, outer.stage)
        last = outer.last
        inner = _Level(pipeline, stage, len(self.subshells) - 1, base=last, last=last)
        self._level = inner
        self._list(closes=True)
        self._level = outer
        if not fresh:
            outer.last = inner.last

    def _list(self, *, closes: bool) -> None:
        while True:
            self._skip_blanks()
            if self.pos >= self.end:
                self.malformed = self.malformed or closes or bool(self._level.cases)
                return
            character = self.text[self.pos]
            if self._level.pattern and character not in "\n":
                self._case_pattern()
            elif character == ")":
                self.pos += 1
                if closes:
                    return
                self.malformed = True
            elif character in "\n;&|":
                self._operator(character)
            elif character == "(":
                self._subshell()
            else:
                self._command()

    def _skip_blanks(self) -> None:
        blanks = _BLANKS.match(self.text, self.pos, self.end)
        if blanks:
            self.pos = blanks.end()
        if self.pos < self.end and self.text[self.pos] == "#":
            newline = self.text.find("\n", self.pos, self.end)
            self.pos = self.end if newline < 0 else newline

    def _operator(self, character: str) -> None:
        level = self._level
        redirected = character == "&" and _REDIRECTION.match(self.text, self.pos, self.end)
        if redirected:
            self._command()
            return
        pair = self.text[self.pos : min(self.pos + 2, self.end)]
        self.pos += 2 if pair in ("&&", "||", ";;", "|&", ";&") else 1
        if character == "\n":
            self._read_here_documents()
        if pair in (";;", ";&"):
            level.pattern = level.cases > 0
            self.pos += self.text.startswith("&", self.pos)
        if character == "|" and pair != "||":
            self._pipe()
            return
        if character == "&" and pair != "&&":
            self._mark_background()
        if pair != "&&":
            level.tested, level.last = level.last, level.base
        self._pipelines += 1
        level.pipeline, level.stage, level.closed = self._pipelines, 0, None

    def _pipe(self) -> None:
        level = self._level
        if level.closed is not None:
            for draft in self.drafts[level.closed :]:
                place = (level.pipeline, level.stage)
                if place not in draft.places:
                    draft.places.append(place)
        level.stage += 1
        level.closed = None

    def _mark_background(self) -> None:
        for draft in reversed(self.drafts):
            if not any(place[0] == self._level.pipeline for place in draft.places):
                return
            draft.background = True

    def _subshell(self) -> None:
        arithmetic = _ARITHMETIC.match(self.text, self.pos, self.end)
        if arithmetic:
            self.pos = arithmetic.end()
            return
        if self.nesting >= MAX_NESTING:
            self.malformed = True
            self.pos = self.end
            return
        first = len(self.drafts)
        self.nesting += 1
        self.pos += 1
        self._nested_list(fresh=False)
        self.nesting -= 1
        self._level.closed = first

    def _open(self) -> Draft:
        level = self._level
        draft = Draft(
            len(self.drafts), self.pos, self.pos, self._current, level.subshell, self._substituted
        )
        draft.places.append((level.pipeline, level.stage))
        draft.after, level.last = level.last, draft.number
        self.drafts.append(draft)
        return draft

    def _command(self) -> None:
        outer = self._current
        draft = self._open()
        self._current = draft.number
        while self._part(draft):
            draft.end = self.pos
            self._skip_blanks()
            if self.pos >= self.end:
                break
        self._current = outer

    def _part(self, draft: Draft) -> bool:
        """Read the next word or redirection of a command; false where the command ends."""
        redirection = _REDIRECTION.match(self.text, self.pos, self.end)
        if redirection:
            self._redirect(draft, redirection)
            return True
        character = self.text[self.pos]
        if character in "\n;&|)":
            return False
        if character == "(":
            return self._function_or_list(draft)
        word = self.scan_word()
        if not draft.words:
            assigned = None if word.quoted and word.text[:1] == "'" else self._assigned(word)
            if assigned:
                draft.assignments.append(assigned)
                return True
            if not word.quoted and not word.expands and word.text in _KEYWORDS:
                return self._keyword(word.text, draft)
        draft.words.append(word)
        return True

    def _assigned(self, word: Word) -> tuple[str, Word] | None:
        if not _ASSIGNMENT.match(self.text, word.start, word.end):
            return None
        name, _, value = word.text.partition("=")
        return name.rstrip("+"), Word(value, word.start, word.end, word.expands, word.quoted)

    def _function_or_list(self, draft: Draft) -> bool:
        """After a name, `()` declares a function, whose body is read as commands; else end."""
        declared = _FUNCTION.match(self.text, self.pos, self.end)
        if len(draft.words) == 1 and declared:
            self.pos = declared.end()
            draft.words.clear()
            return True
        if draft.words or draft.assignments:
            self.malformed = True
        return False

    def _keyword(self, keyword: str, draft: Draft) -> bool:
        level = self._level
        draft.after = level.tested if keyword == "then" else draft.after
        if keyword in _OPENERS:
            level.blocks.append((draft.number, level.pipeline, level.stage))
        elif keyword in _CLOSERS:
            self._close_block()
        elif keyword in ("for", "select"):
            level.blocks.append((draft.number, level.pipeline, level.stage))
            self._loop_header(draft)
        elif keyword == "case":
            self._case_header()
            return False
        elif keyword == "esac":
            level.cases = max(0, level.cases - 1)
        elif keyword == "function":
            self._function_name(draft)
        elif keyword == "[[":
            self._condition()
        return True

    def _function_name(self, draft: Draft) -> None:
        self._skip_blanks()
        if self.pos >= self.end or self.text[self.pos] in _STOPS:
            return
        name = self.scan_word()
        self._skip_blanks()
        if self.text.startswith("(", self.pos):
            draft.words.append(name)

    def _close_block(self) -> None:
        level = self._level
        if level.blocks:
            level.closed, level.pipeline, level.stage = level.blocks.pop()

    def _loop_header(self, draft: Draft) -> None:
        self._skip_blanks()
        arithmetic = _LOOP_ARITHMETIC.match(self.text, self.pos, self.end)
        if arithmetic or self.pos >= self.end or self.text[self.pos] in _STOPS:
            self.pos = arithmetic.end() if arithmetic else self.pos
            return
        name = self.scan_word().text
        self._skip_blanks()
        words = self._plain_words()
        if words and words[0].text == "in":
            draft.loop = name
            draft.words.extend(words[1:])

    def _plain_words(self) -> list[Word]:
        words = []
        while self.pos < self.end and self.text[self.pos] not in _STOPS:
            words.append(self.scan_word())
            self._skip_blanks()
        return words

    def _case_header(self) -> None:
        for _ in range(2):
            self._skip_blanks()
            if self.pos < self.end and self.text[self.pos] not in _STOPS:
                self.scan_word()
        self._level.cases += 1
        self._level.pattern = True

    def _case_pattern(self) -> None:
        """Step over the patterns of a branch up to its parenthesis, or over `esac`."""
        level = self._level
        level.pattern = False
        while self.pos < self.end and self.text[self.pos] not in ")\n;":
            if self.text[self.pos] in "(|&<>":
                self.pos += 1
            elif self.scan_word().text == "esac":
                level.cases = max(0, level.cases - 1)
                return
            self._skip_blanks()
        if self.text.startswith(")", self.pos):
            self.pos += 1

    def _condition(self) -> None:
        """Step over `[[ … ]]`, whose operators are not those of commands."""
        while self.pos < self.end:
            self._skip_blanks()
            if self.pos >= self.end or self.text[self.pos] == "\n":
                break
            if self.text[self.pos] in "&|()<>;":
                self.pos += 1
            elif self.scan_word().text == "]]":
                return
        self.malformed = True

    def _redirect(self, draft: Draft, match: re.Match[str]) -> None:
        operator = match[1] or match[2]
        self.pos = match.end()
        self._skip_blanks()
        if self.pos >= self.end or self.text[self.pos] in "\n;&|()":
            self.malformed = True
            return
        target = self.scan_word()
        body = target.text if operator == "<<<" else None
        span = (target.start, target.end)
        draft.redirections.append(Redirection(operator, target, body, span))
        if operator in ("<<", "<<-"):
            self._pending.append((draft, len(draft.redirections) - 1))

    def _read_here_documents(self) -> None:
        pending, self._pending = self._pending, []
        for draft, number in pending:
            redirection = draft.redirections[number]
            start = self.pos
            stop = self._find_delimiter(redirection)
            body = self.text[start:stop]
            operator, target = redirection.operator, redirection.target
            draft.redirections[number] = Redirection(operator, target, body, (start, stop))
            if not target.quoted and ("$" in body or "`" in body):
                self._expand_here_document(draft, start, stop)

    def _find_delimiter(self, redirection: Redirection) -> int:
        """Find the end of a body and step over the line of its delimiter."""
        strip = redirection.operator == "<<-"
        at = self.pos
        while at < self.end:
            newline = self.text.find("\n", at, self.end)
            stop = self.end if newline < 0 else newline
            line = self.text[at:stop].rstrip("\r")
            if (line.lstrip("\t") if strip else line) == redirection.target.text:
                self.pos = min(stop + 1, self.end)
                return at
            at = stop + 1
        self.malformed = True
        self.pos = self.end
        return self.end

    def _expand_here_document(self, draft: Draft, start: int, stop: int) -> None:
        """Read the substitutions of an unquoted body: the shell runs them."""
        after, end, current = self.pos, self.end, self._current
        self.pos, self.end, self._current = start, stop, draft.number
        self.scan_expansions(Parts(), closing="")
        self.pos, self.end, self._current = after, end, current
