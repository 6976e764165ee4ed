"""The page's files are for anybody on this machine and hold nothing; all else needs a sign-in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dmm.http.sign_ins import CODE_SECONDS, MOST_CODES, SESSION_SECONDS, SLACK, Codes, Sessions
from dmm.web.files import OTHER, load_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.http.conftest import Headers, Reply, Server

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
SESSION = "/v1/session"


def get(server: Server, path: str, *headers: tuple[str, str]) -> Reply:
    return server.ask("GET", path, headers=headers, without=("Authorization",))


def sign_in(server: Server) -> Headers:
    return server.sign_in(confirmed=False)


@pytest.mark.parametrize("path", sorted(load_files()))
def test_each_file_of_the_page_is_served_without_a_token(server: Server, path: str) -> None:
    told = get(server, path)
    file = load_files()[path]
    assert (told.status, told.body) == (200, file.body)
    assert told.header("content-type") == file.kind != OTHER
    assert told.header("content-security-policy") == POLICY
    assert told.header("x-content-type-options") == "nosniff"
    assert told.header("cache-control") == "no-cache"
    again = get(server, path, ("If-None-Match", told.header("etag") or ""))
    assert (again.status, again.body, again.header("etag")) == (304, b"", told.header("etag"))


def test_whoever_is_signed_in_or_holds_the_token_is_served_the_page_too(server: Server) -> None:
    own = sign_in(server)
    for path, file in load_files().items():
        assert get(server, path, own[0]).body == file.body
        assert server.ask("GET", path).body == file.body


def test_the_first_page_names_no_other_host_and_runs_nothing_inline(server: Server) -> None:
    text = get(server, "/").body.decode()
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)|\bon\w+=|<style|\bstyle=", text)


@pytest.mark.parametrize(
    "path",
    [
        *("/index.html/", "/INDEX.HTML", "/%69ndex.html%00", "/../index.html", "//index.html"),
        *("/static/index.html", "/files.py", "/__init__.py", "/..%2ffiles.py", "/index.html.map"),
    ],
)
def test_nothing_beside_the_list_is_served(server: Server, path: str) -> None:
    told = get(server, path)
    assert (told.status, told.code) == (401, "unauthorized")


def test_the_page_is_only_read_and_only_here(server: Server) -> None:
    written = server.ask("POST", "/", {}, without=("Authorization",))
    assert written.status == 401
    for forged in (
        ("Host", "evil.example"),
        ("Origin", "http://evil.example"),
        ("Sec-Fetch-Site", "cross-site"),
    ):
        assert get(server, "/", forged).status == 403


def test_the_name_of_the_page_is_a_host_and_no_other_name_is(server: Server) -> None:
    named = f"{server.name}:{server.port}"
    assert get(server, "/", ("Host", named), ("Origin", f"http://{named}")).status == 200
    for other in ("dmm-00000000.localhost", "x.localhost", f"{server.name}.", f"x{server.name}"):
        told = get(server, "/", ("Host", f"{other}:{server.port}"))
        assert (told.status, told.code) == (403, "host_refused")
    mixed = get(server, "/", ("Host", named), ("Origin", server.origin))
    assert (mixed.status, mixed.code) == (403, "origin_refused")


def test_a_browser_writes_only_with_the_header_of_the_page(server: Server) -> None:
    own = sign_in(server)
    body = {"key": "colour", "value": "red"}
    before = server.events()
    for page in ((), (("X-DMM-Page", "0"),), (("X-DMM-Page", "true"),)):
        told = server.ask(
            "POST", "/v1/ledger/facts", body, headers=(*own[:2], *page), without=("Authorization",)
        )
        assert (told.status, told.code) == (403, "origin_refused")
    assert server.events() == before
    assert get(server, "/v1/health", own[0]).status == 200


def test_a_browser_sees_that_it_is_signed_in_and_signs_out_everywhere(server: Server) -> None:
    assert server.ask("GET", SESSION).json()["signed_in"] is False
    first, second = sign_in(server), sign_in(server)
    seen = get(server, SESSION, *first).json()
    assert (seen["signed_in"], seen["sessions"] >= 2) == (True, True)
    assert seen["passkey"] == {"enrolled": 0, "required": False}
    assert seen["confirm"] == "code"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", seen["since"])
    code = server.codes.make()
    assert (
        server.ask("DELETE", SESSION, headers=first[:2], without=("Authorization",)).status == 403
    )
    out = server.ask("DELETE", SESSION, headers=first, without=("Authorization",))
    assert (out.status, out.json()["ended"]) == (200, seen["sessions"])
    assert "Max-Age=0" in (out.header("set-cookie") or "")
    for own in (first, second):
        assert get(server, SESSION, *own).json() == {"signed_in": False}
        assert get(server, "/v1/health", *own).status == 401
    late = server.ask("POST", SESSION, {"code": code}, without=("Authorization",))
    assert late.status == 401


def test_a_stranger_learns_that_it_is_not_signed_in_and_nothing_else(server: Server) -> None:
    sign_in(server)
    old = ("Cookie", f"dmm_session_{server.port}=gone")
    for headers in ((), (old,)):
        told = get(server, SESSION, *headers)
        assert (told.status, told.json()) == (200, {"signed_in": False})
        assert told.header("set-cookie") is None
    for wrong in ("Bearer x", "Basic x", ""):
        assert get(server, SESSION, ("Authorization", wrong)).status == 401
    for elsewhere in (
        ("Host", "evil.example"),
        ("Origin", "http://evil.example"),
        ("Sec-Fetch-Site", "cross-site"),
    ):
        assert get(server, SESSION, elsewhere).status == 403
    written = server.ask("DELETE", SESSION, without=("Authorization",))
    assert written.status == 401


def test_a_code_that_is_shown_again_is_told_as_used(server: Server) -> None:
    code = server.codes.make()
    shown = [
        server.ask("POST", SESSION, {"code": code}, without=("Authorization",)) for _ in range(2)
    ]
    assert [one.status for one in shown] == [200, 401]
    error = shown[1].json()["error"]
    assert "used" in error["what"]
    assert "dmm ui --sign-out" in error["hint"]


def test_what_became_of_a_code_is_known() -> None:
    now = [0.0]
    codes = Codes(lambda: now[0])
    used, pushed_out = codes.make(), codes.make()
    codes.take(used)
    late = [codes.make() for _ in range(MOST_CODES)][-1]
    assert (codes.fate(used), codes.fate(pushed_out)) == ("used", "expired")
    assert codes.fate(late) is None
    now[0] = CODE_SECONDS
    assert codes.fate(late) == "expired"
    assert codes.fate("never made") is None


def test_sessions_outlive_their_process_as_hashes_that_only_the_user_reads(tmp_path: Path) -> None:
    now = [1_000_000.0]
    folder = tmp_path / "page"
    secret = Sessions(lambda: now[0], folder).make()
    file = folder / "sessions.json"
    assert secret not in file.read_text()
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    later = Sessions(lambda: now[0], folder)
    assert later.holds(secret)
    assert not later.holds(file.read_text())
    now[0] += SESSION_SECONDS
    assert not later.holds(secret)
    assert not Sessions(lambda: now[0], folder).holds(secret)


def test_sessions_of_a_time_to_come_do_not_count(tmp_path: Path) -> None:
    secret = Sessions(lambda: 5_000.0, tmp_path).make()
    assert not Sessions(lambda: 5_000.0 - SLACK - 1, tmp_path).holds(secret)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": 1}', '[["x", "y", 1]]', "\xff"])
def test_a_damaged_file_of_sessions_signs_nobody_in(tmp_path: Path, text: str) -> None:
    (tmp_path / "sessions.json").write_bytes(text.encode("latin-1"))
    sessions = Sessions(folder=tmp_path)
    assert sessions.count == 0
    assert sessions.holds(sessions.make())
