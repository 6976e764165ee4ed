"""Error responses: one status per kind of error, one body."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.plain import to_plain
from dmm.errors import StaleBase

if TYPE_CHECKING:
    from dmm.errors import DmmError

# A fault of the server is one of its disk; everything else is told as the request's or the
# project's own.
STATUS = {
    "error": 500,
    "usage": 422,
    "config": 409,
    "daemon": 409,
    "team": 409,
    "no_root": 404,
    "not_trusted": 403,
    "path_refused": 403,
    "file_exists": 409,
    "review_refused": 409,
    "stale_base": 409,
    "proof_required": 403,
    "proof_refused": 403,
    "memory_file": 409,
    "rule_form": 422,
    "model_unavailable": 409,
    "model_failed": 409,
    "ledger_refused": 409,
    "ledger_broken": 500,
    "storage": 500,
    "index_broken": 500,
    "index_busy": 409,
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that is answered before it reaches a service."""

    status: int
    code: str
    what: str
    hint: str | None = None

    def describe(self) -> object:
        """Return the refusal as plain data."""
        return describe(self.code, self.what, None, self.hint)


UNAUTHORIZED = Refusal(
    401, "unauthorized", "the token is missing or wrong", "send it as: Authorization: Bearer TOKEN"
)
CODE = Refusal(401, "unauthorized", "the code is wrong", "get a new one with: dmm ui")
CODE_EXPIRED = Refusal(
    401, "unauthorized", "the code has expired; it is valid for a minute", "run dmm ui again"
)
CODE_USED = Refusal(
    401,
    "unauthorized",
    "the code was already used; it works once",
    "run dmm ui again; if it was not you who used it, first run dmm ui --sign-out",
)
PAGE = Refusal(
    403, "origin_refused", "a browser's write must be the page's own", "send X-DMM-Page: 1"
)
HOST = Refusal(403, "host_refused", "the Host header names another server")
ORIGIN = Refusal(403, "origin_refused", "the request comes from another web page")
RELAYED = Refusal(403, "origin_refused", "the socket serves programs, not web pages")
REPEATED = Refusal(400, "header_repeated", "a header that may occur only once is repeated")
HEADERS = Refusal(431, "headers_too_large", "the request's headers are too many or too long")
TARGET = Refusal(414, "target_too_long", "the address is too long")
METHOD = Refusal(405, "method_not_allowed", "this method is not served", "use GET, POST or DELETE")
METHOD_HERE = Refusal(
    405,
    "method_not_allowed",
    "this address does not take this method",
    "GET /v1/openapi.json describes every request",
)
MEDIA = Refusal(
    415, "media_type", "the body is not JSON", "send it with: Content-Type: application/json"
)
ENCODED = Refusal(
    415, "media_type", "an encoded body is not accepted", "send it without an encoding"
)
LENGTH = Refusal(400, "bad_length", "the length of the body is ambiguous")
BODY = Refusal(400, "body_refused", "a read request has no body")
SIZE = Refusal(413, "body_too_large", "the body is larger than 1 MiB")
SLOW = Refusal(408, "body_too_slow", "the body did not arrive in time")
NOT_FOUND = Refusal(404, "not_found", "there is nothing at this address", "GET /v1/openapi.json")
STREAMS = Refusal(429, "too_many_streams", "too many streams are open", "close one, or try later")
UNFORESEEN = Refusal(
    500,
    "unforeseen",
    "internal error in the daemon",
    "see: dmm daemon logs",
)


def describe(code: str, what: str, where: str | None, hint: str | None, **more: object) -> object:
    """Return an error in the form that all surfaces use."""
    return {"error": {"code": code, "what": what, "where": where, "hint": hint, **more}}


def describe_error(error: DmmError) -> object:
    """Return an error of the services as plain data."""
    more = {"view": error.view} if isinstance(error, StaleBase) else {}
    return describe(error.code, error.what, error.where, error.hint, **more)


def to_json(value: Any) -> bytes:
    """Write a value as JSON in ASCII: hidden characters and lone surrogates are escaped."""
    return json.dumps(to_plain(value), allow_nan=False, separators=(",", ":")).encode("ascii")
