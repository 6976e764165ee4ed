"""The HTTP surface: parse, one service call, present; guarded before routing."""

from dmm.http.app import SERVER, make_app
from dmm.http.sessions import Codes, Sessions

__all__ = ["SERVER", "Codes", "Sessions", "make_app"]
