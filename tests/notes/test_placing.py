"""Where a note belongs: found from its words, its neighbours and the files at hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.notes.finding import Match
from dmm.notes.placing import LONGEST_TITLE, Around, place_note, title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Use pnpm, not npm.", "Use pnpm, not npm"),
        ("# Deploys\n\nOnly on Mondays.", "Deploys"),
        ("* MAX_RETRIES is 5, see `_retry_all`.", "MAX_RETRIES is 5, see _retry_all"),
        (
            "Parked in dead_letters by _park, not in __init__.py or __tests__",
            "Parked in dead_letters by _park, not in __init__.py or __tests__",
        ),
        (
            "Only `__init__.py` and src/**/*.ts are read",
            "Only __init__.py and src/**/*.ts are read",
        ),
        ("***Never*** use _any_ of *these*", "Never use any of these"),
        ("**Always run `make  *test*`** first", "Always run make *test* first"),
        ("- **Never** edit `dist/`: it is built.", "Never edit dist/: it is built"),
        ("Invoices are numbered per tenant. A gap is fine.", "Invoices are numbered per tenant"),
        ("word " * 40, "word word word word word word word word word word word word word word"),
        (
            "The staging database is reset every Sunday night at 02:00 UTC, so keep nothing there.",
            "The staging database is reset every Sunday night at 02:00 UTC",
        ),
        ("...", "Note"),
    ],
)
def test_the_first_sentence_is_the_title(text: str, title: str) -> None:
    assert title_of(text) == title


def test_the_topic_of_the_words_names_the_folder() -> None:
    placed = place_note("Migrations of the Postgres schema run before the deploy.", Around())
    assert placed.path == "project/database/migrations_postgres_schema_run_before_deploy.md"
    assert placed.tags[0] == "database"
    assert placed.body.startswith("# Migrations of the Postgres schema run before the deploy\n\n")


def test_the_place_of_a_secret_gives_no_name_and_no_tag() -> None:
    secret = "ghp_zk3vq9xw1mb7nt5ry2ul8ps4df6gh0jkae1c"
    placed = place_note(f"Staging deploys with {secret} until May.", Around())
    assert placed.path == "project/deploy/staging_deploys.md"
    assert placed.title == "Staging deploys with [redacted:github-token] until May"
    assert not {"redacted", "github", "token"} & {*placed.tags}
    assert place_note(secret, Around()).path == "project/notes/note.md"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Refunds need no approval.", "refunds_need_no_approval"),
        ("Use pnpm, not npm.", "pnpm_not_npm"),
        ("Don't deploy on Fridays.", "dont_deploy_fridays"),
        ("The cache is never warm.", "cache_never_warm"),
    ],
)
def test_the_name_of_a_file_does_not_say_the_opposite(text: str, name: str) -> None:
    assert place_note(text, Around()).path.endswith(f"/{name}.md")


def test_letters_with_marks_keep_their_words_whole() -> None:
    placed = place_note("Der Zähler läuft rückwärts.", Around())
    assert placed.path == "project/notes/der_zahler_lauft_ruckwarts.md"
    placed = place_note("Die Größe der Straße läuft über.", Around())
    assert placed.path == "project/notes/die_grosse_der_strasse_lauft_uber.md"
    assert {"grosse", "der"} <= {*placed.tags}


def test_a_note_joins_the_folder_of_a_memory_that_is_like_it() -> None:
    near = (Match("project/billing/refunds.md", "Refunds", 0.7),)
    text = "A refund is paid by the settlement"
    assert place_note(text, Around(near)).path.startswith("project/billing/")
    far = (Match("project/billing/refunds.md", "Refunds", 0.3),)
    assert place_note(text, Around(far)).path == "project/notes/refund_paid_settlement.md"
    others = (Match("baseline/identity.md", "Identity", 0.9),)
    assert place_note(text, Around(others)).path.startswith("project/notes/")


def test_a_taken_or_ignored_place_is_left_for_the_next() -> None:
    taken = {"project/build/pnpm_not_npm.md", "project/notes/pnpm_not_npm.md"}
    around = Around(free=lambda path: path not in taken)
    assert place_note("Use pnpm, not npm.", around).path == "project/notes/pnpm_not_npm_2.md"
    no_build = Around(free=lambda path: "/build/" not in path)
    assert place_note("Use pnpm, not npm.", no_build).path == "project/notes/pnpm_not_npm.md"


def test_files_that_the_text_names_become_paths() -> None:
    around = Around(
        changed=lambda: ("src/net/retry.py", "a/setup.py", "b/setup.py"),
        exists=lambda name: name in ("src/api/", "docs/adr.md"),
    )
    placed = place_note("src/api/ answers in JSON, see docs/adr.md and retry.py", around)
    assert placed.paths == ("src/api/**", "docs/adr.md", "src/net/retry.py")
    assert {"src", "docs", "retry"}.isdisjoint(placed.tags[1:2])
    assert place_note("Never run setup.py by hand, nor e.g. this.", around).paths == ()


def test_a_folder_with_a_capital_is_a_whole_tag() -> None:
    around = Around(exists=lambda name: name.startswith("src/"))
    text = "Mind the filter, see src/Shop.Infrastructure/Persistence/Context.cs"
    assert {"infrastructure", "persistence"} <= {*place_note(text, around).tags}


def test_the_kind_of_the_changed_files_is_a_tag_where_the_words_have_no_topic() -> None:
    around = Around(changed=lambda: ("src/main.rs", "src/lib.rs"))
    assert "rust" in place_note("The parser keeps its own arena", around).tags


@given(st.text(min_size=1, max_size=200))
def test_every_text_has_a_place_that_a_file_can_have(text: str) -> None:
    placed = place_note(text, Around())
    assert placed.path.startswith("project/")
    assert placed.path.endswith(".md")
    assert placed.path.isascii()
    assert 0 < len(placed.title) <= LONGEST_TITLE
    assert "\n" not in placed.title
    assert text.strip() in placed.body
    assert placed.tags
