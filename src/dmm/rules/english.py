"""Compile English sentences into the fields of rule files."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dmm.errors import RuleFormError
from dmm.rules.explain import describe_pattern
from dmm.rules.form import compile_fields
from dmm.rules.language.sentences.clauses import clauses_of
from dmm.rules.language.sentences.compile import Sentence, read_sentence
from dmm.rules.language.sentences.things import NOWHERE, Surroundings
from dmm.rules.source import prove
from dmm.text.pieces import sentences

if TYPE_CHECKING:
    from dmm.rules.callrules import ToolRule

__all__ = ["NOWHERE", "Sentence", "Surroundings", "asks_first", "call_rules", "compile_sentence"]

_BY_NAME = 'If another command did that, name it with query_memory: "./COMMAND runs {}".'


def compile_sentence(text: str, known: Surroundings = NOWHERE) -> Sentence:
    """Compile an English rule of a common form; return None if it is not certain."""
    found = read_sentence(text, known)
    if found.fields is None:
        return found
    fields = _placed(_of_new_text(found.fields))
    try:
        failures = prove(compile_fields(fields, text, stem="said"))
    except RuleFormError as fault:
        return Sentence(None, f"its matcher can't be used: {fault}")
    if failures:
        return Sentence(None, f"its example would not hold: {failures[0].example}")
    return found._replace(fields=fields)


def asks_first(text: str) -> bool:
    """Return whether a sentence wants a question first: "Ask before running migrations"."""
    clauses = [clause for one in sentences(text) for clause in clauses_of(one)]
    return bool(clauses) and all(clause.level == "ask" for clause in clauses)


def _of_new_text(fields: dict[str, object]) -> dict[str, object]:
    """Limit a content matcher to new text, so that existing lines may stay."""
    items = fields.get("match")
    if not isinstance(items, list):
        return fields
    marked = [
        one | {"content": one["content"] | {"only_new": True}} if "content" in one else one
        for one in items
    ]
    return fields | {"match": marked}


def _placed(fields: dict[str, object]) -> dict[str, object]:
    """Move the paths in a rule's examples into its folder."""
    folder = fields.get("folder")
    if not folder:
        return fields
    if "'path'" not in str(fields.get("match")):
        return {name: value for name, value in fields.items() if name != "folder"}
    examples = fields.get("examples")
    if not isinstance(examples, dict):
        return fields
    moved = {
        kind: [_moved(one, str(folder)) if isinstance(one, dict) else one for one in held]
        for kind, held in examples.items()
    }
    return fields | {"examples": moved}


def _moved(example: dict[str, object], folder: str) -> dict[str, object]:
    if set(example) == {"run"}:
        return {"run": f"cd {folder} && {example['run']}"}
    paths = ("write", "edit", "read", "delete")
    return {
        name: f"{folder}/{value}" if name in paths else value for name, value in example.items()
    }


def call_rules(text: str) -> tuple[ToolRule, ...]:
    """Compile an English constraint into rules on tool calls; none if it is not certain."""
    found = compile_sentence(text)
    if found.fields is None:
        return ()
    named = hashlib.sha256(text.strip().encode()).hexdigest()[:10]
    call = compile_fields(found.fields, text.strip(), found.instead, stem=f"said.{named}").call
    if call is None:
        return ()
    what = describe_pattern(call.patterns[0])
    needs = tuple(
        one.changed(text=f"the {one.text}") if one.is_procedure else one for one in call.needs
    )
    reason, suggestion = f"{what} is forbidden", found.instead
    if needs:
        steps = " and ".join(one.text for one in needs)
        reason, suggestion = f"{what} needs {steps} first", f"First run {steps}, then try again."
        known = next((one.text for one in needs if one.is_procedure), "")
        suggestion += f" {_BY_NAME.format(known)}" if known else ""
    return (call.changed(needs=needs, reason=reason, suggestion=suggestion),)
