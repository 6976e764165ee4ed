"""Search for secrets by patterns that are listed in tables."""

from __future__ import annotations

from dmm.redaction.patterns import later, match_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from dmm.redaction.layers import Layer
    from dmm.redaction.patterns import Span


def _any(_: object) -> bool:
    return True


class Form:
    """A pattern of secrets: the literals that a match begins with, and the rest.

    The last group of the pattern is the secret, where the judge agrees and what is near fits.
    Without a beginning, the pattern is looked for in the whole text. A folded form has its
    beginnings in small letters. What a form needs is in every text that it is worth trying on.
    """

    __slots__ = ("begins", "folded", "judge", "label", "near", "needs", "source")

    def __init__(
        self,
        label: str,
        begins: tuple[str, ...],
        source: str,
        judge: Callable[[str], bool] = _any,
        *,
        near: Callable[[re.Match[str]], bool] = _any,
        folded: bool = False,
        needs: str = "",
    ) -> None:
        self.label, self.begins, self.source = label, begins, source
        self.judge, self.near = judge, near
        self.folded = folded
        self.needs = needs or (begins[0] if len(begins) == 1 and not folded else "")

    def find(self, layer: Layer) -> Iterator[re.Match[str]]:
        """Find all matches of this form, secret or not."""
        if not self.begins:
            return later(self.source).finditer(layer.text)
        within = layer.lowered if self.folded else layer.text
        return match_at(self.source, layer.text, self.begins, within)


def scan_forms(forms: tuple[Form, ...], layer: Layer) -> Iterator[Span]:
    """Find the secrets that match one of the forms."""
    text = layer.text
    for form in forms:
        if form.needs in text:
            for found in form.find(layer):
                group = found.lastindex or 0
                if form.judge(found[group]) and form.near(found):
                    yield (*found.span(group), form.label)
