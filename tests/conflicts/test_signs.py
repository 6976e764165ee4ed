"""What a clause asks for, allows, leaves open or forbids."""

from __future__ import annotations

import pytest

from dmm.conflicts.signs import Sign, sign_of
from dmm.conflicts.words import words_of


@pytest.mark.parametrize(
    ("clause", "sign"),
    [
        ("We use Redis", Sign.STATED),
        ("Always use Redis", Sign.REQUIRED),
        ("You may use Redis", Sign.ALLOWED),
        ("Redis is not used", Sign.DENIED),
        ("Never use Redis", Sign.FORBIDDEN),
        ("Do not use Redis", Sign.FORBIDDEN),
        ("Avoid Redis", Sign.FORBIDDEN),
        ("Redis is not allowed", Sign.FORBIDDEN),
        ("Stop using Redis", Sign.FORBIDDEN),
        ("Keep secrets out of the logs", Sign.FORBIDDEN),
        ("Direct pushes are blocked", Sign.FORBIDDEN),
        ("You need not use Redis", Sign.OPTIONAL),
        ("There is no need to use Redis", Sign.OPTIONAL),
        ("Redis is optional", Sign.OPTIONAL),
        ("Not every job uses Redis", Sign.OPTIONAL),
        ("Do not forget to use Redis", Sign.STATED),
        ("Use not only Redis", Sign.REQUIRED),
        ("Never deploy without Redis", Sign.REQUIRED),
        ("No user may own more than 5 keys", Sign.ALLOWED),
        ("Optional fields are sent", Sign.STATED),
    ],
)
def test_the_stance_of_a_clause(clause: str, sign: Sign) -> None:
    assert sign_of(words_of(clause), conditional=False) is sign


def test_what_is_refused_unless_something_holds_is_asked_for() -> None:
    assert sign_of(words_of("Do not deploy"), conditional=True) is Sign.REQUIRED
