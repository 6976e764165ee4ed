"""Browser sign-in: a one-time code for a cookie.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from fastapi import APIRouter, Request

from dmm.http import errors, models
from dmm.http.calls import Reply, access_of, told
from dmm.http.gate import LOGIN
from dmm.http.sessions import write_cookie

router = APIRouter(tags=["session"])


@router.post(LOGIN, responses=told(models.SessionTold))
def open_session(request: Request, body: models.Login) -> Reply:
    """Exchange a one-time code for a session; the code is good once, for a minute."""
    access = access_of(request)
    if not access.codes.take(body.code):
        return Reply(errors.CODE.describe(), errors.CODE.status)
    cookie = write_cookie(access.sessions.make())
    return Reply({"status": "open"}, headers={"set-cookie": cookie})
