"""Read the lines of a transcript: one bounded JSON object each."""

from __future__ import annotations

import codecs
import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationError,
    WrapValidator,
)

from dmm.errors import UsageError
from dmm.sessions.objects import parse_object, refuse_deep
from dmm.sessions.payload import LARGEST, LONGEST_NAME, LONGEST_PATH
from dmm.sessions.transcripts.entry import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO, Self

    from pydantic import ValidatorFunctionWrapHandler

_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Line:
    """One line that holds a JSON object."""

    number: int
    values: dict[str, object]


def read_lines(stream: BinaryIO) -> Iterator[Line | Fault]:
    """Read objects line by line; a bad line becomes a fault, and reading continues."""
    number = 0
    while data := stream.readline(LARGEST + 1):
        number += 1
        if len(data) > LARGEST:
            _pass_over(stream, data)
            yield Fault(number, f"longer than {LARGEST >> 20} MiB")
        elif data.strip():
            yield _parse(number, data.removeprefix(codecs.BOM_UTF8))


def _pass_over(stream: BinaryIO, data: bytes) -> None:
    """Skip to the end of a line."""
    while data and not data.endswith(b"\n"):
        data = stream.readline(_PIECE)


def _parse(number: int, data: bytes) -> Line | Fault:
    try:
        return Line(number, parse_object(data))
    except UsageError as error:
        return Fault(number, error.what)


def or_absent(absent: object) -> WrapValidator:
    """Treat a value of another type, or one that is too long, as absent."""

    def read(value: object, validate: ValidatorFunctionWrapHandler) -> object:
        try:
            return validate(value)
        except ValidationError:
            return absent

    return WrapValidator(read)


def _read_time(text: str) -> str:
    """Read a time in ISO 8601 as the ledger writes it; without a zone it counts as UTC."""
    try:
        moment = dt.datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=moment.tzinfo or dt.UTC).astimezone(dt.UTC)
    except OverflowError as error:
        raise ValueError("outside the calendar") from error
    return moment.isoformat(timespec="milliseconds")


Moment = Annotated[str, AfterValidator(_read_time)]
RequiredName = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Name = Annotated[RequiredName, or_absent("")]
Folder = Annotated[str, StringConstraints(max_length=LONGEST_PATH), or_absent("")]
Text = Annotated[str, or_absent("")]
Flag = Annotated[bool, or_absent(False)]
Kept = Annotated[Any, AfterValidator(refuse_deep)]
Object = Annotated[dict[str, Any], or_absent({}), AfterValidator(refuse_deep)]


class Foreign(BaseModel):
    """The fields that are read from an object of another program."""

    model_config = ConfigDict(strict=True)

    @classmethod
    def read(cls, line: Line) -> Self | Fault:
        """Read a line; return a fault if a required field is missing."""
        try:
            return cls.model_validate(line.values)
        except ValidationError as error:
            return Fault(line.number, f"no {error.errors()[0]['loc'][0]}")
