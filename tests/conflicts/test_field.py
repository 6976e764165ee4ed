"""Words of the trade: what is told in other words, and which answers exclude one another."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.field import (
    FIELD_VERSION,
    kinship,
    other_words,
    questions_apart,
    same_words,
    told_in,
)
from dmm.rules.language.wordsets import word_set


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Undeliverable jobs end up in the DLQ.", "Look into the dead-letter exchange on Mondays."),
        ("The ingress strips cookies.", "Cookies never pass the reverse proxy."),
        ("Each add-on is versioned apart.", "A plugin has a version of its own."),
        ("Upload the checkpoint to the bucket.", "The weights are kept in S3."),
        ("Every RNG gets its start value from the run id.", "Derive the seed from the run id."),
        ("Mount the sources with a bind mount.", "The sources come in through a shared folder."),
        ("Secrets are rotated monthly.", "A password lives for thirty days."),
        ("Kafka carries the price updates.", "Prices travel over the message broker."),
        ("Set up the virtualenv first.", "The devcontainer is all that is needed."),
    ],
)
def test_one_thing_in_other_words_of_the_trade_is_seen(one: str, other: str) -> None:
    assert other_words(told_in(one), told_in(other)) > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cat sleeps on the sofa.", "Trains to Bern leave at seven."),
        ("The DLQ is read on Mondays.", "The DLQ is read on Fridays."),
        ("Colours come from the palette.", "Invoices carry a number."),
    ],
)
def test_the_same_words_and_strange_things_are_no_other_words(one: str, other: str) -> None:
    assert other_words(told_in(one), told_in(other)) == 0


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        (
            "Backups travel encrypted.",
            "The nightly copy crosses the WAN in cleartext.",
            "encryption",
        ),
        ("Probes talk over TLS.", "The probe in hall 3 reports over plain HTTP.", "encryption"),
        ("Buckets come from Terraform.", "Create the bucket in the web console.", "provisioning"),
        ("The map works offline.", "Tiles need a network connection.", "network"),
        ("The feed can be read without logging in.", "The feed asks for a bearer.", "login"),
        ("Codecs run in a separate process.", "Codecs are loaded into the host.", "process"),
        ("Sizes are computed ahead of time.", "Sizes are worked out on demand.", "eager"),
        ("Drafts are erased for good.", "A draft can be restored from the trash.", "erase"),
        ("The driver allocates on the heap.", "Drivers use static buffers.", "allocation"),
        ("Telemetry is off by default.", "Telemetry is opt-out.", "default"),
        ("Never ship it unsigned.", "The beta goes out unsigned.", "signing"),
    ],
)
def test_answers_that_exclude_one_another_are_seen(one: str, other: str, question: str) -> None:
    assert question in questions_apart(told_in(one), told_in(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Traffic is encrypted.", "Nothing travels in cleartext."),
        ("The panel is not reachable without the VPN.", "The panel is reachable with the VPN on."),
        ("No public endpoint goes without a check.", "All public endpoints are checked."),
        ("Containers must not run as root.", "Always run containers as a non-root user."),
        ("It works offline.", "It works offline and, with a live connection, syncs."),
        ("Plain HTTP is forbidden.", "Use TLS."),
        ("Releases are never unsigned.", "Releases are signed."),
    ],
)
def test_answers_that_agree_or_stay_open_are_not_apart(one: str, other: str) -> None:
    assert questions_apart(told_in(one), told_in(other)) == frozenset()


def test_a_text_that_gives_both_answers_gives_none() -> None:
    told = told_in("The app works offline. Payments need an internet connection.")
    assert "network" not in told.answers


def test_a_denial_right_before_a_phrase_turns_its_answer_round() -> None:
    assert told_in("Never in plaintext.").answers["encryption"] == 0
    assert told_in("In plaintext.").answers["encryption"] == 1


def test_two_denials_leave_the_answer_open() -> None:
    assert "encryption" not in told_in("No host may not talk in plaintext").answers


def test_endings_articles_and_hyphens_do_not_count() -> None:
    said = [told_in(text).words for text in ("Dead-letter queues", "the dead letter queue")]
    assert said[0]["deadletter"] == said[1]["deadletter"]


def test_what_two_texts_have_in_common_is_told_in_numbers() -> None:
    one = told_in("Events go over TLS to RabbitMQ.")
    other = told_in("Messages reach the broker in cleartext.")
    assert kinship(one, other)["answered unlike"] == 1.0
    assert kinship(one, other)["told in other words"] > 0
    assert kinship(told_in("tea"), told_in("cake")) == {
        "told in other words": 0.0,
        "told in the same words": 0.0,
        "answered unlike": 0.0,
    }


_TEXTS = st.lists(
    st.sampled_from(
        sorted(
            word_set(
                """offline online never not dlq dead letter queue encrypted plaintext without
                token . , terraform console seed review straight to main refuse the a"""
            )
        )
    ),
    max_size=12,
).map(" ".join)


@given(_TEXTS, _TEXTS)
def test_it_does_not_matter_which_text_comes_first(one: str, other: str) -> None:
    assert kinship(told_in(one), told_in(other)) == kinship(told_in(other), told_in(one))


@given(_TEXTS)
def test_a_text_neither_differs_from_itself_nor_uses_other_words(text: str) -> None:
    told = told_in(text)
    assert other_words(told, told) == 0
    assert same_words(told, told) == len(told.words)
    assert questions_apart(told, told) == frozenset()


def _lines() -> list[tuple[str, str]]:
    text = (resources.files("dmm") / "data" / "field.txt").read_text(encoding="utf-8")
    section, found = "", []
    for line in text.replace("\n  ", " ").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            found.append((section, line))
    return found


def test_the_table_tells_its_version() -> None:
    text = (resources.files("dmm") / "data" / "field.txt").read_text(encoding="utf-8")
    assert text.startswith(f"# Words of the trade, version {FIELD_VERSION}.\n")


def test_each_line_of_the_table_names_two_ways_to_say_it_or_more_and_each_once() -> None:
    for section, line in _lines():
        sides = line.partition(": ")[2].split(" / ")
        assert (len(sides) > 1) == (section == "poles"), line
        said = [phrase for side in sides for phrase in side.split(", ")]
        assert len(said) > 1, line
        assert len(set(said)) == len(said), line


def test_each_name_stands_in_the_table_once() -> None:
    names = [(section, line.partition(": ")[0]) for section, line in _lines()]
    assert len(set(names)) == len(names)


def test_each_phrase_of_the_table_is_found_in_its_own_words() -> None:
    for section, line in _lines():
        if section == "same":
            name, _, rest = line.partition(": ")
            for phrase in rest.split(", "):
                assert name in told_in(phrase).words, phrase
