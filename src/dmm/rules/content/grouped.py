"""Groups: the commands of `{ …; }`, `( … )` or a loop whose output goes to one file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dmm.rules.commands.values import Invocation, Script

_ENDS = r"(?:[})]|(?<![\w-])(?:done|fi|esac))\s*$"
_OPENS = {"}": r"\{", ")": r"\(", "done": "for|while|until|select", "fi": "if", "esac": "case"}


def grouped(invocation: Invocation, script: Script) -> list[Invocation] | None:
    """Give the commands that print to a redirection; none where it follows no group."""
    end = invocation.span[0]
    # A redirection begins with the word that closes the group, or behind its parenthesis.
    word = re.compile(r"\}|(?:done|fi|esac)(?![\w-])").match(script.text, end)
    end = word.end() if word else end
    syntax = _syntax_before(end, script)
    closing = re.search(_ENDS, syntax)
    start = _opening(syntax[: closing.end()], closing[0].strip()) if closing else None
    if start is None:
        return None
    return [
        one
        for one in script.invocations
        if start <= one.span[0] < end and one.words and _prints(one)
    ]


def _prints(one: Invocation) -> bool:
    context = one.context
    elsewhere = any(held.writes for held in one.redirections)
    inner = context.in_substitution or context.parent is not None
    return not (elsewhere or inner or context.piped_into)


def _syntax_before(end: int, script: Script) -> str:
    """Blank out the commands and here-documents: what is left is the shell's own syntax."""
    left = list(script.text[:end])
    for one in script.invocations:
        spans = [one.span, *(held.body_span for held in one.redirections)]
        for start, stop in spans:
            if stop <= end:
                left[start:stop] = " " * (stop - start)
    return "".join(left)


def _opening(syntax: str, mark: str) -> int | None:
    depth = 0
    shape = rf"(?<![\w-])(?:{_OPENS[mark]})(?![\w-])" if mark.isalpha() else _OPENS[mark]
    closing = re.escape(mark) if not mark.isalpha() else rf"(?<![\w-]){mark}(?![\w-])"
    for found in reversed(list(re.finditer(rf"(?P<opens>{shape})|{closing}", syntax))):
        depth += -1 if found["opens"] else 1
        if depth == 0:
            return found.start()
    return None
