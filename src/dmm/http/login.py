"""Browser sign-in: a one-time code for a cookie, and signing out.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import datetime as dt

from fastapi import APIRouter, Request

from dmm.http import errors, models
from dmm.http.calls import WITHOUT_TOKEN, Reply, access_of, told
from dmm.http.gate import LOGIN
from dmm.http.sign_ins import read_cookie, write_cookie

router = APIRouter(tags=["session"], dependencies=WITHOUT_TOKEN)
FATES = {"used": errors.CODE_USED, "expired": errors.CODE_EXPIRED, None: errors.CODE}


@router.post(LOGIN, responses=told(models.SessionTold))
def open_session(request: Request, body: models.Login) -> Reply:
    """Exchange a one-time code for a session; the code is good once, for a minute."""
    access = access_of(request)
    if not access.codes.take(body.code):
        refusal = FATES[access.codes.fate(body.code)]
        return Reply(refusal.describe(), refusal.status)
    known = read_cookie(request.headers.get("cookie", ""), access.port())
    cookie = write_cookie(access.sessions.make(instead_of=known), access.port())
    return Reply({"status": "open"}, headers={"set-cookie": cookie})


@router.get(LOGIN, responses=told(models.SignInTold | models.NotSignedInTold))
def show_session(request: Request) -> Reply:
    """Show whether this browser is signed in, since when, and how many are.

    Who is neither signed in nor has the token learns that alone.
    """
    if request.scope["dmm.caller"] == "stranger":
        return Reply({"signed_in": False})
    access = access_of(request)
    secret = read_cookie(request.headers.get("cookie", ""), access.port())
    found = None if secret is None else access.sessions.find(secret)
    since = None if found is None else _when(found.since)
    standing = access.persons.standing(None if found is None else found.id)
    passkey = {"enrolled": standing.enrolled, "required": standing.enrolled > 0}
    about = {"signed_in": found is not None, "since": since, "sessions": access.sessions.count}
    return Reply(about | {"passkey": passkey, "confirm": standing.confirm})


def _when(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat(timespec="seconds")


@router.delete(LOGIN, responses=told(models.SignedOutTold))
def sign_out(request: Request) -> Reply:
    """Sign every browser out, and end all codes and streams; who still may opens another."""
    access = access_of(request)
    access.codes.end_all()
    access.persons.sign_out()
    ended = access.sessions.end_all()
    access.streams.end_all()
    gone = write_cookie("", access.port(), 0)
    return Reply({"ended": ended}, headers={"set-cookie": gone})
