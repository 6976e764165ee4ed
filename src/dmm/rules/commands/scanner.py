"""The word scanner: quotes, escapes and expansions of a shell word, and here-documents."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from dmm.rules.commands.values import Part, Redirection, Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.rules.commands.drafts import Draft
    from dmm.rules.commands.values import PartKind

MAX_NESTING = 40

_PLAIN = re.compile(r"[^ \t\r\n\\'\"$`;&|<>()]+")
_PLAIN_IN_DOUBLE = re.compile(r'[^"\\$`]+')
_PLAIN_IN_BRACES = re.compile(r"[^{}\\$`'\"]+")
_PARAMETER = re.compile(r"\$(?:[A-Za-z_][A-Za-z_0-9]*|[0-9@*#?$!-])")
_ASSIGNED = r"[A-Za-z_][A-Za-z_0-9]*(?:\[[^\]]*\])?\+?="
_ESCAPED_IN_BACKTICKS = r"\\([\\`$])"
_ANSI = r"(?s)\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|(.))"
_ANSI_LETTERS = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v",
    "e": "\x1b", "E": "\x1b",
}  # fmt: skip
_LAST_CODE_POINT = 0x10FFFF


def _ansi_character(match: re.Match[str]) -> str:
    hexadecimal = match[1] or match[2] or match[3]
    if hexadecimal or match[4]:
        code = int(hexadecimal, 16) if hexadecimal else int(match[4], 8)
        return chr(code) if code <= _LAST_CODE_POINT else "\ufffd"
    return _ANSI_LETTERS.get(match[5], match[5])


def unescape(text: str) -> str:
    """Replace the escapes of an ANSI-C quote, of `echo -e` and of `printf` (`\\n`, `\\x41`)."""
    return re.sub(_ANSI, _ansi_character, text) if "\\" in text else text


def in_backticks(text: str) -> str:
    """Return the commands between two backticks, their escapes removed."""
    return re.sub(_ESCAPED_IN_BACKTICKS, r"\1", text)


class Parts:
    """The pieces of the word being read."""

    __slots__ = ("expands", "pieces", "quoted")

    def __init__(self) -> None:
        self.pieces: list[Part] = []
        self.expands = False
        self.quoted = False

    def add(self, text: str, kind: PartKind = "text", *, quoted: bool = False) -> None:
        """Add a piece and remember how it was written."""
        self.pieces.append(Part(kind, text, quoted))
        self.quoted = self.quoted or quoted
        self.expands = self.expands or kind not in ("text", "array")


class WordScanner(ABC):
    """Reads words from `text` between `pos` and `end`; a fault sets `malformed`, nothing raises.

    The drafts that want the body of a here-document wait in `pending`.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.end = len(text)
        self.nesting = 0
        self.malformed = False
        self.pending: list[tuple[Draft, int]] = []
        self.current: int | None = None

    @abstractmethod
    def substitute(self) -> None:
        """Read the commands up to the closing parenthesis; the grammar says how."""

    @abstractmethod
    def embed(self, text: str, start: int, end: int) -> None:
        """Take note of a text between two places whose commands are run in place."""

    def scan_word(self) -> Word:
        """Read one word; at least one character is always consumed."""
        start = self.pos
        parts = Parts()
        while self.pos < self.end:
            plain = _PLAIN.match(self.text, self.pos, self.end)
            if plain:
                parts.pieces.append(Part("text", plain.group()))
                self.pos = plain.end()
                continue
            handle = self._HANDLERS.get(self.text[self.pos])
            if handle is None or not handle(self, parts):
                break
        if self.pos == start:
            parts.add(self.text[start])
            self.pos += 1
            self.malformed = True
        return self._word(parts, start)

    def _word(self, parts: Parts, start: int) -> Word:
        pieces = parts.pieces
        if len(pieces) == 1 and not pieces[0].quoted and pieces[0].kind == "text":
            return Word(pieces[0].text, start, self.pos)
        text = "".join([piece.text for piece in pieces])
        return Word(text, start, self.pos, parts.expands, parts.quoted, tuple(pieces))

    def _peek(self) -> str:
        at = self.pos + 1
        return self.text[at] if at < self.end else ""

    def _escape(self, parts: Parts) -> bool:
        following = self._peek()
        if following != "\n":
            parts.add(following, quoted=True)
        self.pos = min(self.pos + 2, self.end)
        return True

    def _until(self, closing: str, start: int) -> str:
        """Take the text up to a closing character and step over it."""
        found = self.text.find(closing, start, self.end)
        if found < 0:
            self.malformed = True
            found = self.end
        self.pos = min(found + 1, self.end)
        return self.text[start:found]

    def _single(self, parts: Parts) -> bool:
        parts.add(self._until("'", self.pos + 1), quoted=True)
        return True

    def _double(self, parts: Parts) -> bool:
        self.pos += 1
        parts.add("", quoted=True)
        self.scan_expansions(parts, closing='"')
        return True

    def scan_expansions(self, parts: Parts, closing: str) -> None:
        """Read text in which only `\\`, `$` and backticks are special, up to the closing quote."""
        while self.pos < self.end:
            plain = _PLAIN_IN_DOUBLE.match(self.text, self.pos, self.end)
            if plain:
                parts.pieces.append(Part("text", plain.group(), quoted=True))
                self.pos = plain.end()
                continue
            character = self.text[self.pos]
            if character == closing:
                self.pos += 1
                return
            self._expansion(character, parts)
        self.malformed = self.malformed or bool(closing)

    def _expansion(self, character: str, parts: Parts) -> None:
        if character == "$":
            self._dollar(parts, in_double=True)
        elif character == "`":
            self._backticks(parts, in_double=True)
        elif character == "\\" and self._peek() in '$`"\\\n' and self._peek():
            if self._peek() != "\n":
                parts.pieces.append(Part("text", self._peek(), quoted=True))
            self.pos += 2
        else:
            parts.pieces.append(Part("text", character, quoted=True))
            self.pos += 1

    def _dollar(self, parts: Parts, *, in_double: bool = False) -> bool:
        following = self._peek()
        if following == "(":
            self._nested(parts, "command", quoted=in_double)
        elif following == "{":
            self._braced(parts, quoted=in_double)
        elif following == "'" and not in_double:
            self._ansi(parts)
        elif following == '"' and not in_double:
            self.pos += 1
            self._double(parts)
        else:
            name = _PARAMETER.match(self.text, self.pos, self.end)
            piece = name.group() if name else "$"
            parts.add(piece, "name" if name else "text", quoted=in_double)
            self.pos += len(piece)
        return True

    def _ansi(self, parts: Parts) -> None:
        start = at = self.pos + 2
        while at < self.end and self.text[at] != "'":
            at += 2 if self.text[at] == "\\" else 1
        if at >= self.end:
            self.malformed = True
        stop = min(at, self.end)
        parts.add(unescape(self.text[start:stop]), quoted=True)
        self.pos = min(stop + 1, self.end)

    def _nested(self, parts: Parts, kind: PartKind, *, quoted: bool = False) -> None:
        """Read `$(…)`, `<(…)` or `>(…)`; too deep a nest ends the reading."""
        start = self.pos
        if self.nesting >= MAX_NESTING:
            self.malformed = True
            self.pos = self.end
        else:
            self.nesting += 1
            self.pos += 2
            self.substitute()
            self.nesting -= 1
        source = self.text[start : self.pos]
        parts.add(source, "name" if source.startswith("$((") else kind, quoted=quoted)

    def _braced(self, parts: Parts, *, quoted: bool) -> None:
        start = self.pos
        self.pos += 2
        depth = 1
        inner = Parts()
        while self.pos < self.end and depth:
            plain = _PLAIN_IN_BRACES.match(self.text, self.pos, self.end)
            if plain:
                self.pos = plain.end()
                continue
            character = self.text[self.pos]
            depth += (character == "{") - (character == "}")
            if character in "{}":
                self.pos += 1
            elif character == "\\":
                self._escape(inner)
            elif character == "$" and self._peek() == "{":
                self.pos += 1
            elif character in "$`":
                self._expansion(character, inner)
            else:
                self.pos += 1
        self.malformed = self.malformed or depth > 0
        parts.add(self.text[start : self.pos], "name", quoted=quoted)

    def _backticks(self, parts: Parts, *, in_double: bool = False) -> bool:
        start = at = self.pos + 1
        while at < self.end and self.text[at] != "`":
            at += 2 if self.text[at] == "\\" else 1
        if at >= self.end:
            self.malformed = True
        stop = min(at, self.end)
        inner = self.text[start:stop]
        self.embed(in_backticks(inner), start, stop)
        parts.add(f"`{inner}`", "command", quoted=in_double)
        self.pos = min(stop + 1, self.end)
        return True

    def _angle(self, parts: Parts) -> bool:
        if self._peek() != "(":
            return False
        self._nested(parts, "stream")
        return True

    def _parenthesis(self, parts: Parts) -> bool:
        """Read the list of an array assignment or of an extended glob; else the word ends."""
        before = parts.pieces[-1].text if parts.pieces else ""
        array = len(parts.pieces) == 1 and re.fullmatch(_ASSIGNED, before, re.ASCII)
        if not array and (not before or before[-1] not in "@!?*+"):
            return False
        start = self.pos
        depth = 0
        inner = Parts()
        while self.pos < self.end:
            character = self.text[self.pos]
            depth += (character == "(") - (character == ")")
            if character in "\\'\"$`":
                self._HANDLERS[character](self, inner)
            else:
                self.pos += 1
            if depth == 0:
                break
        self.malformed = self.malformed or depth > 0
        parts.add(self.text[start : self.pos], "array" if array else "text")
        return True

    def read_here_documents(self) -> None:
        """Read the bodies that the line just ended has announced."""
        pending, self.pending = self.pending, []
        for draft, number in pending:
            redirection = draft.redirections[number]
            start = self.pos
            stop = self._find_delimiter(redirection)
            body = self.text[start:stop]
            if redirection.operator == "<<-":
                body = "\n".join(line.lstrip("\t") for line in body.split("\n"))
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
        after, end, current = self.pos, self.end, self.current
        self.pos, self.end, self.current = start, stop, draft.number
        self.scan_expansions(Parts(), closing="")
        self.pos, self.end, self.current = after, end, current

    _HANDLERS: ClassVar[dict[str, Callable[[WordScanner, Parts], bool]]] = {
        "\\": _escape,
        "'": _single,
        '"': _double,
        "$": _dollar,
        "`": _backticks,
        "<": _angle,
        ">": _angle,
        "(": _parenthesis,
    }
