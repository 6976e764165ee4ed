"""The HTTP surface: parse, one service call, present; guarded before routing."""

from dmm.http.app import SERVER, make_app
from dmm.http.sessions import Codes

__all__ = ["SERVER", "Codes", "make_app"]
