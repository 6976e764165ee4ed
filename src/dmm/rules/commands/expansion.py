"""Expand words as a shell does, with the variables that the text itself sets."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

from dmm.rules.commands.braces import expand_braces
from dmm.rules.commands.grammar import words_of
from dmm.rules.commands.inlineruns import COMPUTED, UNKNOWN_VALUE
from dmm.rules.commands.parameters import expand_parameter, name_of
from dmm.rules.commands.scanner import in_backticks
from dmm.rules.commands.values import Body, Output, Part, Redirection, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.rules.commands.drafts import Draft

Values = dict[str, tuple[Word, ...]]
Expanded = tuple[tuple[Word, ...], tuple[Redirection, ...]]

# Variables that stand for what nobody can know: the input of xargs, a value inside other code.
UNKNOWN_INPUT = "STDIN"
UNKNOWN = {UNKNOWN_INPUT: "xargs", UNKNOWN_VALUE: COMPUTED}
_MAX_VALUES = 32
_MAX_WORD = 4_000
_MAX_FIELDS = 500
_BLANKS = " \t\n"
_WILD = frozenset("*?[")
# Arrays by which Bash looks the first word of a command up.
_COMMAND_TABLES = frozenset({"BASH_ALIASES", "BASH_CMDS"})
# Each variable that goes through values of its own doubles the work.
_MAX_LOOPS = 2


def inner_text(source: str) -> str:
    """Return the commands inside `$(…)`, `<(…)` or backticks."""
    if source.startswith("`"):
        return in_backticks(source[1:].removesuffix("`"))
    return source[2:].removesuffix(")")


class _Field:
    """One word while it is put together."""

    __slots__ = ("expands", "length", "pieces", "solid", "source")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.expands = False
        self.solid = False
        self.source: Output | None = None

    def add(self, text: str, word: Word | None = None) -> None:
        """Add a text, with what is known of it where it is a value."""
        self.pieces.append(text)
        self.length += len(text)
        self.solid = self.solid or bool(text)
        if word is not None and word.expands:
            self.expands = True
            if word.source and not (self.source and self.source.made):
                self.source = word.source


class Names:
    """The variables, aliases and functions that are known so far."""

    def __init__(self, evaluate: Callable[[str, Names], Output]) -> None:
        self.values: Values = {
            name: (Word(f"${name}", 0, 0, expands=True, source=Output(made=made)),)
            for name, made in UNKNOWN.items()
        }
        # A shell can always start another one by these names.
        self.values.update({name: (Word("bash", 0, 0),) for name in ("SHELL", "BASH", "0")})
        self.loops: Values = {}
        self.aliases: dict[str, str] = {}
        self.git_aliases: dict[str, str] = {}
        self.functions: dict[str, Body] = {}
        self._references: dict[str, str] = {}
        self.evaluate = evaluate

    def child(self) -> Names:
        """Return a copy for a subshell: what it changes stays there."""
        made = Names(self.evaluate)
        made.values, made.loops = dict(self.values), dict(self.loops)
        made.aliases, made.git_aliases = dict(self.aliases), dict(self.git_aliases)
        made.functions = dict(self.functions)
        made._references = dict(self._references)
        return made

    def refer(self, name: str, target: str) -> None:
        """Make a variable a reference to another one, as `declare -n` does."""
        if target and not target.isidentifier():
            self.forget(name, made="an expansion")
        elif target != name:
            self._references[name] = target

    def value(self, name: str) -> tuple[Word, ...] | None:
        """Return the value of a variable; none when the text does not set it."""
        if name.isdigit() and name != "0" and "@" in self.values:
            return self.values["@"][int(name) - 1 :][:1]
        name = self._references.get(name) or name
        return self.values.get("@" if name == "*" else name)

    def assign(self, name: str, value: Word) -> None:
        """Set a variable, add to it (`x+=`), or set one place of an array."""
        appends = name.endswith("+")
        name, _, index = name.rstrip("+").partition("[")
        if name in _COMMAND_TABLES:
            self._name_commands(index.rstrip("]"), value)
            return
        if self._references.get(name) == "":
            self.refer(name, self.text_of(value))
            return
        name = self._references.get(name, name)
        self.loops.pop(name, None)
        if value.parts and value.parts[-1].kind == "array":
            listed = words_of(value.text.strip("()").replace("\n", " "))
            new = tuple(_unplaced(part) for word in listed for part in self.fields(word))
        else:
            whole = self.fields(_in_quotes(value))
            new = (whole[0] if whole else value._replace(text="", parts=()),)
        old = self.values.get(name, ())
        place = int(index.rstrip("]")) if index.rstrip("]").isdigit() else _MAX_VALUES
        if place < _MAX_VALUES:
            missing = (Word("", 0, 0),) * (place - len(old))
            new = (*old[:place], *missing, *new)
        elif appends and old:
            array = bool(value.parts) and value.parts[-1].kind == "array"
            new = (*old, *new) if array else (_joined(old[-1], new[0]),)
        self.values[name] = new[:_MAX_VALUES]

    def _name_commands(self, name: str, value: Word) -> None:
        """Set one place of a table of commands, or several: `BASH_ALIASES=([g]=git)`."""
        if name:
            self.aliases[name.strip("'\"")] = self.text_of(value)
            return
        for word in words_of(value.text.strip("()").replace("\n", " ")):
            form = re.fullmatch(r"(?s)\[([^\]]+)\]=(.*)", self.text_of(word))
            if form:
                self.aliases[form[1]] = form[2]

    def forget(self, name: str, made: str = "") -> None:
        """Make a value unknown; `made` says what has set it."""
        self.loops.pop(name, None)
        self.values.pop(name, None)
        if made:
            source = Output(made=made)
            self.values[name] = (Word(f"${name}", 0, 0, expands=True, source=source),)

    def go_through(self, name: str, values: Sequence[Word]) -> None:
        """Let a variable take one value after the other, as in a loop."""
        if values:
            self.loops[name] = tuple(values[:_MAX_VALUES])
            self.values[name] = self.loops[name][:1]
        else:
            self.forget(name)

    def set_positional(self, words: Sequence[Word]) -> None:
        """Set `$1`, `$2` and so on."""
        self.values["@"] = tuple(words[:_MAX_VALUES])

    def text_of(self, word: Word) -> str:
        """Expand a word into one text, as the value of an assignment is."""
        found = self.fields(_in_quotes(word)) if word.parts else [word]
        return found[0].text if found else ""

    def argument(self, text: str) -> Word:
        """Expand the word inside an expansion (`${x:-word}`)."""
        if not any(mark in text for mark in "\\'\"$`"):
            return Word(text, 0, 0)
        found = [part for word in words_of(text) for part in self.fields(word)]
        joined = Word(" ".join(one.text for one in found), 0, 0)
        unknown = next((one for one in found if one.expands), None)
        return joined._replace(expands=True, source=unknown.source) if unknown else joined

    def expand(self, draft: Draft) -> list[Expanded]:
        """Expand a command: once, or once for each value of the loops that it stands in."""
        used = [name for name in self.loops if self._uses(draft, name)][:_MAX_LOOPS]
        if not used:
            return [self._once(draft)]
        found: list[Expanded] = []
        choices = list(product(*(self.loops[name] for name in used)))[:_MAX_VALUES]
        for chosen in choices:
            self.values.update({name: (word,) for name, word in zip(used, chosen, strict=True)})
            found.append(self._once(draft))
        return found

    @staticmethod
    def _uses(draft: Draft, name: str) -> bool:
        words = (*draft.words, *(one.target for one in draft.redirections))
        held = (part for word in words for part in word.parts)
        return any(part.kind == "name" and _is_about(part.text, name) for part in held)

    def _once(self, draft: Draft) -> Expanded:
        words = [field for word in draft.words for field in self.fields(word)]
        return tuple(words[:_MAX_FIELDS]), tuple(map(self.redirected, draft.redirections))

    def redirected(self, one: Redirection) -> Redirection:
        """Expand the target of a redirection; it is not split."""
        if not one.target.parts:
            return one
        fields = self.fields(_in_quotes(one.target)) or [one.target]
        body = fields[0].text if one.operator == "<<<" else one.body
        return Redirection(one.operator, fields[0], body, one.body_span)

    def fields(self, word: Word) -> list[Word]:
        """Expand one word into the words that the shell makes of it."""
        if not word.parts and "{" not in word.text:
            return [word]
        found: list[Word] = []
        for one in expand_braces(word):
            found += self._split(one) if one.parts else [one]
        return found

    def _split(self, word: Word) -> list[Word]:
        fields = [_Field()]
        for part in word.parts:
            if part.kind in ("text", "array"):
                fields[-1].add(part.text)
                fields[-1].solid = fields[-1].solid or part.quoted
            else:
                self._add(fields, part)
        # From here on, a word that is not quoted is one whose wildcards count.
        bare = any(not _WILD.isdisjoint(one.text) for one in word.parts if not one.quoted)
        place = (word.start, word.end)
        return [
            Word("".join(one.pieces), *place, one.expands, not bare, (), one.source)
            for one in fields
            if one.solid
        ]

    def _add(self, fields: list[_Field], part: Part) -> None:
        values, listed = self._expansion(part)
        if part.quoted and listed and not values:
            # `"$@"` without parameters leaves no word behind.
            fields[-1].solid = fields[-1].length > 0
        fields[-1].solid = fields[-1].solid or (part.quoted and not listed)
        for number, value in enumerate(values):
            if fields[-1].length + len(value.text) > _MAX_WORD:
                fields[-1].add(part.text, Word(part.text, 0, 0, expands=True))
                return
            if number and (listed or not part.quoted):
                fields.append(_Field())
                fields[-1].solid = part.quoted
            elif number:
                fields[-1].add(" ")
            if part.quoted or value.expands:
                fields[-1].add(value.text, value)
                fields[-1].solid = True
            else:
                self._add_split(fields, value.text)

    def _add_split(self, fields: list[_Field], text: str) -> None:
        """Split an unquoted value at the characters of IFS."""
        ifs = self.values.get("IFS")
        marks = ifs[0].text if ifs and not ifs[0].expands else _BLANKS
        if text[:1] in marks and text and fields[-1].solid:
            fields.append(_Field())
        for number, piece in enumerate(_pieces(text, marks)):
            if number:
                fields.append(_Field())
            fields[-1].add(piece)
        if len(text) > 1 and text[-1] in marks:
            fields.append(_Field())

    def _expansion(self, part: Part) -> tuple[list[Word], bool]:
        """Return the values of an expansion; as written where they are not known."""
        unknown = Word(part.text, 0, 0, expands=True)
        if part.kind == "name":
            if part.text in ("$IFS", "${IFS}") and "IFS" not in self.values:
                return [Word(_BLANKS, 0, 0)], False
            values, listed = expand_parameter(part.text, self)
            return ([unknown] if values is None else values), listed
        if part.kind == "stream":
            return [unknown], False
        output = self.evaluate(inner_text(part.text), self)
        if output.whole:
            text = (output.text or "").rstrip("\n")
            return [Word(text, 0, 0, expands=output.partial)], False
        return [unknown._replace(source=output)], False


def _is_about(source: str, name: str) -> bool:
    arithmetic = source.startswith("$((")
    return bool(re.search(rf"\b{name}\b", source)) if arithmetic else name_of(source) == name


def _unplaced(word: Word) -> Word:
    """Take the place off an element: `[0]=git`."""
    return word._replace(text=re.sub(r"^\[\w+\]=", "", word.text))


def _pieces(text: str, marks: str) -> Iterator[str]:
    start = 0
    for at, letter in enumerate(text):
        if letter in marks:
            if at > start:
                yield text[start:at]
            start = at + 1
    if start < len(text):
        yield text[start:]


def _in_quotes(word: Word) -> Word:
    """Mark all parts as quoted: the value of an assignment is not split."""
    parts = word.parts or (Part("text", word.text),)
    return word._replace(parts=tuple(part._replace(quoted=True) for part in parts))


def _joined(first: Word, second: Word) -> Word:
    text = first.text + second.text
    if len(text) > _MAX_WORD:
        return first._replace(expands=True)
    expands = first.expands or second.expands
    return first._replace(text=text, expands=expands, source=first.source or second.source)
