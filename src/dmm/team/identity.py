"""Who a token is for: the server checks what the issuer signed."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.text import neutralise
from dmm.errors import TeamError, UsageError
from dmm.team.issuer import SignIn, ask, find_metadata, malformed, unreachable
from dmm.team.names import NAME
from dmm.team.roles import ROLES, need_role
from dmm.team.sign_in import bind

try:
    import jwt
except ImportError as _error:
    _HINT = "in a checkout of DMM: uv tool install --force '.[server]'"
    raise TeamError("schema", "the library for tokens is not installed", hint=_HINT) from _error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# By the kind of key; a token that is signed with a shared secret, or not at all, proves nothing.
ALGORITHMS = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "EC": ("ES256", "ES384", "ES512"),
    "OKP": ("EdDSA",),
}
NEEDED = ["exp", "iat", "iss", "aud", "sub"]
# A token is used right after it was made; so many seconds later it is too old.
FRESH = 600
# Clocks may differ by so many seconds.
LEEWAY = 60
# How long keys are used before they are read again, and how often an unknown one makes us look.
KEYS_KEPT, LOOK_AGAIN = 3_600.0, 60.0
# How long they are used at most while they can't be read, and how long anybody waits for them.
KEYS_LAST, PATIENCE = 86_400.0, 10.0
LONGEST_NAME = 120
ANYBODY, EMAIL = "*", "email"
AGAIN = "sign in again: dmm team join URL"
_OK = 200


@dataclass(frozen=True, slots=True)
class Grant:
    """Anyone with this value in the claim joins this project in this role."""

    value: str
    team: str
    project: str
    role: str

    @classmethod
    def read(cls, text: str) -> Grant:
        """Read VALUE=TEAM/PROJECT:ROLE; UsageError where it is none."""
        value, _, rest = text.rpartition("=")
        place, _, role = rest.partition(":")
        team, _, project = place.partition("/")
        if not value or not NAME.fullmatch(team) or not NAME.fullmatch(project):
            hint = "write it like engineers=acme/shop:reviewer"
            raise UsageError(f"'{text}' grants nothing", hint=hint)
        return cls(value, team, project, need_role(role))


@dataclass(frozen=True, slots=True)
class Trusted:
    """The issuer that a server trusts, and what its claims grant."""

    issuer: str
    client_id: str
    audience: str = ""
    claim: str = "groups"
    scope: str = "openid profile email"
    grants: tuple[Grant, ...] = ()

    @property
    def sign_in(self) -> SignIn:
        """What laptops are told."""
        return SignIn(self.issuer, self.client_id, self.scope)

    def find_places(self, named: str) -> tuple[str, ...]:
        """Return the project that somebody named who signs in; else one of each team they meant."""
        teams = {one.team: f"{one.team}/{one.project}" for one in self.grants}
        return (named,) if named else tuple(teams.values())


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whom the issuer knows, and what they may join."""

    name: str
    grants: tuple[Grant, ...]

    def choose(self, place: str) -> Grant:
        """Return the strongest grant for a project; TeamError where there is none, or no choice."""
        found = [one for one in self.grants if place in ("", f"{one.team}/{one.project}")]
        places = sorted({f"{one.team}/{one.project}" for one in found})
        if not places:
            what = f"{self.name} may join no project here" + f" named {place}" * bool(place)
            hint = "ask whoever runs the server: dmm server oidc --grant"
            raise TeamError("forbidden", what, hint=hint)
        if len(places) > 1:
            hint = f"name one of them with --project: {', '.join(places)}"
            raise TeamError("ambiguous", f"{self.name} may join several projects", hint=hint)
        return max(found, key=lambda one: ROLES.index(one.role))


class People:
    """Checks tokens by the keys of one issuer, which are kept for a while."""

    def __init__(self, trusted: Trusted, clock: Callable[[], float] = time.monotonic) -> None:
        self.trusted = trusted
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: Sequence[Mapping[str, Any]] = ()
        self._read_at = -KEYS_LAST
        self._looked_at = -KEYS_LAST
        self._reading: threading.Thread | None = None
        # Why the keys could not be read when they were last asked for.
        self._fault: TeamError | None = None

    def verify(self, token: str, key: str) -> Person:
        """Return whom a token is for; TeamError where it proves nothing.

        Its nonce must name the laptop key that it was asked for with: it is good for no other.
        """
        try:
            head = jwt.get_unverified_header(token)
            algorithm = str(head.get("alg"))
            known = self._find_key(str(head.get("kid", "")), algorithm)
            claims = jwt.decode(
                token,
                jwt.PyJWK(dict(known), algorithm=algorithm).key,
                algorithms=[algorithm],
                audience=self.trusted.audience or self.trusted.client_id,
                issuer=self.trusted.issuer,
                leeway=LEEWAY,
                options={"require": NEEDED},
            )
        except jwt.ExpiredSignatureError as error:
            raise TeamError("expired", "the token has expired", hint=AGAIN) from error
        except jwt.InvalidAudienceError as error:
            what = "the token is for another audience than this server"
            hint = "whoever runs the server checks the client and the audience: dmm server oidc"
            raise TeamError("identity", what, hint=hint) from error
        except jwt.PyJWTError as error:
            raise _unproved("it is malformed, or the issuer did not sign it") from error
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if several and claims.get("azp") != self.trusted.client_id:
            raise _unproved("it was made for another client")
        if time.time() - claims["iat"] > FRESH + LEEWAY:
            raise TeamError("expired", "the token is too old", hint=AGAIN)
        _need_nonce(claims.get("nonce"), key)
        return self._read_person(claims)

    def _read_person(self, claims: Mapping[str, Any]) -> Person:
        # An address that nobody has verified may be somebody else's.
        email = claims.get(EMAIL) if claims.get("email_verified") is True else None
        told = email if self.trusted.claim == EMAIL else claims.get(self.trusted.claim)
        listed = told if isinstance(told, list) else [told]
        values = {one for one in listed if isinstance(one, str)}
        grants = [one for one in self.trusted.grants if one.value in values | {ANYBODY}]
        name = str(email or claims.get("preferred_username") or claims["sub"])
        return Person(" ".join(neutralise(name).split())[:LONGEST_NAME], tuple(grants))

    def _find_key(self, kid: str, algorithm: str) -> Mapping[str, Any]:
        """Find a key of the issuer; one that is unknown may be new."""
        found = self._match(kid, algorithm)
        if not found or self._age() >= KEYS_KEPT:
            self._read_again()
            found = self._match(kid, algorithm)
        # A key that is known stays good while the issuer is away, for a day.
        if found and self._age() < KEYS_LAST:
            return found[0]
        if self._fault is not None:
            raise self._fault
        raise _unproved("it is not signed with a key of the issuer")

    def _age(self) -> float:
        return self._clock() - self._read_at

    def _read_again(self) -> None:
        """Read the keys, in a thread: neither a name server nor an issuer holds anybody for long.

        However many ask, there is one that reads, and no other for a while.
        """
        with self._lock:
            busy = self._reading is not None and self._reading.is_alive()
            if not busy and self._clock() - self._looked_at >= LOOK_AGAIN:
                self._looked_at = self._clock()
                self._fault = unreachable(self.trusted.issuer, f"no answer within {PATIENCE:g} s")
                self._reading = threading.Thread(target=self._refresh, daemon=True)
                self._reading.start()
            reading, left = self._reading, self._looked_at + PATIENCE - self._clock()
        if reading is not None:
            reading.join(max(left, 0))

    def _refresh(self) -> None:
        at = self._clock()
        try:
            self._keys = self._read_keys()
            self._read_at, self._fault = at, None
        except TeamError as error:
            self._fault = error

    def _read_keys(self) -> Sequence[Mapping[str, Any]]:
        url = find_metadata(self.trusted.issuer).jwks_uri
        status, told = ask(url)
        keys = told.get("keys")
        if status != _OK or not isinstance(keys, list):
            raise malformed(url)
        return [one for one in keys if isinstance(one, dict)]

    def _match(self, kid: str, algorithm: str) -> list[Mapping[str, Any]]:
        return [
            one
            for one in self._keys
            if one.get("kid", "") == kid
            and one.get("use", "sig") == "sig"
            and one.get("alg", algorithm) == algorithm
            and algorithm in ALGORITHMS.get(str(one.get("kty")), ())
        ]


def _need_nonce(told: object, key: str) -> None:
    if told is None:
        what = "the issuer left the nonce out of the token, so anybody could use it"
        hint = "join with an invitation: dmm team join URL INVITATION"
        raise TeamError("issuer", what, hint=hint)
    if told != bind(key):
        raise _unproved("it was made for another laptop")


def _unproved(why: str) -> TeamError:
    return TeamError("identity", f"the token is not valid: {why}", hint=AGAIN)
