"""The HTTP surface: parse, one service call, present; guarded before routing."""

from dmm.http.app import SERVER, make_app
from dmm.http.sign_ins import Codes, Sessions
from dmm.http.streams import Streams
from dmm.http.work import Jobs

__all__ = ["SERVER", "Codes", "Jobs", "Sessions", "Streams", "make_app"]
