"""Numbers in words and units of measure."""

from __future__ import annotations

from decimal import Decimal

_SCALES = {
    "time": {
        "ns": "1e-9", "us": "1e-6", "ms": "0.001", "millisecond": "0.001", "msec": "0.001",
        "s": "1", "sec": "1", "second": "1", "min": "60", "minute": "60", "h": "3600", "hr": "3600",
        "hour": "3600", "d": "86400", "day": "86400", "night": "86400",
        "week": "604800", "fortnight": "1209600",
        "sprint": "1209600", "month": "2628000", "quarter": "7884000", "year": "31536000",
    },
    "size": {
        "byte": "1", "b": "1", "kb": "1024", "kib": "1024", "kilobyte": "1024", "mb": "1048576",
        "mib": "1048576", "megabyte": "1048576", "meg": "1048576", "gb": "1073741824",
        "gib": "1073741824", "gigabyte": "1073741824", "gig": "1073741824",
        "tb": "1099511627776", "tib": "1099511627776", "terabyte": "1099511627776",
    },
    "share": {"%": "1", "percent": "1", "pct": "1", "percentage": "1"},
    "money": {"$": "1", "dollar": "1", "usd": "1", "eur": "1", "euro": "1"},
    "pixel": {"px": "1", "pixel": "1"},
}  # fmt: skip


UNITS = {
    word: (measure, Decimal(scale))
    for measure, row in _SCALES.items()
    for word, scale in row.items()
}


NUMBERS = {
    word: Decimal(value)
    for value, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
            *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
            *("seventeen", "eighteen", "nineteen", "twenty"),
        )
    )
} | {
    "thirty": Decimal(30), "forty": Decimal(40), "fifty": Decimal(50), "sixty": Decimal(60),
    "seventy": Decimal(70), "eighty": Decimal(80), "ninety": Decimal(90),
    "hundred": Decimal(100), "thousand": Decimal(1000), "dozen": Decimal(12),
    "single": Decimal(1), "twice": Decimal(2), "once": Decimal(1), "thrice": Decimal(3),
    "half": Decimal("0.5"),
}  # fmt: skip


FRACTIONS = {
    "half": Decimal(50), "third": Decimal(33), "quarter": Decimal(25), "fifth": Decimal(20),
    "tenth": Decimal(10), "twentieth": Decimal(5), "hundredth": Decimal(1),
}  # fmt: skip


FREQUENCIES = {
    "daily": "1", "nightly": "1", "weekly": "7", "biweekly": "14", "fortnightly": "14",
    "monthly": "30", "quarterly": "90", "yearly": "365", "annually": "365",
    "hourly": "0.0416666666666666666667",
}  # fmt: skip


TIME_UNITS = tuple(_SCALES["time"])


def singular(text: str) -> str:
    """A unit without its plural s."""
    return text[:-1] if len(text) > 2 and text.endswith("s") and text != "ms" else text


def time_unit(text: str) -> Decimal | None:
    """How many seconds a unit of time has."""
    measure, scale = UNITS.get(text) or UNITS.get(singular(text)) or ("", Decimal(0))
    return scale if measure == "time" else None
