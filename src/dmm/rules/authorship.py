"""Compile a sentence or a ledger constraint into a tested rule file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.domain.frozen import frozen
from dmm.errors import DmmError, MemoryFileError, RuleFormError, UsageError
from dmm.files.rules import FOLDER, name_rule, parse_rule, write_rule
from dmm.redaction.clean import clean
from dmm.redaction.inputs import accept, need_one
from dmm.rules.english import NOWHERE, Sentence, Surroundings, asks_first, compile_sentence
from dmm.rules.fields import example_of, fields_of
from dmm.rules.form import compile_fields
from dmm.rules.rule import RULE_LEVELS, RuleLevel, State
from dmm.rules.rulebook import on_calls, on_tools
from dmm.rules.source import check_rule, prove, read_sentence, state_of_rule
from dmm.rules.states import state_of
from dmm.rules.syntax import compile_tool_rule
from dmm.text.prose import straighten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dmm.eventlog.state import Constraint
    from dmm.rules.callrules import ToolRule
    from dmm.rules.rule import Rule

ORDER = tuple(State)
INEXPRESSIBLE = "what it matches can't be written as a matcher; it stays active in the ledger"
MATCHERS = ("match", "unless", "before", "require")
# What a matcher may bring along where it is given as the fields of a file.
GIVEN = (*MATCHERS, "level", "folder")
# Marks of a sentence, not of a name: C# is not C, and == is not ===.
_BEFORE, _AFTER = "\"'`([*_", "\"'`)]*_.,;:!?-\N{EM DASH}\N{EN DASH}"
FORM_HINT = "dmm rules draft prints the matcher reference"


@frozen
class Wish:
    """A requested rule; without a matcher, its sentence is compiled.

    `origin` is the file and line it was imported from, `known` what surrounds its sentence.
    """

    text: str
    level: str | None = None
    match: Any = None
    unless: Any = None
    examples: Any = None
    why: str = ""
    triggered_by: int | None = None
    origin: str = ""
    known: Surroundings = NOWHERE
    compiled: bool = True


@frozen
class Composed:
    """A tested rule with the text of its file.

    `why_not` says why the sentence gave no matcher.
    """

    rule: Rule
    source: str
    why_not: str = ""


def compile_english(text: str, known: Surroundings = NOWHERE) -> Sentence:
    """Compile a sentence into the fields of a rule file; `known` is its context."""
    tool = compile_tool_rule(text)
    if tool is None:
        return compile_sentence(text, known)
    fields = fields_of(tool)
    if fields is None:
        return Sentence(None, "what it says can't be written as a matcher")
    examples = {"block": [example_of(tool.blocked)], "allow": [example_of(tool.allowed)]}
    return Sentence(fields | {"examples": examples})


def compose(wish: Wish, taken: Sequence[str], kept: Mapping[str, Any] | None = None) -> Composed:
    """Compose and test the requested rule; `kept` are fields of the file it replaces."""
    title = " ".join(accept("rule", wish.text).split())
    if wish.level is not None:
        need_one("level", wish.level, RULE_LEVELS)
    reading = _read(wish, title)
    fields: dict[str, Any] = dict(kept or {})
    fields.setdefault("id", name_rule(title, taken))
    fields |= reading.fields or {}
    if wish.examples is not None:
        fields["examples"] = wish.examples
    level = wish.level or fields.get("level")
    if level is None and fields.keys().isdisjoint(("match", "before")):
        level = _level_alone(title)
    if level is not None:
        fields["level"] = level
    if wish.triggered_by is not None:
        fields["triggered_by"] = wish.triggered_by
    if wish.origin:
        fields["origin"] = wish.origin
    _prove(compile_fields(fields, title, wish.why))
    source = clean(write_rule(fields, title, wish.why))
    # Read back as it will be from the file; nothing that is cleaned out may change what it says.
    return Composed(check_rule(f"{FOLDER}/{fields['id']}.md", source), source, reading.why_not)


def _level_alone(title: str) -> RuleLevel | None:
    """Return the level of a sentence without a matcher, which decisions may be checked against."""
    if asks_first(title):
        return "ask"
    return "deny" if read_sentence(title) is not None else None


def _prove(rule: Rule) -> None:
    """Refuse a rule whose examples fail, naming the first failure."""
    for failure in prove(rule):
        wanted = "stopped" if failure.kind == "block" else "allowed"
        what = f"{failure.example!r} should be {wanted}, but {failure.what}"
        hint = "correct the matcher or the example"
        raise RuleFormError(failure.place, what, hint=hint)


def _read(wish: Wish, title: str) -> Sentence:
    if wish.match is None:
        if wish.unless is not None:
            raise UsageError("'unless' needs 'match'", hint=FORM_HINT)
        return compile_english(title, wish.known) if wish.compiled else Sentence(None)
    given = wish.match
    # The fields of a file, or what it matches alone.
    whole = isinstance(given, dict) and not set(GIVEN).isdisjoint(given)
    fields = dict(given) if whole else {"match": given}
    for name in fields:
        if name not in GIVEN:
            what = f"unknown field '{name}'"
            raise UsageError(what, where="match", hint=f"known: {', '.join(GIVEN)}; {FORM_HINT}")
    return Sentence(fields | ({} if wish.unless is None else {"unless": wish.unless}))


def need_examples(examples: Any) -> None:
    """Refuse a rule without examples of blocked and allowed calls."""
    for kind in ("block", "allow"):
        if not isinstance(examples, dict) or not examples.get(kind):
            what = f"the rule has no example of a call that it must {kind}"
            hint = 'give examples, such as {"block": ["git push -f"], "allow": ["git push"]}'
            raise UsageError(what, where="examples", hint=hint)


@frozen
class Likeness:
    """Recognises equal rules, by their words or by what they match."""

    words: str
    matcher: ToolRule | None = None
    title: str = ""
    folder: str = ""

    @classmethod
    def of(cls, title: str, call: ToolRule | None = None, folder: str = "") -> Likeness:
        """Return the likeness of a rule."""
        words = (one.lstrip(_BEFORE).rstrip(_AFTER) for one in straighten(title.casefold()).split())
        return cls(" ".join(filter(None, words)), call, title, folder)

    def same_words(self, other: Likeness) -> bool:
        """Return whether both rules have the same sentence."""
        return self.words == other.words

    def same(self, other: Likeness) -> bool:
        """Return whether both rules say the same."""
        return self.same_matcher(other) or self.same_words(other)

    def same_matcher(self, other: Likeness) -> bool:
        """Return whether both rules stop the same calls."""
        return self._matched() is not None and self._matched() == other._matched()

    def _matched(self) -> object:
        one = self.matcher
        return one and (one.patterns, one.exceptions, one.needs, self.folder)

    def find_other_way(self, other: Likeness) -> str:
        """Return the replacement that an overlapping rule names, if it differs from ours."""
        if self.matcher is None or other.matcher is None or self.same_words(other):
            return ""
        shared = any(one in other.matcher.patterns for one in self.matcher.patterns)
        if not shared or self.folder != other.folder:
            return ""
        own, way = name_way_out(self.title), name_way_out(other.title)
        return way if own and own != way else ""


def name_way_out(title: str) -> str:
    """Return what a sentence says to use instead, without its purpose."""
    said = compile_sentence(title).instead
    return said.split()[1].strip("`.,") if said.startswith("Use ") else ""


def first_paragraph(why: str) -> str:
    """Return the reason that is shown with a block."""
    return " ".join(why.strip().partition("\n\n")[0].split())


def switch(source: str, *, disabled: bool) -> str:
    """Switch a rule off or on in its front matter; every other line stays as it is."""
    front, mark, rest = source.partition("\n---")
    lines = [line for line in front.split("\n") if not line.startswith("disabled:")]
    if disabled:
        lines.append("disabled: true")
    return "\n".join(lines) + mark + rest


def read_field(name: str, text: str) -> Any:
    """Parse the YAML of one field of a rule file."""
    path = f"--{name}"
    body = "\n".join(f"  {line}" for line in text.strip().splitlines())
    source = f"---\n{name}:\n{body}\n---\n# {name}\n"
    try:
        return parse_rule(path, source).fields[name]
    except MemoryFileError as error:
        hint = f"write it as in a rule file; {FORM_HINT}"
        raise UsageError(error.what, where=path, hint=hint) from error


def adopt_constraint(one: Constraint, taken: Sequence[str]) -> Composed | str:
    """Return an equally strict rule file for a constraint, or why there is none."""
    before = state_of(one)
    for fields in _readings(one):
        title = " ".join(one.text.split())
        name = name_rule(title, taken)
        whole = {"id": name, **fields, "origin": f"ledger constraint {one.seq}"}
        if one.triggered_by is not None:
            whole["triggered_by"] = one.triggered_by
        source = write_rule(whole, title)
        try:
            rule = check_rule(f"{FOLDER}/{name}.md", source)
        except DmmError:
            continue
        if ORDER.index(state_of_rule(rule)) <= ORDER.index(before):
            return Composed(rule, source)
    return INEXPRESSIBLE


def _readings(one: Constraint) -> Iterator[dict[str, Any]]:
    """Return candidate fields for a constraint: from its patterns, from its words, or none."""
    calls = [entry.rule for entry in on_calls(one)]
    soft = one.priority == "preferred"
    if not calls:
        level = "deny" if state_of(one) is State.DECISIONS else "advise"
        yield {"level": level}
        return
    typed = on_tools(one)
    exact = None if typed is None else fields_of(typed)
    spoken = compile_english(one.text).fields
    for fields in (exact, spoken):
        if fields is None:
            continue
        examples = {
            "block": [example_of(call.blocked) for call in calls],
            "allow": [example_of(call.allowed) for call in calls],
        }
        yield fields | {"examples": examples} | ({"level": "warn"} if soft else {})
