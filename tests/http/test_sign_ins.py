"""A browser comes in with a code that is good once, and stays with a cookie it can't read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from dmm.http.sign_ins import (
    CODE_SECONDS,
    MOST_CODES,
    MOST_SESSIONS,
    SESSION_SECONDS,
    Codes,
    Sessions,
    read_cookie,
)

if TYPE_CHECKING:
    from tests.http.conftest import Headers, Reply, Server

FACTS = "/v1/ledger/facts"
FACT = {"key": "seat", "value": "browser"}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_code_is_good_once() -> None:
    codes = Codes()
    code = codes.make()
    assert len(code) >= 43
    assert [codes.take(code), codes.take(code)] == [True, False]


@pytest.mark.parametrize("wrong", ["", "x", "é", "\ud800"])
def test_a_wrong_code_takes_nothing(wrong: str) -> None:
    codes = Codes()
    code = codes.make()
    assert not any(codes.take(one) for one in (wrong, code[:-1], code + "x", code.lower()))
    assert codes.take(code)


def test_a_code_ends_after_a_minute() -> None:
    clock = Clock()
    codes = Codes(clock)
    early, late = codes.make(), codes.make()
    clock.now = CODE_SECONDS - 0.1
    assert codes.take(early)
    clock.now = CODE_SECONDS
    assert not codes.take(late)


def test_only_the_newest_codes_and_sessions_are_kept() -> None:
    codes, sessions = Codes(), Sessions()
    made = [codes.make() for _ in range(MOST_CODES + 2)]
    assert [codes.take(code) for code in made] == [False, False, *[True] * MOST_CODES]
    opened = [sessions.make() for _ in range(MOST_SESSIONS + 1)]
    assert [sessions.holds(one) for one in opened] == [False, *[True] * MOST_SESSIONS]


def test_a_code_shown_by_many_at_once_lets_one_in() -> None:
    codes = Codes()
    code = codes.make()
    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(codes.take, [code] * 64)) == 1


def test_a_session_ends() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    session = sessions.make()
    assert sessions.holds(session)
    clock.now = SESSION_SECONDS
    assert not sessions.holds(session)


def test_a_cookie_is_read_only_where_it_stands_once() -> None:
    assert read_cookie("a=b; dmm_session_80=x=y;c=d", 80) == "x=y"
    assert read_cookie("dmm_session_80=x; dmm_session_80=y", 80) is None
    assert read_cookie("xdmm_session_80=x; dmm_session=y; dmm_session_81=z", 80) is None
    assert read_cookie("", 80) is None


def log_in(server: Server, code: str, *headers: tuple[str, str]) -> Reply:
    return server.ask(
        "POST", "/v1/session", {"code": code}, headers=headers, without=("Authorization",)
    )


def with_cookie(server: Server, reply: Reply) -> Headers:
    cookie = reply.header("set-cookie") or ""
    plain = ("Cookie", cookie.partition(";")[0])
    return (plain, ("Origin", server.origin), ("X-DMM-Page", "1"))


def test_a_code_opens_a_session_that_no_script_and_no_other_site_can_use(server: Server) -> None:
    code = server.codes.make()
    told = log_in(server, code, ("Origin", server.origin))
    assert (told.status, told.json()) == (200, {"status": "open"})
    cookie = told.header("set-cookie") or ""
    name, _, rest = cookie.partition("=")
    assert name == f"dmm_session_{server.port}"
    assert rest.partition("; ")[2] == "HttpOnly; SameSite=Strict; Path=/; Max-Age=43200"
    assert rest.partition(";")[0].encode() not in told.body
    own = with_cookie(server, told)
    written = server.ask("POST", FACTS, FACT, headers=own, without=("Authorization",))
    assert written.status == 200
    event = server.ask("GET", "/v1/ledger/events?last=1").json()["events"][0]
    assert [event[one] for one in ("actor", "source", "trust")] == ["browser", "http", "agent"]
    again = log_in(server, code)
    assert (again.status, again.code) == (401, "unauthorized")


def test_a_session_reads_without_an_origin_but_does_not_write(server: Server) -> None:
    own = with_cookie(server, log_in(server, server.codes.make()))
    plain = own[:1]
    assert server.ask("GET", "/v1/health", headers=plain, without=("Authorization",)).status == 200
    before = server.events()
    told = server.ask("POST", FACTS, FACT, headers=plain, without=("Authorization",))
    assert (told.status, told.code) == (401, "unauthorized")
    for forged in (("Origin", "http://evil.example"), ("Sec-Fetch-Site", "same-site")):
        told = server.ask("POST", FACTS, FACT, headers=(*plain, forged), without=("Authorization",))
        assert told.status == 403
    wrong = (*own, ("Authorization", "Bearer wrong"))
    assert server.ask("POST", FACTS, FACT, headers=wrong).status == 401
    assert server.events() == before


def test_a_code_from_another_page_or_in_another_form_stays_good(server: Server) -> None:
    code = server.codes.make()
    assert log_in(server, code, ("Origin", "http://evil.example")).status == 403
    assert log_in(server, code, ("Host", "evil.example")).status == 403
    assert log_in(server, code, ("Content-Type", "text/plain")).status == 415
    address = server.ask("GET", f"/v1/session?code={code}", without=("Authorization",))
    assert (address.status, address.code) == (422, "usage")
    assert log_in(server, code).status == 200


def test_a_wrong_code_is_refused_alike(server: Server) -> None:
    wrong = log_in(server, "x" * 43)
    assert (wrong.status, wrong.code, wrong.header("set-cookie")) == (401, "unauthorized", None)
    assert log_in(server, "x" * 201).status == 422
