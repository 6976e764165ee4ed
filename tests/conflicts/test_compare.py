"""Pairs of short notes, and what comparing them says."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.compare import compare
from dmm.domain.conflict import Clash, ConflictType
from dmm.domain.memory import Status

if TYPE_CHECKING:
    from tests.conflicts.conftest import Judge, NewReading


def is_conflict(found: Clash | None) -> bool:
    return found is not None and found.type is not ConflictType.DUPLICATE


CONFLICTS = [
    ("Session tokens expire after 24 hours.", "Session tokens are valid for 1 hour."),
    ("The HTTP client makes at most 3 retries.", "The HTTP client makes five retries."),
    ("At least two reviewers approve a pull request.", "A pull request needs one approval."),
    ("Lines must not exceed 100 characters.", "The maximum line length is 80 characters."),
    ("CI requires a coverage of 80 %.", "The pipeline fails when coverage is below 90 %."),
    ("Backups are kept for 30 days.", "We retain backups for 90 days."),
    ("Database backups run daily.", "The database is backed up once a week."),
    ("The cleanup job runs at 03:00.", "The cleanup job runs at 23:30."),
    ("The project requires Node 18.", "We run on Node 20."),
    ("Validation failures return HTTP 400.", "Validation failures return HTTP 422."),
    ("The primary database is PostgreSQL.", "We store data in MongoDB as our primary database."),
    ("Use pnpm for package installs.", "Use npm for installing packages."),
    ("Use tabs for indentation.", "Indent with spaces."),
    ("Internal services communicate over gRPC.", "Internal services talk via REST."),
    ("JSON keys are camelCase.", "Use snake_case for JSON keys."),
    ("Table names are plural.", "Table names are singular."),
    ("Use Redis for caching.", "Do not use Redis for caching."),
    ("Telemetry is enabled by default.", "Telemetry is turned off by default."),
    ("Tests may call external services.", "Tests must not call external services."),
    ("A changelog entry is mandatory.", "A changelog entry is optional."),
    ("Every public function needs a docstring.", "Not every public function needs a docstring."),
    ("Run migrations before the deploy.", "Run migrations after the deploy."),
    ("The parser is written in C++.", "The parser is implemented in Rust."),
    ("Images are pushed to Harbor.", "Images are pushed to Quay."),
    ("The Billing team owns the invoices.", "The invoices are owned by the Platform team."),
    ("Lists are sorted by name.", "Lists are sorted by price."),
    ("Deploys need approval.", "You may deploy without approval."),
    ("Responses are sent as JSON.", "Responses are sent as XML."),
    ("Infrastructure is changed by CI only.", "Infrastructure is changed from your laptop."),
]

# A note in force that another one tells to be outdated misleads whoever reads it.
OUTDATED = [
    ("We no longer support Safari.", "Safari is supported."),
    ("Jenkins was shut down in May.", "CI runs on Jenkins; add jobs to the Jenkinsfile."),
]

COMPATIBLE = [
    ("In production the log level is WARNING.", "In development the log level is DEBUG."),
    ("In Python, use snake_case for functions.", "In Java, use camelCase for functions."),
    ("API v1 returns Unix timestamps.", "API v2 returns ISO 8601 timestamps."),
    ("Access tokens expire after 15 minutes.", "Refresh tokens expire after 30 days."),
    ("The connect timeout is 5 seconds.", "The read timeout is 30 seconds."),
    ("The API logs at INFO level.", "The worker logs at DEBUG level."),
    ("On Windows use PowerShell.", "On Linux use bash."),
    ("Admins may delete projects.", "Regular users must not delete projects."),
    ("Until March 2025 jobs run on Nomad.", "From April 2025 jobs run on Kubernetes."),
    ("During the freeze nothing is deployed.", "Deploys happen daily."),
    ("Until the cluster is up, imports are limited to 2.", "Imports are limited to 10."),
    ("Never deploy on Fridays except for hotfixes.", "Hotfixes may be deployed on Fridays."),
    ("We used to deploy with Jenkins.", "We deploy with GitHub Actions."),
    ("As of v3 we use Vite instead of webpack.", "We bundle with webpack."),
    ("The limit was raised from 10 MB to 50 MB.", "The limit is 10 MB."),
    ("The session length is now 8 hours (was 24).", "The session length is 24 hours."),
    ("We considered Kafka and rejected it.", "Events are published to RabbitMQ."),
    ("Should we use GraphQL for the API?", "The API is REST."),
    ("Do not forget to configure Redis.", "Redis is the cache of the web shop."),
    ("The HTTP client makes at most 5 retries.", "The HTTP client retries 3 times."),
    ("The pool has between 2 and 10 workers.", "The pool has 4 workers."),
    ("Run ruff before committing.", "Run mypy before committing."),
    ("Daily backups are kept for 7 days.", "Weekly backups are kept for 3 months."),
    ("Invoices are archived after 30 days.", "Tickets are archived after 90 days."),
]

DUPLICATES = [
    ("Sessions expire after 60 minutes.", "Sessions are valid for one hour."),
    ("Uploads are limited to 10 MB.", "The maximum upload size is 10 megabytes."),
    ("Backups are kept for two weeks.", "We retain backups for 14 days."),
    ("Logs are kept for 2 weeks.", "Logs are deleted after 14 days."),
    ("We delete audit records after a year.", "Audit records are kept for 12 months."),
    ("We trace one request in ten.", "10 % of requests are traced."),
    ("Keep telemetry enabled.", "Telemetry must not be turned off."),
    ("S3 buckets must not be public.", "Keep every S3 bucket private."),
    ("Never merge without a green build.", "Only merge when the build is green."),
    ("Do not deploy unless all checks pass.", "Deploy only if all checks pass."),
    ("A user can have at most five API keys.", "No user may own more than 5 API keys."),
    ("Two approvals are needed for a PR.", "A pull request needs two approvals."),
    ("Never log personal data.", "Personal data must not be logged."),
    ("Keep secrets out of the repository.", "Secrets must not be stored in the repository."),
    ("Run `ruff format` before committing.", "Before you commit, run `ruff format`."),
    ("The client polls every 30 seconds.", "Every half minute the client polls."),
]


@pytest.mark.parametrize(("one", "other"), OUTDATED)
def test_a_note_that_another_one_tells_to_be_outdated_is_not_left_alone(
    reading: NewReading, one: str, other: str
) -> None:
    readings = reading(one), reading(other)
    assert is_conflict(compare(*readings, likeness=0.8))


@pytest.mark.parametrize(("one", "other"), CONFLICTS)
def test_two_notes_that_cannot_both_be_followed_conflict(
    judge: Judge, one: str, other: str
) -> None:
    assert is_conflict(judge(one, other))


@pytest.mark.parametrize(("one", "other"), CONFLICTS)
def test_a_conflict_is_found_from_either_side(judge: Judge, one: str, other: str) -> None:
    assert is_conflict(judge(other, one))


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_two_notes_that_go_together_are_left_alone(judge: Judge, one: str, other: str) -> None:
    assert judge(one, other) is None


@pytest.mark.parametrize(("one", "other"), DUPLICATES)
def test_the_same_said_in_other_words_is_a_duplicate(judge: Judge, one: str, other: str) -> None:
    found = judge(one, other)
    assert found is not None
    assert found.type is ConflictType.DUPLICATE


def test_a_clash_quotes_both_sentences_and_says_what_differs(judge: Judge) -> None:
    found = judge(
        "# Cache\n\nThe cache is small. Responses are cached for 5 minutes.",
        "Responses are cached for 1 hour.",
    )
    assert found == Clash(
        ConflictType.NUMERIC,
        0.95,
        "They give different amounts for the same thing (responses).",
        "Decide which holds and deprecate the other, or say where each holds.",
        ("Responses are cached for 5 minutes.", "Responses are cached for 1 hour."),
    )


def test_a_memory_does_not_clash_with_the_one_it_supersedes(reading: NewReading) -> None:
    old = reading("Sessions last 24 hours.", id="mem_2025_01_01_001")
    new = reading("Sessions last 1 hour.", supersedes=("mem_2025_01_01_001",))
    assert compare(new, old, likeness=0.9) is None
    assert compare(old, new, likeness=0.9) is None


def test_two_successors_of_one_memory_clash(reading: NewReading) -> None:
    one = reading("Sessions last 1 hour.", supersedes=("mem_2025_01_01_001",))
    other = reading("Cookies are signed.", supersedes=("mem_2025_01_01_001",))
    found = compare(one, other, likeness=None)
    assert found is not None
    assert found.type is ConflictType.SUPERSESSION


def test_words_of_replacement_name_the_memory_by_its_title(reading: NewReading) -> None:
    old = reading("We use RabbitMQ as the message broker.", "ADR 3: message broker")
    new = reading("NATS is our message broker. This supersedes ADR 3.", "ADR 15: message broker")
    assert compare(old, new, likeness=0.7) is None


def test_what_is_out_of_force_or_expired_clashes_with_nothing(reading: NewReading) -> None:
    one = reading("Use Redis for caching.")
    deprecated = reading("Do not use Redis for caching.", status=Status.DEPRECATED)
    expired = reading("Do not use Redis for caching.", expires=dt.date(2026, 1, 1))
    today = dt.date(2026, 2, 1)
    assert compare(one, deprecated, likeness=0.9) is None
    assert compare(one, expired, likeness=0.9, today=today) is None


def test_tags_keep_notes_on_different_languages_apart(reading: NewReading) -> None:
    one = reading("Indent with 4 spaces.", tags=("python", "style"))
    other = reading("Indent with 2 spaces.", tags=("javascript", "style"))
    assert compare(one, other, likeness=0.9) is None


def test_a_difference_in_number_is_never_a_duplicate_however_alike_the_notes_are(
    judge: Judge,
) -> None:
    found = judge("Sessions last 24 hours.", "Sessions last 25 hours.", likeness=0.99)
    assert is_conflict(found)


def test_a_quoted_line_and_a_code_block_claim_nothing(judge: Judge) -> None:
    body = "> Never use Redis for caching.\n\n```\nuse redis never\n```\n\nUse Redis for caching."
    assert not is_conflict(judge(body, "Use Redis for caching."))


def test_an_empty_note_clashes_with_nothing(judge: Judge) -> None:
    assert judge("", "Use Redis for caching.") is None
    assert judge("", "") is None


def test_where_an_imported_memory_comes_from_is_nothing_that_it_claims(reading: NewReading) -> None:
    one = "Retries are counted per host.\n\nSource: notes.md:69-97"
    other = "The cache is warmed at night.\n\nSource: notes.md:38-65"
    readings = reading(one), reading(other)
    assert [claim.text for claim in readings[0].claims] == ["Retries are counted per host."]
    assert compare(*readings, likeness=0.6, nearest=False) is None


def test_one_sentence_of_many_that_seems_to_clash_is_taken_for_chance(judge: Judge) -> None:
    told = "Nothing is recorded."
    rest = " ".join(f"Part {name} of the tool reads a file." for name in "ABCDEFGHIJ")
    more = " ".join(f"Step {name} of the import writes a row." for name in "KLMNOPQRST")
    assert is_conflict(judge(told, "Everything is recorded."))
    assert judge(f"{told} {rest}", f"The event is recorded. {more}", 0.65) is None


def test_a_gone_thing_makes_no_long_memory_outdated(judge: Judge) -> None:
    rest = " ".join(f"Part {name} of the tool reads a file." for name in "ABCDEFGHIJ")
    gone, used = "Jenkins was shut down in May.", "CI runs on Jenkins."
    found = judge(gone, used)
    assert found is not None
    assert found.type is ConflictType.OUTDATED
    assert judge(f"{gone} {rest}", f"{used} {rest.replace('tool', 'server')}", 0.5) is None
