"""What a clause asks for, allows, leaves open or forbids."""

from __future__ import annotations

import pytest

from dmm.conflicts.signs import Sign, denied_in, sign_of
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
        ("Redis is an optional part", Sign.OPTIONAL),
        ("Not every job uses Redis", Sign.OPTIONAL),
        ("Do not forget to use Redis", Sign.STATED),
        ("Use not only Redis", Sign.REQUIRED),
        ("Never deploy without Redis", Sign.REQUIRED),
        ("No user may own more than 5 keys", Sign.ALLOWED),
        ("Optional fields are sent", Sign.STATED),
        ("Mocks are fine", Sign.ALLOWED),
        ("Mocks are ok in tests", Sign.ALLOWED),
        ("It is permitted to deploy", Sign.ALLOWED),
        ("It is acceptable to use mocks", Sign.ALLOWED),
        ("Deploying is not forbidden", Sign.ALLOWED),
        ("Mocks are forbidden", Sign.FORBIDDEN),
        ("Mocks are banned", Sign.FORBIDDEN),
        ("Mocks are off limits", Sign.FORBIDDEN),
        ("Mocks are prohibited", Sign.FORBIDDEN),
        ("Mocks are unacceptable", Sign.FORBIDDEN),
        ("Mocks are frowned upon", Sign.FORBIDDEN),
        ("Mocks are not ok", Sign.FORBIDDEN),
        ("Mocks should be avoided", Sign.FORBIDDEN),
        ("Nobody may deploy on Friday", Sign.FORBIDDEN),
        ("You can't deploy on Friday", Sign.FORBIDDEN),
        ("It is not permitted to deploy", Sign.FORBIDDEN),
        ("Refrain from mocks", Sign.FORBIDDEN),
        ("Steer clear of mocks", Sign.FORBIDDEN),
        ("Secrets may not be logged", Sign.FORBIDDEN),
        ("No deploys on Friday", Sign.DENIED),
        ("No one deploys on Friday", Sign.DENIED),
        ("Nothing is cached", Sign.DENIED),
        ("Neither tests nor docs are shipped", Sign.DENIED),
        ("Tests are mandatory", Sign.REQUIRED),
        ("Tests need to run", Sign.REQUIRED),
        ("Mocks should not be avoided", Sign.REQUIRED),
        ("Tests are not mandatory", Sign.OPTIONAL),
        ("Tests aren't required", Sign.OPTIONAL),
        ("You do not have to write tests", Sign.OPTIONAL),
        ("You don't need tests", Sign.OPTIONAL),
        ("Tests are voluntary", Sign.OPTIONAL),
    ],
)
def test_the_stance_of_a_clause(clause: str, sign: Sign) -> None:
    assert sign_of(words_of(clause), conditional=False) is sign


def test_what_is_refused_unless_something_holds_is_asked_for() -> None:
    assert sign_of(words_of("Do not deploy"), conditional=True) is Sign.REQUIRED


@pytest.mark.parametrize(
    ("clause", "denied"),
    [
        ("The lead coordinates and does not debug", {"debug"}),
        ("Wildcard imports are not allowed", {"wildcard", "import"}),
        ("No update, no delete", {"update", "delete"}),
        ("The nodes have no internet, set the mode", {"internet"}),
        ("Nodes have internet", set()),
        ("No hook that is not signed", set()),
    ],
)
def test_what_a_denial_is_about(clause: str, denied: set[str]) -> None:
    assert denied_in(words_of(clause)) == denied
