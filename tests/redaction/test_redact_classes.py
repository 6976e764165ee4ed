"""Every class of secrets through every channel: none is left, and what only looks like one is."""

from __future__ import annotations

import base64
import json
import re
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many
from tests.redaction.channels import CHANNELS
from tests.redaction.harmless_cases import Maker as HarmlessMaker
from tests.redaction.harmless_cases import armoured, make_harmless
from tests.redaction.harmless_lines import LINES
from tests.redaction.secret_cases import HEX, Case, Maker, add_commands, make_cases
from tests.redaction.secret_places import KEYS, PASSWORDS, TOKENS

from dmm.domain.plain import to_plain
from dmm.hook.spool import _redact as redact_spooled
from dmm.redaction.clean import clean
from dmm.redaction.joints import joined, unbroken
from dmm.redaction.layers import layers_of
from dmm.redaction.redact import redact, redact_value
from dmm.sessions.events import describe_event
from dmm.sessions.payload import parse_payload

CASES = make_cases()
HARMLESS = make_harmless() | {line: line for line in LINES}


def in_places() -> list[Case]:
    """Put a secret of its own into each place that tells of one."""
    make = Maker(7)
    for place in PASSWORDS:
        make.add(place, place.replace("§", secret := make.password()), secret)
    for place in TOKENS:
        make.add(place, place.replace("§", secret := make.some(36)), secret)
    for place in KEYS:
        make.add(place, place.replace("§", secret := make.some(32, HEX)), secret)
    return make.cases


def written(value: Any) -> str:
    return json.dumps(redact_value(value)[0], ensure_ascii=False)


def pieces(case: Case) -> set[str]:
    """What must be found nowhere: each part, as it is and in JSON, and its longest word."""
    found = set(case.parts) | {json.dumps(part)[1:-1] for part in case.parts}
    for part in case.parts:
        words = re.findall(r"[A-Za-z0-9]{6,}", part)
        found |= {max(words, key=len)} if words and " " not in part else set()
    return found


def leaks(case: Case) -> list[str]:
    """Name the channels in which something of a secret is left."""
    sought = pieces(case)
    coded = base64.b64encode(case.text.encode()).decode()[:24]
    return [
        name
        for name, channel in CHANNELS.items()
        if _holds(written(channel(case.text)), {coded} if name == "base64" else sought)
    ]


def _holds(text: str, sought: set[str]) -> bool:
    return any(piece in text for piece in sought)


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 180
    assert len({case.name.partition(",")[0] for case in CASES}) >= 160
    assert len(CHANNELS) >= 21
    assert len(HARMLESS) >= 200


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_no_secret_of_a_known_class_is_left_in_any_channel(case: Case) -> None:
    assert leaks(case) == []


@pytest.mark.parametrize("case", in_places(), ids=lambda case: case.name[:40])
def test_no_secret_is_left_in_a_place_that_tells_of_one(case: Case) -> None:
    assert leaks(case) == []


def test_what_a_command_is_given_is_known_in_a_list_of_its_words() -> None:
    make = Maker(1)
    add_commands(make)
    commands = [case for case in make.cases if re.match(r"[a-z][^\n|]+\Z", case.text)]

    left = [
        case.name
        for case in commands
        if _holds(written({"argv": shlex.split(case.text)}), pieces(case))
    ]
    assert len(commands) > 25
    assert left == []


@pytest.mark.parametrize("name", HARMLESS)
def test_what_only_looks_like_a_secret_stays_byte_for_byte(name: str) -> None:
    for told, channel in CHANNELS.items():
        value = channel(HARMLESS[name])
        assert redact_value(value) == (value, {}), told


@settings(max_examples=many(150), deadline=None)
@given(
    number=st.integers(2, 1_000_000),
    at=st.integers(0, len(CASES) - 1),
    channel=st.sampled_from([name for name in CHANNELS if name != "base64"]),
)
def test_it_is_the_form_that_is_known_and_not_the_secret(
    number: int, at: int, channel: str
) -> None:
    case = make_cases(number)[at]

    left = written(CHANNELS[channel](case.text))
    assert not any(piece in left for piece in pieces(case)), case


@settings(max_examples=many(100), deadline=None)
@given(number=st.integers(2, 1_000_000), channel=st.sampled_from(list(CHANNELS)), at=st.integers(0))
def test_it_is_the_form_that_is_harmless_and_not_the_text(
    number: int, channel: str, at: int
) -> None:
    texts = list(make_harmless(number).values())
    value = CHANNELS[channel](texts[at % len(texts)])

    assert redact_value(value) == (value, {})


TEXTS = st.lists(
    st.one_of(
        st.sampled_from([case.text for case in CASES]),
        st.sampled_from(list(HARMLESS.values())),
        st.text(max_size=30),
        st.text(alphabet="abcdefghijklmnopqrstuvwxyz ,.?!;()'\n-", max_size=80),
    ),
    max_size=5,
).map("\n".join)


@settings(max_examples=many(300), deadline=None)
@given(text=TEXTS)
def test_there_is_one_path_and_twice_through_it_changes_nothing(text: str) -> None:
    once = redact(text).text

    assert clean(text) == once
    assert clean(once) == once


def test_words_of_a_wallet_are_taken_out_of_plain_words() -> None:
    words = Maker(3).words(12)

    assert clean(f"my seed phrase is {words}") == "my seed phrase is [redacted:secret]"
    assert clean(f"restore the wallet from {words} and go on") == (
        "restore the wallet from [redacted:secret] and go on"
    )


@settings(max_examples=many(300), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                '"',
                "'",
                "`",
                " + ",
                ".",
                "\\\n",
                "\n",
                "  ",
                "ghp_",
                "a1B2c3D4",
                "x = ",
                "(",
                ")",
                ",",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_places_of_joined_lines_stay_inside_the_text_and_in_order(text: str) -> None:
    for layer in layers_of(text):
        for reading in (joined(layer), unbroken(layer)):
            if reading is not None:
                starts = [reading.origin(place) for place in range(len(reading.text) + 1)]
                ends = [reading.origin_end(place) for place in range(len(reading.text) + 1)]
                assert starts == sorted(starts)
                assert ends == sorted(ends)
                assert 0 <= starts[0] <= starts[-1] <= len(text)
                assert 0 <= ends[0] <= ends[-1] <= len(text)


def test_the_notation_around_joined_pieces_stays() -> None:
    token = "ghp_" + Maker(1).some(36)

    assert redact(f'call("{token[:9]}" + "{token[9:]}", x)').text == (
        'call("[redacted:github-token]", x)'
    )
    assert redact(f"TOKEN={token[:9]}\\\n{token[9:]} make").text == (
        "TOKEN=[redacted:github-token] make"
    )


def test_a_secret_behind_the_name_of_a_digest_is_none() -> None:
    make = HarmlessMaker(1)
    digest = make.digest("sha512")
    token = "ghp_" + Maker(1).some(36)
    coded = base64.b64encode(f"password={Maker(1).password()}".encode()).decode()

    assert redact(f"sha512-{digest}").text == f"sha512-{digest}"
    assert redact(f"sha512-{digest[:60]}").text == "[redacted:opaque]"
    assert redact(f"sha256-{digest}").text == "[redacted:opaque]"
    assert token not in redact(f"sha512-{token}").text
    assert coded not in redact(f"sha512-{coded}").text
    assert digest not in redact(f"password: sha512-{digest}").text


def test_a_secret_that_is_said_to_be_a_file_is_none() -> None:
    coded = base64.b64encode(f"token: {'ghp_' + Maker(1).some(36)}".encode()).decode()

    for kind in ("text/plain", "image/png", "application/json", "font/woff2"):
        assert coded not in redact(f"data:{kind};base64,{coded}").text


def test_a_private_key_under_a_public_name_is_none() -> None:
    key = b"0\x82\x01\x22\2\1\0" + HarmlessMaker(1).drawn(280)
    lines = armoured("CERTIFICATE", key).splitlines()

    left = redact("\n".join(lines)).text
    assert not any(line in left for line in lines[1:-1])
    assert redact(f"ssh-rsa AAAAB3NzaC1yc2E{Maker(1).some(60)}").text == (
        "ssh-rsa [redacted:opaque]"
    )


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_no_secret_reaches_what_a_hook_keeps(case: Case) -> None:
    values = {
        "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": "/srv",
        "tool_input": {"command": case.text}, "tool_response": {"stdout": case.text},
    }  # fmt: skip
    payload = json.dumps(values).encode()

    described = describe_event(parse_payload("claude-code", payload))
    kept = redact_spooled("claude-code", b"name\n/srv/.dmm\n" + payload).decode()
    for piece in pieces(case):
        assert piece not in json.dumps(to_plain(described), ensure_ascii=False)
        assert piece not in kept
