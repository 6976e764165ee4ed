"""Describe rules on tool calls in plain words."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from dmm.rules.commands.checks import WORDS_FOR_CHECKS
from dmm.rules.commands.tools import TELLING_KEYS
from dmm.rules.patterns import (
    AllOf,
    BranchPattern,
    CommandPattern,
    ContentPattern,
    DependencyPattern,
    MessagePattern,
    PathPattern,
    ToolPattern,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.rules.callrules import ToolRule
    from dmm.rules.commands.facts import ToolCall
    from dmm.rules.patterns import Pattern
    from dmm.rules.rule import Rule, RuleLevel

LEADS: dict[str, str] = {"deny": "Blocks", "ask": "Asks before", "warn": "Warns about"}
ON_DECISIONS = "Not enforced on tool calls; only recorded decisions are checked."
ADVICE = "Not enforced; agents are shown the sentence while there is room for it."
_DONE = {
    "push": "pushing",
    "force-push": "force-pushing",
    "delete": "deleting",
    "commit": "committing to",
    "rewrite": "rewriting",
}


def _listed(parts: list[str], last: str = "or") -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _either(text: str) -> str:
    return _listed(text.split("|"))


def _command(pattern: CommandPattern, where: str = "") -> str:
    named = [name or "a bare redirection" for name in pattern.programs if name != "*"]
    program = "any command" if "*" in pattern.programs else _listed(named)
    words = [program, *(_either(one) for one in pattern.operands)]
    text = f"the command {' '.join(words)}" if program != "any command" else program
    if pattern.flags:
        text += f" with {_listed([_either(one) for one in pattern.flags], 'and')}"
    text += _rest(pattern)
    if pattern.check:
        text += f" {WORDS_FOR_CHECKS[pattern.check]}"
    lifted = [one for one in pattern.without if one != "--help"]
    return text + where + (f", except with {_listed(lifted)}" if lifted else "")


# What a regex asks of the place around, and a part that may be missing: neither names the text.
_AROUND = re.compile(r"\(\?<?[=!][^()]*\)|\(\?:[^()]*\)\?|\(\?i\)|\\b|(?<!\\)[\^$]|\\s[*+]")
# Signs of a regex that stand for one in the text, and what stands for them until it is read.
_SIGNS = (
    (r"\\\(", "\1", "("),
    (r"\\\)", "\2", ")"),
    (r"\[\^[^\]]*\]\*\??|\\w\+", "\3", "*"),
    (r"(?<=\w)\\s[*+](?=\w)", "\4", " "),
    (r"\(\?:\[\^[^\]]*\]\|=>\)\+\?", "\5", "…"),
)
_UNREAD = "\6"
# What must stand around the text, unless it only ends a word, and a bar that is text itself.
_MORE = re.compile(r"\(\?<?=(?![\[ ])|\\\|")
_REGEX = "its regular expression"
_BY_REGEX = f"text that fits {_REGEX}"


def _text(regex: str) -> str:
    """Describe what a regex finds: code like it, the names in it, or only that there is one."""
    from dmm.rules.content.constructs import DASH, IMPORTED, IMPORTS, sample_of
    from dmm.rules.content.expressions import LINE

    sample = sample_of(regex)
    if sample:
        return f"code like `{sample}`"
    whole = regex.removeprefix(LINE)
    rest = whole.removeprefix(IMPORTED).removeprefix(IMPORTS)
    imported = rest != whole
    text = rest.replace(DASH, "-") if imported else rest
    for sign, kept, _ in _SIGNS:
        text = re.sub(sign, kept, text)
    while (less := re.sub(r"\(\?:[^()]*\)(?!\?)", _UNREAD, _AROUND.sub("", text))) != text:
        text = less
    named = all(text.split("|")) and not _MORE.search(rest)
    if not named or re.search(rf"(?<!\\)[\[\](){{}}.*+?{_UNREAD}]|\\\w", text):
        return _BY_REGEX
    for _, kept, meant in _SIGNS:
        text = text.replace(kept, meant)
    names = [re.sub(r"\\(.)", r"\1", one) for one in text.split("|")]
    names = [f"`{one}{')' * (one.count('(') - one.count(')'))}`" for one in names]
    # What must not follow is more than the end of a word: `TODO`, but not `TODO(#12)`.
    lifted = " (with exceptions)" if re.search(r"\(\?!(?!\[)", rest) else ""
    return f"{'an import of ' if imported else ''}{_listed(names)}{lifted}"


def _rest(pattern: CommandPattern) -> str:
    """Describe the less common conditions of a command pattern."""
    given = [_either(one) for one in pattern.args if not one.startswith("!")]
    noun = "the arguments" if len(given) > 1 else "the argument"
    parts = [f"{noun} {_listed(given, 'and')}"] if given else []
    parts += [f"no argument {_either(one[1:])}" for one in pattern.args if one.startswith("!")]
    parts += ["no arguments"] if pattern.no_args else []
    parts += [f"{one} set" for one in pattern.env]
    parts += [_text(pattern.matches)] if pattern.matches else []
    named = {
        "remote": pattern.remotes,
        "host": pattern.hosts,
        "branch": pattern.branches,
        "package": pattern.packages,
    }
    parts += [f"the {name} {_selected(globs)}" for name, globs in named.items() if globs]
    text = f" with {_listed(parts, 'and')}" if parts else ""
    text += f" run by {_selected(pattern.via)}" if pattern.via else ""
    return text + (" called by its bare name" if pattern.bare else "")


def _selected(globs: Sequence[str], folder: str | None = None) -> str:
    """Describe what globs include and exclude, and their folder."""
    from dmm.rules.content.constructs import PROSE

    inside = f" in {folder}/" if folder else ""
    taken = [one for one in globs if not one.startswith("!")]
    prose = PROSE if set(PROSE) <= set(globs) else ()
    out = [one.removeprefix("!") for one in globs if one.startswith("!") and one not in prose]
    out += ["documentation"] if prose else []
    named = "any file" if taken == ["**"] else _listed(taken) or "any"
    return named + inside + (f" except {_listed(out)}" if out else "")


def _files(pattern: PathPattern) -> str:
    return _selected(pattern.glob.split("\n"), pattern.folder)


_ACCESS = {
    "read": "reading", "show": "reading", "write": "writing", "edit": "editing",
    "create": "creating", "delete": "deleting", "rename": "renaming",
}  # fmt: skip
_MESSAGES = {
    "commit": "commit message", "branch": "branch name", "pr_title": "pull request title",
    "pr_body": "pull request body", "tag": "tag name",
}  # fmt: skip


def _path(pattern: PathPattern) -> str:
    return f"{_listed([_ACCESS[one] for one in pattern.access])} {_files(pattern)}"


def _message(pattern: MessagePattern) -> str:
    text = f"a {_listed([_MESSAGES[one] for one in pattern.of])}"
    text += f" with {_text(pattern.regex)}" if pattern.regex else ""
    return text + (f" that does not fit {_REGEX}" if pattern.not_regex else "")


def _content(pattern: ContentPattern) -> str:
    parts = [f"code like `{pattern.pattern}`"] if pattern.pattern else []
    parts += [_syntax(json.loads(pattern.rule))] if pattern.rule else []
    parts += [_text(pattern.regex)] if pattern.regex else []
    done = "leaving" if not pattern.only_added else "writing"
    text = f"{'removing' if pattern.removed else done} {_listed(parts, 'and')}"
    return text + (f" in {pattern.language} files" if pattern.language else "")


def _syntax(rule: Any) -> str:
    """Describe what a syntax rule finds: code like it, or its kind."""
    from dmm.rules.content.constructs import sample_of

    if "any" in rule:
        return _listed([_syntax(one) for one in rule["any"]])
    sample = sample_of(rule)
    more = "" if sample or rule.keys() <= {"kind", "regex", "pattern"} else " under its conditions"
    if sample or "pattern" in rule:
        return f"code like `{sample or rule['pattern']}`{more}"
    found = _text(rule["regex"]) if "regex" in rule else _BY_REGEX
    text = f"code of the kind {rule['kind'].replace('_', ' ')}" if "kind" in rule else "code"
    return text + (f" with {found}" if found != _BY_REGEX else "") + more


def describe_pattern(pattern: Pattern) -> str:
    """Return what a pattern matches, in words."""
    match pattern:
        case ToolPattern():
            given = [*pattern.args, *([_text(pattern.matches)] if pattern.matches else [])]
            with_args = f" with {_listed(given, 'and')}" if given else ""
            return f"any call of the tool {pattern.name}{with_args}"
        case CommandPattern():
            return _command(pattern)
        case PathPattern():
            return _path(pattern)
        case MessagePattern():
            return _message(pattern)
        case DependencyPattern():
            return f"adding {_one_or_any('package', pattern.name)}{_but(pattern.but)}"
        case BranchPattern():
            done = _listed([_DONE[verb] for verb in pattern.verbs])
            return f"{done} {_one_or_any('branch', pattern.name)}{_but(pattern.but)}"
        case ContentPattern():
            return _content(pattern)
        case AllOf():
            return _together(pattern.patterns)


def _one_or_any(kind: str, name: str) -> str:
    return f"any {kind}" if name == "*" else f"the {kind} {name}"


def _together(patterns: Sequence[Pattern]) -> str:
    """Describe patterns that must all match; a path beside another pattern is its place."""
    places = [one for one in patterns if isinstance(one, PathPattern)]
    acts = [one for one in patterns if not isinstance(one, PathPattern)]
    if not acts:
        return _listed([_path(one) for one in places], "and")
    named = (f" {'of' if one.access == ('read',) else 'in'} {_files(one)}" for one in places)
    where = "".join(named)
    if len(acts) == 1 and isinstance(acts[0], CommandPattern):
        return _command(acts[0], where)
    return _listed([describe_pattern(one) for one in acts], "and") + where


def _but(names: tuple[str, ...]) -> str:
    return f" but not {_listed(list(names))}" if names else ""


def describe_call(call: ToolCall) -> str:
    """Return a call in one line: the command, or the tool and its first value."""
    command = call.input.get("command")
    if isinstance(command, str) and call.tool == "Bash":
        return command
    named = [str(call.input[name]) for name in TELLING_KEYS if name in call.input]
    values = named or [str(value) for value in call.input.values()]
    return f"{call.tool} {values[0]}" if values else call.tool


def describe_example(call: ToolCall) -> str:
    """Return an example call in one line, with the branch or folder it needs."""
    place = [f"on the branch {call.branch}"] if call.branch else []
    place += [f"in {call.cwd}"] if call.cwd else []
    text = str(call.input.get("content", "")).strip()
    told = f"{describe_call(call)}: {text}" if text else describe_call(call)
    return f"{told} ({', '.join(place)})" if place else told


def describe_rule(rule: Rule) -> Iterator[str]:
    """Return what a rule does to tool calls; an example says what a regular expression means."""
    if rule.call is None:
        return
    told = tuple(describe_matcher(rule.call, rule.level))
    yield from told
    if rule.block and any(_REGEX in one for one in told):
        yield f"For example: {describe_example(rule.block[0].call)}"


def describe_matcher(rule: ToolRule, level: RuleLevel) -> Iterator[str]:
    """Return what a rule does to tool calls at a level, one statement a line."""
    lead = LEADS.get(level, "Would block")
    tools = f" by the tool {' or '.join(rule.tools)}" if rule.tools else ""
    needs = " and ".join(one.text for one in rule.needs)
    until = f", unless this was done first: {needs}" if needs else ""
    for pattern in rule.patterns:
        yield f"{lead} {describe_pattern(pattern)}{tools}{until}."
    for pattern in rule.exceptions:
        yield f"Not for {describe_pattern(pattern)}."
