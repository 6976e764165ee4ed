"""Numbers in words and units of measure."""

from __future__ import annotations

from decimal import Decimal

_SCALES = {
    "time": """ns=1e-9 nanosecond=1e-9 us=1e-6 \u00b5s=1e-6 microsecond=1e-6 ms=0.001 msec=0.001
        millisecond=0.001 milli=0.001 s=1 sec=1 second=1 m=60 min=60 minute=60 h=3600 hr=3600
        hour=3600 d=86400 day=86400 night=86400 w=604800 wk=604800 week=604800 fortnight=1209600
        sprint=1209600 mo=2628000 month=2628000 quarter=7884000 y=31536000 yr=31536000
        year=31536000 decade=315360000""",
    "size": """bit=0.125 kbit=128 kilobit=128 mbit=131072 megabit=131072 gbit=134217728
        gigabit=134217728 byte=1 b=1 kb=1024 kib=1024 kilobyte=1024 kibibyte=1024 mb=1048576
        mib=1048576 megabyte=1048576 mebibyte=1048576 meg=1048576 gb=1073741824 gib=1073741824
        gigabyte=1073741824 gibibyte=1073741824 gig=1073741824 tb=1099511627776
        tib=1099511627776 terabyte=1099511627776 ki=1024 mi=1048576 gi=1073741824
        ti=1099511627776 pb=1125899906842624 petabyte=1125899906842624""",
    "share": "%=1 percent=1 pct=1 percentage=1 \u2030=0.1 permille=0.1",
    "money": """$=1 dollar=1 usd=1 buck=1 \u20ac=1 eur=1 euro=1 \u00a3=1 gbp=1 pound=1
        chf=1 cent=0.01""",
    "core": "core=1 vcpu=1 millicore=0.001 millicpu=0.001",
    "pixel": "px=1 pixel=1",
    "font": "em=1 rem=1",
    "baud": "baud=1 bd=1",
    "frequency": "hz=1 hertz=1 khz=1000 mhz=1000000 ghz=1000000000",
    "temperature": "\u00b0c=1 celsius=1",
    "length": "mm=0.001 cm=0.01 km=1000 meter=1 metre=1 kilometer=1000 kilometre=1000",
    "voltage": "v=1 volt=1 mv=0.001 millivolt=0.001",
    "current": "ma=0.001 milliamp=0.001 amp=1 ampere=1",
    "text": "char=1 character=1",
}


UNITS = {
    word: (measure, Decimal(scale))
    for measure, row in _SCALES.items()
    for word, _, scale in (entry.partition("=") for entry in row.split())
}


# Rates in one word: the measure, its scale and what is counted, all for one second.
RATES = {
    "bps": ("size", "0.125"), "kbps": ("size", "128"), "mbps": ("size", "131072"),
    "gbps": ("size", "134217728"), "rps": ("request", "1"), "qps": ("query", "1"),
    "tps": ("transaction", "1"), "rpm": ("request", "0.016666666666666666666667"),
}  # fmt: skip


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
    "hundred": Decimal(100), "thousand": Decimal(1000), "million": Decimal(1_000_000),
    "billion": Decimal(1_000_000_000), "dozen": Decimal(12), "couple": Decimal(2),
    "single": Decimal(1), "twice": Decimal(2), "once": Decimal(1), "thrice": Decimal(3),
    "half": Decimal("0.5"), "pair": Decimal(2),
}  # fmt: skip


MULTIPLIERS = {
    "hundred": Decimal(100), "thousand": Decimal(1000), "million": Decimal(1_000_000),
    "billion": Decimal(1_000_000_000), "dozen": Decimal(12), "k": Decimal(1000),
    "mio": Decimal(1_000_000), "mn": Decimal(1_000_000), "bn": Decimal(1_000_000_000),
}  # fmt: skip


FRACTIONS = {
    "half": Decimal(50), "third": Decimal(100) / 3, "quarter": Decimal(25), "fifth": Decimal(20),
    "sixth": Decimal(100) / 6, "eighth": Decimal("12.5"), "tenth": Decimal(10),
    "twentieth": Decimal(5), "hundredth": Decimal(1), "thousandth": Decimal("0.1"),
}  # fmt: skip


# How many seconds lie between two times.
FREQUENCIES = {
    "hourly": "3600", "daily": "86400", "nightly": "86400", "weekly": "604800",
    "biweekly": "1209600", "fortnightly": "1209600", "monthly": "2628000",
    "bimonthly": "5256000", "quarterly": "7884000", "yearly": "31536000", "annually": "31536000",
}  # fmt: skip


TIME_UNITS = tuple(entry.partition("=")[0] for entry in _SCALES["time"].split())


def singular(text: str) -> str:
    """A unit without its plural s."""
    return text[:-1] if len(text) > 2 and text.endswith("s") and text != "ms" else text


def unit_of(text: str) -> tuple[str, Decimal] | None:
    """The measure and the scale of a unit, in the singular or the plural."""
    return UNITS.get(text) or UNITS.get(singular(text))


def time_unit(text: str) -> Decimal | None:
    """How many seconds a unit of time has."""
    measure, scale = unit_of(text) or ("", Decimal(0))
    return scale if measure == "time" else None
