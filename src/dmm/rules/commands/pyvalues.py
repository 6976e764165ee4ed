"""Values of Python code, folded as far as constants go; what can't be folded is unknown.

Only whitelisted functions of constants are worked out. No code is run.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.rules.commands.inlineruns import PLACEHOLDER
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LIMIT = 20_000
_MANY = 2_000


class Unknown:
    """Something that only a run would tell."""


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
    """Work something out on constants; a fault in them makes it unknown."""
    try:
        made = work()
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, MemoryError):
        return UNKNOWN
    if isinstance(made, (str, bytes, list)) and len(made) > _LIMIT:
        return UNKNOWN
    return made


def _chr(value: object) -> object:
    return chr(value) if isinstance(value, int) and 0 <= value < 0x110000 else UNKNOWN


def _listed(value: object) -> object:
    if isinstance(value, (str, list, tuple)):
        return list(value)[:_MANY]
    return list(value) if isinstance(value, (bytes, bytearray)) else UNKNOWN


def _reversed(value: object) -> object:
    made = _listed(value)
    return made[::-1] if isinstance(made, list) else UNKNOWN


def _mapped(function: object, values: object) -> object:
    made = _listed(values)
    if isinstance(function, Ref) and isinstance(made, list):
        return [call(function.name, [one]) for one in made]
    return UNKNOWN


def _bytes_of(value: object) -> object:
    if isinstance(value, list) and all(isinstance(one, int) for one in value):
        return _guarded(lambda: bytes(value))
    return value.encode() if isinstance(value, str) else value


def _codec(value: object, name: object = "utf-8") -> object:
    import codecs

    text = as_text(name).lower().replace("_", "").replace("-", "")
    known = {"rot13": "rot13", "hex": "hex", "base64": "base64", "utf8": "utf-8"}
    if text not in known:
        return UNKNOWN
    data: object = as_text(value)
    if text != "rot13":
        data = as_text(value).encode()
    return _guarded(lambda: codecs.decode(data, known[text]))  # type: ignore[call-overload]


def _decoder(name: str) -> Callable[[object], object]:
    def decode(value: object) -> object:
        import base64
        import binascii

        module = base64 if hasattr(base64, name) else binascii
        data = as_text(value)
        return _guarded(lambda: getattr(module, name)(data))

    return decode


def _split(value: object) -> object:
    import shlex

    return _guarded(lambda: shlex.split(as_text(value)))


def _path_join(*parts: object) -> object:
    return "/".join(as_text(part).rstrip("/") for part in parts)


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "chr": _chr,
    "ord": lambda value: ord(value) if isinstance(value, str) and len(value) == 1 else UNKNOWN,
    "str": lambda value="", *_: as_text(value),
    "int": lambda value, base=10: _guarded(lambda: int(as_text(value), base)),
    "list": _listed,
    "tuple": _listed,
    "reversed": _reversed,
    "map": _mapped,
    "bytes": lambda value=b"", *_: _bytes_of(value),
    "bytearray": lambda value=b"", *_: _bytes_of(value),
    "bytes.fromhex": lambda value: _guarded(lambda: bytes.fromhex(as_text(value))),
    "bytearray.fromhex": lambda value: _guarded(lambda: bytes.fromhex(as_text(value))),
    "compile": lambda value, *_: value,
    "open": lambda value, *_: FileText(value) if isinstance(value, str) else UNKNOWN,
    "codecs.decode": _codec,
    "codecs.encode": _codec,
    "shlex.split": _split,
    "shlex.quote": lambda value: value,
    "shutil.which": lambda value: value,
    "os.path.join": _path_join,
    "os.path.expanduser": lambda value: value,
    "os.path.abspath": lambda value: value,
    "pathlib.Path": lambda *parts: PathText(_path_join(*parts)),
    "importlib.import_module": lambda value, *_: Ref(as_text(value)),
    "__import__": lambda value, *_: Ref(as_text(value).partition(".")[0]),
    "ctypes.CDLL": lambda *_: Ref("libc"),
    "ctypes.cdll.LoadLibrary": lambda *_: Ref("libc"),
    **{
        f"{module}.{name}": _decoder(name)
        for module, names in (
            ("base64", "b64decode b32decode b16decode b85decode a85decode urlsafe_b64decode"
                       " standard_b64decode"),
            ("binascii", "unhexlify a2b_hex a2b_base64"),
        )
        for name in names.split()
    },
}  # fmt: skip


def call(name: str, arguments: Sequence[object]) -> object:
    """Work out a function of constants that is on the list; unknown otherwise."""
    work = _FUNCTIONS.get(name.removeprefix("builtins."))
    if work is None:
        return UNKNOWN
    return _guarded(lambda: work(*arguments))


def attribute(value: object, name: str) -> object:
    """Follow an attribute of a module."""
    return Ref(f"{value.name}.{name}") if isinstance(value, Ref) else UNKNOWN


def get_attribute(arguments: Sequence[object]) -> object:
    """Work out `getattr`; a name that is not known leaves an attribute that could be any."""
    if len(arguments) > 1 and isinstance(arguments[0], Ref):
        known = is_known(arguments[1])
        return Ref(f"{arguments[0].name}.{as_text(arguments[1]) if known else '?'}")
    return UNKNOWN
