"""Request and response models for rules over HTTP.

Pydantic reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from dmm.files.rules import MAX_BYTES
from dmm.http.models import WRITTEN, Decided, InProject, Rule, Seq, Whole
from dmm.redaction.inputs import LONGEST_TEXT

LONGEST_CALL = 256 * 1024
LONGEST_PATH = 4_096
MOST_NAMES = 100

Source = Annotated[str, Field(max_length=MAX_BYTES, description="The whole text of a rule file.")]
Matcher = Annotated[
    dict[str, Any] | list[Any] | None,
    Field(description="In rule file syntax; docs/rules.md describes every field."),
]
Name = Annotated[str, Field(min_length=1, max_length=100, pattern=WRITTEN)]
PathText = Annotated[str, Field(min_length=1, max_length=LONGEST_PATH, pattern=WRITTEN)]
Text = Annotated[str, Field(max_length=LONGEST_CALL)]


class Sentence(InProject):
    """A rule to compile; a sentence of a common form needs no matcher. Nothing is kept."""

    text: Rule
    level: Literal["deny", "ask", "warn", "advise"] | None = None
    match: Matcher = None
    unless: Matcher = None
    examples: dict[str, Any] | None = None
    why: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class NewRule(Decided, Sentence):
    """A rule to add; `seen` is the digest that it was compiled with."""

    seen: Whole | None = None


class RuleText(Decided):
    """The new text of a rule file."""

    source: Source


class RuleAct(Decided):
    """Something to do with one rule; `seen` is the digest that was shown with it."""

    seen: Whole | None = None


class Accepting(Decided):
    """Pending rules to put in force, by id or number; `seen` is the digest shown with the rule.

    Of several rules it is the SHA-256 of their digests, one a line.
    """

    names: Annotated[list[Name], Field(min_length=1, max_length=MOST_NAMES)]
    seen: Whole | None = None


class Adopting(Decided):
    """Constraints to turn into rule files; without numbers all but the starter rules.

    `seen` is the digest shown with the rule; of several, as with accepting.
    """

    seqs: Annotated[list[Seq], Field(max_length=MOST_NAMES)] | None = None
    seen: Whole | None = None


class Rehearsing(InProject):
    """A rule to hold the past against: its id, a sentence, or the text of a file."""

    rule: Annotated[str, Field(min_length=1, max_length=MAX_BYTES, pattern=WRITTEN)]


class Checking(InProject):
    """One call to judge: a command, or a file that is written, read or edited, or a tool."""

    command: Annotated[str, Field(min_length=1, max_length=LONGEST_CALL)] | None = None
    write: PathText | None = None
    text: Text = ""
    read: PathText | None = None
    edit: PathText | None = None
    old: Text = ""
    new: Text = ""
    tool: Name | None = None
    input: dict[str, Any] | None = None
    decision: (
        Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=WRITTEN)] | None
    ) = None
    branch: Annotated[str, Field(max_length=200)] | None = None
