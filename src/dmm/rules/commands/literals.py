"""Literals: the arguments of a call in code that is not parsed, as far as they are plain."""

from __future__ import annotations

import re
from typing import NamedTuple

from dmm.rules.commands.inlineruns import PLACEHOLDER
from dmm.rules.commands.scanner import unescape

_STRING = r"""(?s)(["'`])((?:\\.|(?!\1)[^\\])*)\1"""
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
TEMPLATES = frozenset({"node", "nodejs", "bun", "deno", "tsx", "ts-node"})
# Single quotes keep all but a quote and a backslash there.
_PLAIN_QUOTES = frozenset({"perl", "ruby", "php"})
_QUOTE_LIKE = {
    "perl": r"q([qw]?)\s*([^\w\s,;)=])",
    "ruby": r"%([qQwW]?)([^\w\s=])",
}
_INTERPOLATION = {
    "perl": r"(?<!\\)[$@][\w{(]|\\[LUElux]",
    "php": r"(?<!\\)(?:\$\w|\{\$)",
    "ruby": r"#[{$@]",
    "julia": r"(?<!\\)\$",
}
_JOINING = {"perl": r"\.(?![.\d])", "php": r"\.(?!\d)", "lua": r"\.\.", "ruby": r"\+|(?=[\"'])"}
_OPENING = r"[\s\[(*,]*(?:\{\s*args\s*:\s*\[)?"
# What follows a call that stands without parentheses.
_FOLLOWING = r"\s*(?:$|[;}\n#)]|\|\||&&|(?:if|unless|or|and|while|until|do|then|end)\b)"
# An argument that tells how to run, or whom to call back.
_MANNER = r"\{|function\b|async\b|\w+\s*=>|\w+:(?!:)|:\w+\s*=>|[&]"
_WINDOW = 2000


class Arguments(NamedTuple):
    """The arguments of a call, with placeholders for computed values."""

    texts: tuple[str, ...] = ()
    listed: bool = False

    @property
    def known(self) -> bool:
        """Whether the command can be read: one plain text, or a list that names its program."""
        shown = self.texts if not self.listed else self.texts[:1]
        return bool(shown) and not any(PLACEHOLDER in text for text in shown)


def is_computed(language: str, quote: str, text: str) -> bool:
    """Whether the code fills a quoted text in when it runs."""
    if language in TEMPLATES:
        return (quote == "`" and "${" in text) or "\\u{" in text
    if quote == "'":
        return False
    pattern = _INTERPOLATION.get(language)
    return bool(pattern and re.search(pattern, text))


def quote_like(language: str, code: str, at: int) -> tuple[str, str, str, int] | None:
    """Read `q(…)`, `qw[…]` or `%w{…}`: its kind, opening mark and text, and where it ends."""
    form = re.compile(_QUOTE_LIKE[language]).match(code, at) if language in _QUOTE_LIKE else None
    if not form:
        return None
    text, end = delimited(code, form.end(), form[2])
    return form[1], form[2], text, end


def delimited(code: str, start: int, mark: str) -> tuple[str, int]:
    """Take the text up to the mark that closes it; pairs may be nested."""
    closing = _PAIRS.get(mark, mark)
    depth = 1
    marks = re.compile(rf"(?s)\\.|{re.escape(mark)}|{re.escape(closing)}")
    for found in marks.finditer(code, start, start + _WINDOW):
        depth += (found.group() == mark != closing) - (found.group() == closing)
        if not depth:
            return code[start : found.start()], found.end()
    return code[start : start + _WINDOW], len(code)


def _operand(language: str, code: str, at: int) -> tuple[list[str] | None, int]:
    """Read one literal as the words it gives, and where it ends."""
    special = quote_like(language, code, at)
    if special:
        kind, _, text, end = special
        computed = kind in ("q", "Q", "W", "") and is_computed(language, '"', text)
        if computed and not (kind == "" and language == "perl"):
            return [PLACEHOLDER], end
        return (text.split() if kind in ("w", "W") else [text]), end
    literal = re.compile(_STRING).match(code, at, at + _WINDOW)
    if not literal or (literal[1] == "`" and language not in TEMPLATES):
        return None, at
    quote, text = literal[1], literal[2]
    if is_computed(language, quote, text):
        return [PLACEHOLDER], literal.end()
    if quote == "'" and language in _PLAIN_QUOTES:
        return [re.sub(r"\\(['\\])", r"\1", text)], literal.end()
    return [unescape(text)], literal.end()


class _Call:
    """A call while its arguments are read."""

    def __init__(self, language: str, code: str, at: int, *, called: bool) -> None:
        self.language = language
        self.code = code
        self.at = at
        self.depth = int(called)
        self.listed = False
        self.texts: list[str] = []

    def read(self, *, first_only: bool) -> Arguments:
        """Read argument by argument, up to the end or to the first that is not plain."""
        while self._open() and self._take() and not (first_only and self.texts):
            pass
        if first_only and self.listed:
            # A list that is made a text of.
            return Arguments((PLACEHOLDER,))
        return Arguments(tuple(self.texts), self.listed or len(self.texts) > 1)

    def _open(self) -> bool:
        """Step over what opens lists; false where the arguments end."""
        opening = re.compile(_OPENING).match(self.code, self.at)
        gap = opening.group() if opening else ""
        self.at += len(gap)
        self.depth += gap.count("[") + gap.count("(")
        self.listed = self.listed or "[" in gap
        rest = self.code[self.at : self.at + _WINDOW]
        if not rest or rest[0] in ")];}":
            return False
        return not (self.texts and re.match(_MANNER, rest))

    def _take(self) -> bool:
        """Take one argument; false where reading ends with it."""
        words, self.at = _operand(self.language, self.code, self.at)
        if words is None:
            self.texts.append(PLACEHOLDER)
            return False
        joining = re.compile(r"\s*(?:" + _JOINING.get(self.language, r"\+") + r")\s*")
        while join := joining.match(self.code, self.at):
            more, self.at = _operand(self.language, self.code, join.end())
            words[-1] += PLACEHOLDER if more is None else " ".join(more)
            if more is None:
                self.texts += words
                return False
        self.listed = self.listed or len(words) > 1
        self.texts += words
        return self._goes_on()

    def _goes_on(self) -> bool:
        closing = re.compile(r"[\s\])]*").match(self.code, self.at)
        for letter in closing.group() if closing else "":
            self.at += 1
            self.depth -= letter in ")]"
            if letter in ")]" and self.depth <= 0:
                return False
            if letter == "]" and self.language in TEMPLATES:
                return self._ends_list()
        if self.code[self.at : self.at + 1] == ",":
            return True
        if self.depth or not re.compile(_FOLLOWING).match(self.code, self.at):
            # Something is done to the text before it is run.
            self.texts[-1] = PLACEHOLDER
        return False

    def _ends_list(self) -> bool:
        """End with the list of arguments; something else follows where it is put together."""
        if not re.compile(r"\s*[,)\]}]").match(self.code, self.at):
            self.texts = [PLACEHOLDER]
        return False


def read_arguments(
    language: str, code: str, at: int, *, called: bool, first_only: bool
) -> Arguments:
    """Read the arguments of a call whose name ends here, or whose parenthesis has opened."""
    return _Call(language, code, at, called=called).read(first_only=first_only)
