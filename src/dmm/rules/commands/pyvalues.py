"""Values of Python code, folded as far as constants go; what can't be folded is unknown.

Only whitelisted functions of constants are worked out. No code is run.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from dmm.rules.commands.inlineruns import PLACEHOLDER
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LIMIT = 20_000
_MANY = 2_000
_LAST_CODE_POINT = 0x10FFFF


class Unknown:
    """A value that only a run would reveal."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A module, a function or an attribute by its full name, whatever it was called here."""

    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function that the code defines, with the names around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: dict[str, object]


@dataclass(frozen=True, slots=True)
class Made:
    """A class that the code defines, or an object of it; its methods stand in the scope."""

    scope: dict[str, object]


class PathText(str):
    """A path object; it reads and writes files."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file, by the path it is read from."""

    path: str


UNKNOWN = Unknown()


def as_text(value: object) -> str:
    """Write a value as text; an unknown one becomes the placeholder."""
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, int, float)):
        return str(value)
    if isinstance(value, Ref) and value.name == "sys.executable":
        return "python"
    return PLACEHOLDER


def is_known(value: object) -> bool:
    """Whether a value is a constant through and through."""
    if isinstance(value, (list, tuple)):
        return all(is_known(one) for one in value)
    return value is None or (
        isinstance(value, (str, bytes, bool, int, float)) and PLACEHOLDER not in as_text(value)
    )


def add(left: object, right: object) -> object:
    """Add texts or lists; a text stays readable where a part of it is unknown."""
    if isinstance(left, list) or isinstance(right, list):
        if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            return [*left, *right][:_MANY]
        known = left if isinstance(left, list) else right
        return [*known, UNKNOWN] if known is left and isinstance(known, list) else UNKNOWN
    if isinstance(left, bytes) and isinstance(right, bytes):
        return (left + right)[:_LIMIT]
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left + right
    if isinstance(left, (str, bytes)) or isinstance(right, (str, bytes)):
        return (as_text(left) + as_text(right))[:_LIMIT]
    return UNKNOWN


def multiply(left: object, right: object) -> object:
    """Repeat a text or a list a bounded number of times."""
    if isinstance(left, int) and not isinstance(right, int):
        left, right = right, left
    if isinstance(left, (str, bytes, list)) and isinstance(right, int):
        return left * max(0, min(right, _MANY // max(1, len(left))))
    return UNKNOWN


def operate(operator: ast.operator, left: object, right: object) -> object:
    """Work out the operators that hide texts most often."""
    if isinstance(operator, ast.Add):
        return add(left, right)
    if isinstance(operator, ast.Mult):
        return multiply(left, right)
    if isinstance(operator, ast.Div) and isinstance(left, (PathText, str)):
        return PathText(f"{left}/{as_text(right)}")
    if isinstance(operator, ast.Mod) and isinstance(left, str):
        return _formatted(left, right)
    if isinstance(left, int) and isinstance(right, int):
        return _integers(operator, left, right)
    return UNKNOWN


def _integers(operator: ast.operator, left: int, right: int) -> object:
    small = abs(left) < _LIMIT and abs(right) < _LIMIT
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.BitXor):
        return left ^ right
    if isinstance(operator, (ast.FloorDiv, ast.Mod)) and right and small:
        return left // right if isinstance(operator, ast.FloorDiv) else left % right
    return UNKNOWN


def _formatted(text: str, values: object) -> str:
    """Fill `%s` and its like in; widths and precisions are ignored."""
    import re

    left = list(values) if isinstance(values, (tuple, list)) else [values]

    def fill(match: re.Match[str]) -> str:
        return "%" if match[0] == "%%" else as_text(left.pop(0) if left else UNKNOWN)

    return re.sub(r"%(?:\(\w+\))?[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z%]", fill, text)[:_LIMIT]


def subscript(value: object, index: object) -> object:
    """Take an element, or a slice such as `[::-1]`."""
    if isinstance(value, Ref):
        if value.name == "sys.modules":
            return Ref(as_text(index))
        if value.name.endswith(".__dict__"):
            return Ref(f"{value.name.removesuffix('.__dict__')}.{as_text(index)}")
        return UNKNOWN
    if isinstance(value, dict):
        return value.get(index, UNKNOWN) if isinstance(index, (str, int)) else UNKNOWN
    if isinstance(value, (str, bytes, list, tuple)) and isinstance(index, (int, slice)):
        try:
            return value[index]
        except (IndexError, ValueError, TypeError):
            return UNKNOWN
    return UNKNOWN


_TEXT_METHODS = names(
    """lower upper strip lstrip rstrip title capitalize swapcase replace split rsplit removeprefix
    removesuffix decode encode splitlines join format hex casefold partition"""
)


def method(value: object, name: str, arguments: Sequence[object]) -> object:
    """Work out a method of a constant text."""
    if name == "join" and isinstance(value, (str, bytes)) and arguments:
        return _join(value, arguments[0])
    if name == "format" and isinstance(value, str):
        return _format(value, arguments)
    if isinstance(value, FileText):
        return value if name == "read" else UNKNOWN
    if name == "fromhex" and arguments:
        return _guarded(lambda: bytes.fromhex(as_text(arguments[0])))
    if isinstance(value, list) and name in ("append", "extend", "insert"):
        new = arguments[-1] if arguments else UNKNOWN
        value.extend(new if name == "extend" and isinstance(new, list) else [new])
        return None
    if not isinstance(value, (str, bytes)) or name not in _TEXT_METHODS:
        return UNKNOWN
    if not is_known(value) or not all(is_known(one) for one in arguments):
        return UNKNOWN
    return _guarded(lambda: getattr(value, name)(*arguments))


def _join(value: str | bytes, parts: object) -> object:
    if isinstance(parts, (str, list, tuple)):
        return as_text(value).join([as_text(one) for one in parts][:_MANY])[:_LIMIT]
    return UNKNOWN


def _format(text: str, arguments: Sequence[object]) -> str:
    import re

    left = list(arguments)

    def fill(match: re.Match[str]) -> str:
        if match[1].isdigit():
            at = int(match[1])
            return as_text(arguments[at] if at < len(arguments) else UNKNOWN)
        return as_text(left.pop(0) if left and not match[1] else UNKNOWN)

    return re.sub(r"\{(\w*)[^{}]*\}", fill, text)[:_LIMIT]


def _guarded(work: Callable[[], object]) -> object:
    """Evaluate something on constants; an exception makes it unknown."""
    try:
        made = work()
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, MemoryError):
        return UNKNOWN
    if isinstance(made, (str, bytes, list)) and len(made) > _LIMIT:
        return UNKNOWN
    return made


def _listed(value: object) -> object:
    if isinstance(value, (str, list, tuple, bytes, bytearray)):
        return list(value)[:_MANY]
    return UNKNOWN


def _mapped(function: object, values: object) -> object:
    made = _listed(values)
    if isinstance(function, Ref) and isinstance(made, list):
        return [call(function.name, [one]) for one in made]
    return UNKNOWN


def _path_join(*parts: object) -> str:
    return "/".join(as_text(part).rstrip("/") for part in parts)


def _same(value: object, *_: object) -> object:
    return value


# Functions of constants, worked out by the interpreter itself.
_OF_CONSTANTS = names(
    """chr ord str int bytes bytearray bytes.fromhex bytearray.fromhex shlex.split
    base64.b64decode base64.b32decode base64.b16decode base64.b85decode base64.a85decode
    base64.urlsafe_b64decode base64.standard_b64decode
    binascii.unhexlify binascii.a2b_hex binascii.a2b_base64"""
)
_CODECS = frozenset({"rot13", "rot_13", "rot-13", "hex", "hex_codec", "base64", "utf-8", "utf8"})


def _codec(value: object, name: object = "utf-8") -> object:
    import codecs

    if as_text(name).lower() not in _CODECS:
        return UNKNOWN
    data = as_text(value) if "rot" in as_text(name) else as_text(value).encode()
    return codecs.decode(data, as_text(name))  # type: ignore[arg-type]


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "list": _listed,
    "tuple": _listed,
    "reversed": lambda value: subscript(_listed(value), slice(None, None, -1)),
    "map": _mapped,
    "codecs.decode": _codec,
    "codecs.encode": _codec,
    "open": lambda value, *_: FileText(value) if isinstance(value, str) else UNKNOWN,
    "os.path.join": _path_join,
    "pathlib.Path": lambda *parts: PathText(_path_join(*parts)),
    "importlib.import_module": lambda value, *_: Ref(as_text(value)),
    "__import__": lambda value, *_: Ref(as_text(value).partition(".")[0]),
    **dict.fromkeys(("ctypes.CDLL", "ctypes.cdll.LoadLibrary"), lambda *_: Ref("libc")),
    **dict.fromkeys(
        ("compile", "shlex.quote", "shutil.which", "os.path.expanduser", "os.path.abspath"), _same
    ),
}


def _of_constants(name: str, arguments: Sequence[object]) -> object:
    """Call a function that only looks at its arguments, where all of them are constants."""
    sizes = (abs(one) for one in arguments if isinstance(one, int))
    if not all(map(is_known, arguments)) or max(sizes, default=0) > _LAST_CODE_POINT:
        return UNKNOWN
    holder, _, function = name.rpartition(".")
    of_bytes = holder in ("bytes", "bytearray")
    place = bytes if of_bytes else import_module(holder or "builtins")
    return getattr(place, function)(*arguments)


def call(name: str, arguments: Sequence[object]) -> object:
    """Work out a function of constants that is on the list; unknown otherwise."""
    plain = name.removeprefix("builtins.")
    if plain in _OF_CONSTANTS:
        return _guarded(lambda: _of_constants(plain, arguments))
    work = _FUNCTIONS.get(plain)
    return UNKNOWN if work is None else _guarded(lambda: work(*arguments))


def attribute(value: object, name: str) -> object:
    """Follow an attribute of a module."""
    return Ref(f"{value.name}.{name}") if isinstance(value, Ref) else UNKNOWN


def get_attribute(arguments: Sequence[object]) -> object:
    """Work out `getattr`; a name that is not known leaves an attribute that could be any."""
    if len(arguments) > 1 and isinstance(arguments[0], Ref):
        known = is_known(arguments[1])
        return Ref(f"{arguments[0].name}.{as_text(arguments[1]) if known else '?'}")
    return UNKNOWN
