"""Rule files are read into typed rules, and wrong fields are refused by their place."""

from __future__ import annotations

import pytest

from dmm.errors import MemoryFileError, RuleFormError
from dmm.files.rules import name_rule, parse_rule, write_rule
from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.form import compile_fields
from dmm.rules.rule import Rule, State
from dmm.rules.source import prove

NO_FORCE = """---
id: no-force-push
level: deny
match:
  - command: git push --force
examples:
  block:
    - git push -f origin main
    - {run: "git push --force"}
  allow:
    - git push origin main
    - git push --force-with-lease
origin: CLAUDE.md:12
triggered_by: 41
---
# Never force-push

Rewritten history breaks everyone's clones.

More words.
"""


def read(source: str, path: str = "rules/a-rule.md") -> Rule:
    held = parse_rule(path, source)
    return compile_fields(held.fields, held.title, held.body, "a-rule")


def test_a_rule_file_is_its_sentence_its_matchers_and_its_examples() -> None:
    rule = read(NO_FORCE)
    assert (rule.id, rule.level, rule.title) == ("no-force-push", "deny", "Never force-push")
    assert rule.why.startswith("Rewritten history")
    assert (rule.origin, rule.triggered_by) == ("CLAUDE.md:12", 41)
    assert [one.text for one in rule.block] == ["git push -f origin main", "git push --force"]
    assert rule.state(judges_decisions=True) is State.ENFORCED
    assert prove(rule) == ()


def test_an_example_that_does_not_hold_is_named() -> None:
    source = NO_FORCE.replace("git push origin main\n    - git", "git push -f\n    - git")
    (failure,) = prove(read(source))
    assert failure.place == ("examples", "allow", 0)
    assert failure.what.startswith("it is stopped: ")
    assert "constraint" not in failure.what


def test_a_rule_without_a_matcher_is_advice_or_judges_decisions() -> None:
    rule = read("---\nlevel: deny\n---\n# Prefer clarity\n")
    assert rule.id == "a-rule"
    assert rule.state(judges_decisions=False) is State.ADVICE
    assert rule.state(judges_decisions=True) is State.DECISIONS
    assert read("---\nid: b\n---\n# Prefer clarity\n").level == "advise"


def test_what_is_written_reads_back_the_same() -> None:
    held = parse_rule("rules/a.md", NO_FORCE)
    again = parse_rule("rules/a.md", write_rule(held.fields, held.title, held.body))
    assert (again.fields, again.title, again.body) == (held.fields, held.title, held.body)


@pytest.mark.parametrize(
    ("front", "place", "what"),
    [
        ("lvl: deny", ("lvl",), "unknown field 'lvl'"),
        ("level: hard", ("level",), "the level must be one of"),
        ("id: Not An Id", ("id",), "is not a valid id"),
        ("match: []", ("match",), "empty"),
        ("match: {path: 'src/[a.ts'}", ("match", "path"), "is not a valid glob"),
        (
            "match: {content: {pattern: 'foo(('}, path: '*.ts'}",
            ("match", "content", "pattern"),
            "typescript",
        ),
        ("match: {content: {regex: '('}}", ("match", "content", "regex"), ""),
        ("match: [{comand: git push}]", ("match", 0, "comand"), "unknown field 'comand'"),
        ("match: [{command: ''}]", ("match", 0, "command"), "text is expected"),
        ("unless: [{path: a}]", ("unless",), "'unless' needs 'match'"),
        ("before: [{command: git push}]", ("before",), "'before' needs 'require'"),
        ("triggered_by: soon", ("triggered_by",), "a whole number"),
        ("examples: {blok: [a]}", ("examples", "blok"), "unknown field"),
        ("examples: {block: [{write: a, tex: b}]}", ("examples", "block", 0, "tex"), "unknown"),
    ],
)
def test_a_wrong_field_is_refused_by_its_place(
    front: str, place: tuple[str | int, ...], what: str
) -> None:
    held = parse_rule("rules/a.md", f"---\n{front}\n---\n# A rule\n")
    with pytest.raises(RuleFormError) as refused:
        compile_fields(held.fields, held.title, held.body, "a")
    assert refused.value.place == place
    assert what in str(refused.value)
    assert held.line_of(place) == 2


def test_a_merge_conflict_is_called_one() -> None:
    ours, theirs = "level: deny", "level: ask"
    front = f"<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> topic"
    with pytest.raises(MemoryFileError, match="unresolved merge conflict") as refused:
        parse_rule("rules/a.md", f"---\n{front}\n---\n# A rule\n")
    assert refused.value.line == 2


def test_a_file_without_front_matter_is_pointed_to_the_page_on_rules() -> None:
    with pytest.raises(MemoryFileError, match="no front matter") as refused:
        parse_rule("rules/a.md", "# A rule\n")
    assert "docs/rules.md" in str(refused.value.hint)


def test_a_field_is_found_on_its_line() -> None:
    source = "---\nid: a\nmatch:\n  - path: a\n  - command:\n      program: git\n---\n# A\n"
    held = parse_rule("rules/a.md", source)
    assert held.line_of(("match", 1, "command", "program")) == 6
    assert held.line_of(("match", 1, "command", "program", 0)) == 6


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("# No front matter\n", 1),
        ("---\nid: a\n---\nno title\n", 4),
        ("---\nid: [\n---\n# A\n", 3),
        ("---\nid: a\nid: b\n---\n# A\n", 3),
    ],
)
def test_a_file_that_is_no_rule_is_refused_with_its_line(source: str, line: int) -> None:
    with pytest.raises(MemoryFileError) as refused:
        parse_rule("rules/a.md", source)
    assert refused.value.line == line


def test_a_new_rule_is_named_by_its_title() -> None:
    assert name_rule("Don't push to `main`!") == "dont-push-to-main"
    assert name_rule("Don't push to `main`!", ["dont-push-to-main"]) == "dont-push-to-main-2"
    assert name_rule("…") == "rule"


@pytest.mark.parametrize("glob", ["src/**.ts", "a**/b", "/**x"])
def test_two_stars_in_a_name_beside_folders_are_refused(glob: str) -> None:
    with pytest.raises(RuleFormError) as refused:
        compile_fields({"match": {"path": glob}}, "x", stem="x")
    assert "**" in str(refused.value)


@pytest.mark.parametrize("glob", ["**.ts", "**a*b", "src/**", "**/gen/*.ts", "**"])
def test_a_glob_of_any_length_is_held_against_a_path_of_any_length(glob: str) -> None:
    rule = compile_fields({"match": {"path": glob}}, "x", stem="x")
    assert rule.call is not None
    (pattern,) = rule.call.patterns
    path = f"src/gen/{'d/' * 5_000}gen/aab.ts"
    call = ToolCall("Write", {"file_path": path if glob != "**a*b" else path[:-3], "content": ""})
    assert list(pattern.find(read_call(call)))
