"""The shell grammar: one text read into commands, with their pipelines, blocks and subshells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.drafts import Block, Draft, Embedded, Level
from dmm.rules.commands.scanner import MAX_NESTING, WordScanner
from dmm.rules.commands.values import Redirection, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.commands.values import Span

_BLANKS = re.compile(r"(?:[ \t\r]|\\\n)+")
_REDIRECTION = re.compile(
    r"(?:\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\())|(&>>|&>)", re.ASCII
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)(?:\[[^\]]*\])?(\+?)=", re.ASCII)
_ARITHMETIC = r"\(\((?:[^()`;$]|\$(?!\()|\((?!\()[^()`]*\))*\)\)"
_LOOP_ARITHMETIC = r"\(\((?:[^()`$]|\$(?!\()|\((?!\()[^()`]*\))*\)\)"
_FUNCTION = r"\([ \t]*\)"
_STOPS = "\n;&|()<>"
_OPENERS = frozenset({"if", "while", "until", "{"})
_CLOSERS = frozenset({"fi", "done", "}"})
_SILENT = frozenset({"do", "then", "else", "elif", "!"})
_LEAD = re.compile(r"(time\b( -p)?( --)? ?)+|coproc( \w+)?")
_LONGEST_LEAD = 8
_NEAREST_BLOCKS = 3
_NEAREST_DRAFTS = 200
_KEYWORDS = _OPENERS | _CLOSERS | _SILENT | {"for", "select", "case", "esac", "function", "[["}


def _is_lead(words: Sequence[Word]) -> bool:
    """Return whether a block or an assignment may follow: `time -p`, `coproc NAME`."""
    short = 0 < len(words) <= _LONGEST_LEAD
    return short and bool(_LEAD.fullmatch(" ".join(word.text for word in words)))


class Grammar(WordScanner):
    """Reads a whole shell text; the drafts stand in the order of the text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.drafts: list[Draft] = []
        self.embedded: list[Embedded] = []
        self.subshells: list[int] = [0]
        self.functions: dict[str, Span] = {}
        self._declared = ""
        self._bodies = 0
        self._pipelines = 0
        self._substituted = False
        self.outcome: int | None = None
        self._level = Level(0, 0, 0)

    def read(self) -> None:
        """Read the text to its end; a stray closing parenthesis is stepped over."""
        while self.pos < self.end:
            self._list(closes=False)
        if self.pending:
            self.malformed = True
        self.outcome = self._level.outcome()

    def substitute(self) -> None:
        """Read the commands of `$(…)`, `<(…)` or `>(…)` in place; skip plain arithmetic."""
        arithmetic = re.compile(_ARITHMETIC).match(self.text, self.pos - 1, self.end)
        if arithmetic:
            self.pos = arithmetic.end()
            return
        current, substituted = self.current, self._substituted
        self._substituted = True
        self._nested_list(fresh=True)
        self.current, self._substituted = current, substituted

    def embed(self, text: str, start: int, end: int) -> None:
        """Keep the content of backticks; it is read later as a text of its own."""
        self.embedded.append(Embedded(text, (start, end), self.current))

    def _nested_list(self, *, fresh: bool) -> None:
        outer = self._level
        self.subshells.append(outer.subshell)
        if fresh:
            self._pipelines += 1
        pipeline, stage = (self._pipelines, 0) if fresh else (outer.pipeline, outer.stage)
        inner = outer.inside(pipeline, stage, len(self.subshells) - 1)
        self._level = inner
        self._list(closes=True)
        self._level = outer
        if not fresh:
            outer.last, outer.fresh = inner.outcome(), False

    def _list(self, *, closes: bool) -> None:
        while True:
            self.skip_blanks()
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

    def skip_blanks(self) -> None:
        """Step over blanks and a comment."""
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
            self.read_here_documents()
        if pair in (";;", ";&"):
            level.pattern = level.cases > 0
            self.pos += self.text.startswith("&", self.pos)
        if character == "|" and pair != "||":
            self._pipe()
            return
        if pair in ("&&", "||"):
            level.join(pair)
        else:
            level.finish(background=character == "&")
        self._pipelines += 1
        level.pipeline, level.stage, level.closed = self._pipelines, 0, None

    def _pipe(self) -> None:
        level = self._level
        level.pipe()
        if level.closed is not None:
            for draft in self.drafts[level.closed :]:
                place = (level.pipeline, level.stage)
                if place not in draft.places:
                    draft.places.append(place)
        level.stage += 1
        level.closed = None

    def _subshell(self) -> None:
        arithmetic = re.compile(_ARITHMETIC).match(self.text, self.pos, self.end)
        if arithmetic:
            self.pos = arithmetic.end()
            return
        if self.nesting >= MAX_NESTING:
            self.malformed = True
            self.pos = self.end
            return
        first = len(self.drafts)
        declared, self._declared = self._declared, ""
        self.nesting += 1
        self.pos += 1
        start = self.pos
        self._bodies += bool(declared)
        self._nested_list(fresh=False)
        self.nesting -= 1
        self._level.closed = first
        if declared:
            self._bodies -= 1
            self.functions[declared] = (start, max(start, self.pos - 1))

    def _open(self) -> Draft:
        level = self._level
        draft = Draft(
            len(self.drafts),
            self.pos,
            self.current,
            level.subshell,
            substituted=self._substituted,
        )
        draft.in_function = self._bodies > 0
        draft.places.append((level.pipeline, level.stage))
        for block in level.blocks[-_NEAREST_BLOCKS:]:
            # What flows into a block reaches each command in it.
            place = (block.pipeline, block.stage)
            if block.stage > 0 and place not in draft.places:
                draft.places.append(place)
        draft.after = level.follow(draft.number)
        self.drafts.append(draft)
        return draft

    def _command(self) -> None:
        outer = self.current
        draft = self._open()
        self.current = draft.number
        while self._part(draft):
            draft.end = self.pos
            self.skip_blanks()
            if self.pos >= self.end:
                break
        self.current = outer
        if draft.words and draft.words[0].text == "set":
            self._level.set_options([word.text for word in draft.words[1:]])
        self._feed_block(draft)

    def _feed_block(self, draft: Draft) -> None:
        """Remember for the commands of a block that `done < file` and its like feeds them."""
        first = self._level.closed
        draft.block = first if draft.redirections else None
        if first is None or not any(one.operator[0] == "<" for one in draft.redirections):
            return
        for one in self.drafts[max(first, draft.number - _NEAREST_DRAFTS) : draft.number]:
            if one.fed_by is None:
                one.fed_by = draft.number

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
        if _is_lead(draft.words) and (word.text in _KEYWORDS or self._assigned(word)):
            draft.words.clear()
        if not draft.words:
            assigned = None if word.quoted and word.text[:1] == "'" else self._assigned(word)
            if assigned:
                draft.assignments.append(assigned)
                return True
            if not word.quoted and not word.expands and word.text in _KEYWORDS:
                return self._keyword(word, draft)
        self._declared = ""
        draft.words.append(word)
        return True

    def _assigned(self, word: Word) -> tuple[str, Word] | None:
        if not _ASSIGNMENT.match(self.text, word.start, word.end):
            return None
        name, _, value = word.text.partition("=")
        parts = word.parts
        if parts:
            parts = (parts[0]._replace(text=parts[0].text.partition("=")[2]), *parts[1:])
        return name, word._replace(text=value, parts=parts)

    def _function_or_list(self, draft: Draft) -> bool:
        """After a name, `()` declares a function, whose body is read as commands; else end."""
        declared = re.compile(_FUNCTION).match(self.text, self.pos, self.end)
        if len(draft.words) == 1 and declared:
            self.pos = declared.end()
            self._declared = draft.words[0].text
            draft.words.clear()
            return True
        if _is_lead(draft.words):
            draft.words.clear()
        if draft.words or draft.assignments:
            self.malformed = True
        return False

    def _keyword(self, word: Word, draft: Draft) -> bool:
        level = self._level
        keyword = word.text
        draft.after = level.tested if keyword == "then" else draft.after
        level.negated = level.negated or keyword == "!"
        if keyword in _OPENERS:
            self._open_block(draft)
        elif keyword in _CLOSERS:
            self._close_block(word.start)
        elif keyword in ("for", "select"):
            self._open_block(draft)
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
        self.skip_blanks()
        if self.pos >= self.end or self.text[self.pos] in _STOPS:
            return
        name = self.scan_word()
        self.skip_blanks()
        if self.text.startswith("(", self.pos):
            draft.words.append(name)
        else:
            self._declared = name.text

    def _open_block(self, draft: Draft) -> None:
        level = self._level
        block = Block(draft.number, level.pipeline, level.stage, self._declared, self.pos)
        self._bodies += bool(self._declared)
        draft.in_function = draft.in_function or bool(self._declared)
        self._declared = ""
        level.blocks.append(block)

    def _close_block(self, end: int) -> None:
        level = self._level
        if level.blocks:
            block = level.blocks.pop()
            level.closed, level.pipeline, level.stage = block.first, block.pipeline, block.stage
            if block.function:
                self._bodies -= 1
                self.functions[block.function] = (block.start, end)

    def _loop_header(self, draft: Draft) -> None:
        self.skip_blanks()
        arithmetic = re.compile(_LOOP_ARITHMETIC).match(self.text, self.pos, self.end)
        if arithmetic or self.pos >= self.end or self.text[self.pos] in _STOPS:
            self.pos = arithmetic.end() if arithmetic else self.pos
            return
        name = self.scan_word().text
        self.skip_blanks()
        words = self.plain_words()
        if words and words[0].text == "in":
            draft.loop = name
            draft.words.extend(words[1:])

    def plain_words(self) -> list[Word]:
        """Read words up to the next operator."""
        words = []
        while self.pos < self.end and self.text[self.pos] not in _STOPS:
            words.append(self.scan_word())
            self.skip_blanks()
        return words

    def _case_header(self) -> None:
        for _ in range(2):
            self.skip_blanks()
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
            self.skip_blanks()
        if self.text.startswith(")", self.pos):
            self.pos += 1

    def _condition(self) -> None:
        """Step over `[[ … ]]`, whose operators are not those of commands."""
        while self.pos < self.end:
            self.skip_blanks()
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
        self.skip_blanks()
        if self.pos >= self.end or self.text[self.pos] in "\n;&|()":
            self.malformed = True
            return
        target = self.scan_word()
        body = target.text if operator == "<<<" else None
        span = (target.start, target.end)
        draft.redirections.append(Redirection(operator, target, body, span))
        if operator in ("<<", "<<-"):
            self.pending.append((draft, len(draft.redirections) - 1))


def words_of(text: str) -> list[Word]:
    """Read the words of a text that holds no commands, such as the places of an array."""
    grammar = Grammar(text)
    grammar.skip_blanks()
    return grammar.plain_words()
