"""The issuer that vouches for people (OpenID Connect), and what it is asked over HTTP.

Only https is used, or plain http on this machine; no redirect is followed.
"""

from __future__ import annotations

import http.client
import json
import ssl
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from dmm.errors import ConfigError, TeamError
from dmm.models.transport import read_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dmm.models.transport import Address

PATIENCE = 10.0
LARGEST_ANSWER = 512 * 1024
METADATA = "/.well-known/openid-configuration"
_FAULTS = range(500, 600)
_OK = http.HTTPStatus.OK


@dataclass(frozen=True, slots=True)
class SignIn:
    """Where people of a team sign in: what a server tells its laptops."""

    issuer: str
    client_id: str
    scope: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """The addresses of an issuer."""

    jwks_uri: str
    token_endpoint: str
    device_authorization_endpoint: str


def ask(url: str, form: Mapping[str, str] | None = None) -> tuple[int, Mapping[str, object]]:
    """Read a JSON object from an address of an issuer, or send it a form and read the answer."""
    address, target = read_url(url)
    headers = {"Accept": "application/json"}
    data = None if form is None else urlencode(form).encode()
    if data is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    kind = http.client.HTTPSConnection if address.secure else http.client.HTTPConnection
    connection = kind(address.host, address.port, timeout=PATIENCE)
    try:
        method = "GET" if data is None else "POST"
        connection.request(method, target, body=data, headers=headers)
        answer = connection.getresponse()
        told = json.loads(answer.read(LARGEST_ANSWER))
    except (OSError, http.client.HTTPException, ssl.SSLError) as error:
        raise unreachable(url, str(error) or type(error).__name__) from error
    except ValueError as error:
        if answer.status in _FAULTS:
            raise unreachable(url, f"HTTP {answer.status}") from error
        raise malformed(url) from error
    finally:
        connection.close()
    if not isinstance(told, dict):
        raise malformed(url)
    return answer.status, told


def read_url(url: str) -> tuple[Address, str]:
    """Read an address of an issuer, and what is asked for there: its path and query as they are."""
    bare, _, query = url.partition("?")
    try:
        address = read_address(bare, where="the issuer")
    except ConfigError as error:
        raise TeamError("issuer", f"the issuer can't be used: {error.what}", where=url) from error
    if not query.isascii() or not query.isprintable() or " " in query or "#" in query:
        raise malformed(url)
    return address, (urlsplit(bare).path or "/") + f"?{query}" * bool(query)


def find_metadata(issuer: str) -> Metadata:
    """Read where an issuer has its keys, and where it takes requests for tokens."""
    url = issuer.rstrip("/") + METADATA
    status, told = ask(url)
    if status != _OK or told.get("issuer") != issuer:
        raise malformed(url)
    names = ("jwks_uri", "token_endpoint", "device_authorization_endpoint")
    found = Metadata(*(str(told.get(name, "")) for name in names))
    need_elsewhere(issuer, astuple(found))
    return found


def need_elsewhere(source: str, urls: Iterable[str]) -> None:
    """Refuse addresses on this machine that a server or an issuer elsewhere names."""
    if read_url(source)[0].is_local:
        return
    for url in urls:
        if url and read_url(url)[0].is_local:
            raise malformed(url)


def malformed(url: str) -> TeamError:
    """Say that an answer is not one of an issuer."""
    what = "the answer is not one of the issuer that the server names"
    hint = "whoever runs the server checks the issuer: dmm server oidc"
    return TeamError("issuer", what, where=url, hint=hint)


def unreachable(url: str, why: str) -> TeamError:
    """Say that an issuer can't be asked."""
    what = f"the issuer can't be reached: {why}"
    hint = "try again later, or join with an invitation: dmm team join URL INVITATION"
    return TeamError("unreachable", what, where=url, hint=hint)
