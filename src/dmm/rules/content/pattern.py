"""A pattern on what a call writes: a regular expression, a piece of code, or a rule on syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from dmm.domain.value import Value
from dmm.rules.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CallFacts


class ContentPattern(Value):
    """Text that a call adds to a file, leaves in it, or takes away.

    `pattern` is code with `$NAME` and `$$$` for what may vary, `rule` the JSON of a whole ast-grep
    rule. With a `regex` beside one of these, the code that is found must also match it. `language`
    limits the pattern to files of that language. With `only_new`, what the call takes away from the
    file as well does not count.
    """

    kind: ClassVar[str] = "content"
    regex: str = ""
    pattern: str = ""
    rule: str = ""
    language: str = ""
    only_added: bool = True
    removed: bool = False
    ignore_case: bool = False
    only_new: bool = False

    def reads(self, path: str) -> bool:
        """Return whether this looks for text that is added to a file of that name."""
        from dmm.rules.content.languages import is_written_in, language_of_path

        language = language_of_path(path)
        if self.removed or (self.language and not is_written_in(language, self.language)):
            return False
        return bool(language) or not (self.pattern or self.rule)

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the files whose text matches, each with its evidence, or why it is not known."""
        if not facts.writings:
            return
        # What searches text is loaded once there is text to search.
        from dmm.rules.content.search import Query, find_content

        for writing, line, stopped in find_content(Query(**vars(self)), facts.writings):
            where = writing.path
            if stopped:
                why = f"{where} could not be checked: {stopped}"
            elif self.removed:
                why = f"what is removed from {where} matches"
            else:
                where = f"{where} line {line}" if writing.whole else where
                why = f"{where} matches"
            yield writing, Evidence(writing.span, why, where, stopped, writing.doubt)
