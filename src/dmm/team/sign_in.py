"""A person signs in on a laptop by the device flow (RFC 8628): a code to type in a browser."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import TeamError
from dmm.team.issuer import ask, find_metadata, malformed, read_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.team.issuer import SignIn

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
INTERVAL, SLOWER = 5, 5
LONGEST = 3_600
_OK = 200
_AGAIN = "sign in again: dmm team join URL"


@dataclass(frozen=True, slots=True)
class Code:
    """What a person is shown: the address to open, the code to type there, and the issuer."""

    address: str
    code: str
    issuer: str


@dataclass(frozen=True, slots=True)
class _Asked:
    device: str
    shown: Code
    interval: int
    seconds: int


def bind(key: str) -> str:
    """Return the nonce that binds a token to the key of a laptop."""
    return hashlib.sha256(f"dmm-team-key:{key}".encode()).hexdigest()


def sign_in(
    trusted: SignIn,
    key: str,
    show: Callable[[Code], None],
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """Return the token of a person who signs in; TeamError where it came to nothing."""
    found = find_metadata(trusted.issuer)
    if not found.device_authorization_endpoint or not found.token_endpoint:
        what = "the issuer has no device flow, so nobody can sign in from a terminal"
        hint = "join with an invitation: dmm team join URL INVITATION"
        raise TeamError("issuer", what, where=trusted.issuer, hint=hint)
    asked = _begin(trusted, found.device_authorization_endpoint, key)
    show(asked.shown)
    form = {"grant_type": GRANT, "device_code": asked.device, "client_id": trusted.client_id}
    until, interval = clock() + asked.seconds, asked.interval
    while clock() < until:
        sleep(interval)
        try:
            status, told = ask(found.token_endpoint, form)
        except TeamError as error:
            if error.fault != "unreachable":
                raise
            # The person may be about to sign in: the next attempt comes later.
            interval += SLOWER
            continue
        if status == _OK:
            return _need_text(told, "id_token", found.token_endpoint)
        fault = told.get("error")
        if fault == "slow_down":
            interval += SLOWER
        elif fault != "authorization_pending":
            raise _refused(str(fault), trusted)
    raise _refused("expired_token", trusted)


def _begin(trusted: SignIn, endpoint: str, key: str) -> _Asked:
    form = {"client_id": trusted.client_id, "scope": trusted.scope, "nonce": bind(key)}
    status, told = ask(endpoint, form)
    if status != _OK:
        raise _refused(str(told.get("error")), trusted)
    address = _need_text(told, "verification_uri", endpoint)
    # A person opens it: it must be one that may be used at all.
    read_url(address)
    shown = Code(address, _need_text(told, "user_code", endpoint), trusted.issuer)
    interval = _number(told, "interval", INTERVAL)
    seconds = _number(told, "expires_in", LONGEST)
    return _Asked(_need_text(told, "device_code", endpoint), shown, interval, seconds)


def _need_text(told: Mapping[str, object], name: str, url: str) -> str:
    value = told.get(name)
    if not isinstance(value, str) or not value or not value.isascii() or not value.isprintable():
        raise malformed(url)
    return value


def _number(told: Mapping[str, object], name: str, most: int) -> int:
    value = told.get(name)
    return min(value, LONGEST) if isinstance(value, int) and value > 0 else most


def _refused(fault: str, trusted: SignIn) -> TeamError:
    known = {
        "access_denied": ("denied", "signing in was denied"),
        "expired_token": ("expired", "the code has expired before it was used"),
        "invalid_client": ("issuer", "the issuer does not know the server's client"),
        "unauthorized_client": ("issuer", "the server's client may not use the device flow"),
    }
    kind, what = known.get(fault, ("issuer", f"the issuer refused: {fault[:80]}"))
    hint = "whoever runs the server checks it: dmm server oidc" if kind == "issuer" else _AGAIN
    return TeamError(kind, what, where=trusted.issuer, hint=hint)
