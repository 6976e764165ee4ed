"""Here-documents: their bodies, read where the line ends that announces them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.commands.scanner import Parts, WordScanner
from dmm.rules.commands.values import Redirection

if TYPE_CHECKING:
    from dmm.rules.commands.drafts import Draft


class DocumentScanner(WordScanner):
    """Reads the bodies of here-documents; the drafts that want one wait in `pending`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.pending: list[tuple[Draft, int]] = []
        self.current: int | None = None

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
