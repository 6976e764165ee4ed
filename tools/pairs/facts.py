"""Made-up notes on facts: amounts, tools, places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.pairs.writer import COMPATIBLE, CONFLICT, DUPLICATE, Writer, capital

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.pairs.writer import Made

NUMBERS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 64, 80, 90, 100, 120, 200, 500)
SPELLED = dict(
    zip(
        (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 45, 60, 90),
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "eight",
            "ten",
            "twelve",
            "fifteen",
            "twenty",
            "thirty",
            "forty-five",
            "sixty",
            "ninety",
        ],
        strict=True,
    )
)
SECONDS = (5, 10, 15, 20, 30, 45, 60, 90, 120, 300, 600, 900, 1_800, 3_600, 7_200, 86_400)
DAYS = (7, 10, 14, 21, 30, 60, 90, 180, 365)
MEGABYTES = (5, 10, 16, 20, 25, 32, 50, 64, 100, 128, 256, 512, 1_024, 2_048, 4_096)


class Facts(Writer):
    """Makes pairs of notes on facts."""

    def _amounts(self, unit: str) -> tuple[list[str], list[str]]:
        """Return two different amounts, each with its spellings."""
        ranges: dict[str, Sequence[int]] = {
            "seconds": SECONDS,
            "days": DAYS,
            "megabytes": MEGABYTES,
            "count": NUMBERS,
            "percent": range(5, 100, 5),
            "port": range(3_000, 9_999),
            "clock": range(24),
            "version": range(8, 15),
        }
        one, other = self._two(ranges[unit])
        return spellings(unit, one), spellings(unit, other)

    def value(self) -> Made:
        """Make two notes on amounts."""
        unit, subject, forms = self._pick(self._words["values"])
        mine, yours = self._amounts(unit)
        service, stranger = self._service(), self._service()
        kind = self._pick(
            ["same", "same", "clash", "clash", "edit", "other", "area", "then", "rule"]
        )
        first, second = self._two(forms)

        def say(form: str, amounts: list[str], name: str = service) -> str:
            return capital(form.replace("{S}", name).replace("{V}", self._pick(amounts)))

        title, area, elsewhere = subject.format(service), *self._two(self._words["areas"])
        one, other = say(first, mine), say(second, yours)
        if kind == "same":
            return title, one, self._retitle(title), say(second, mine), DUPLICATE
        if kind == "edit":
            return title, say(first, mine[:1]), title, say(first, yours[:1]), CONFLICT
        if kind == "other" and stranger.split()[-1] != service.split()[-1]:
            return title, one, subject.format(stranger), say(first, yours, stranger), COMPATIBLE
        if kind == "area":
            told = self._within(one, area)
            if self._chance.random() < 0.3:
                return title, told, title, self._within(other, area), CONFLICT
            return title, told, title, self._within(other, elsewhere), COMPATIBLE
        if kind == "then":
            return (*self._over_time(title, one, other), COMPATIBLE)
        if kind == "rule":
            return self._general(title, one, other, service)
        return title, one, self._retitle(title), other, CONFLICT

    def _general(self, title: str, one: str, other: str, service: str) -> Made:
        """Set a rule for all beside one for a part: an exception that is named is none."""
        everything = one.replace(capital(service), "Every service").replace(
            service, "every service"
        )
        if self._chance.random() < 0.5:
            return "all services", f"{everything[:-1]}, except {service}.", title, other, COMPATIBLE
        return "all services", f"{everything[:-1]}, without exception.", title, other, CONFLICT

    def _use(self, role: str, sentence: str, tool: str) -> str:
        forms = (
            f"{capital(sentence)} {tool}.",
            f"We use {tool} for {role}.",
            f"For {role}, use {tool}.",
            f"Use {tool} for {role}, nothing else.",
            f"Our choice for {role} is {tool}.",
            f"{capital(role)}: {tool}.",
        )
        said: str = self._pick(forms)
        return said

    def tool(self) -> Made:  # noqa: PLR0911 - a return for each kind
        """Make two notes on the tool for a task."""
        role, sentence, tools = self._pick(self._words["roles"])
        mine, yours = self._two(tools)
        area, elsewhere = self._two(self._words["areas"])
        one, other = self._use(role, sentence, mine), self._use(role, sentence, yours)
        titles = role, self._pick([role, mine, yours, self._retitle(role)])
        ban = self._pick(
            [
                f"Never use {mine} for {role}.",
                f"{mine} is not allowed for {role}; use {yours}.",
                f"{mine} was removed: {sentence} {yours}.",
                f"We have moved from {mine} to {yours}; {mine} is switched off.",
                f"The migration to {yours} is finished and {mine} has been shut down.",
            ]
        )
        kind = self._pick(
            ["same", "clash", "ban", "not", "area", "then", "about", "replace", "else"]
        )
        if kind == "same":
            return titles[0], one, titles[1], self._use(role, sentence, mine), DUPLICATE
        if kind == "ban":
            return titles[0], one, titles[1], ban, CONFLICT
        if kind == "not":
            said = f"Do not use {yours} for {role}; we have {mine}."
            return titles[0], f"Use {mine} for {role}, not {yours}.", titles[1], said, DUPLICATE
        if kind == "area":
            where = area if self._chance.random() < 0.3 else elsewhere
            label = CONFLICT if where == area else COMPATIBLE
            return role, self._within(one, area), role, self._within(other, where), label
        if kind == "then":
            return (*self._over_time(role, one, other), COMPATIBLE)
        if kind == "about":
            return titles[0], one, mine, self._about(mine), COMPATIBLE
        if kind == "replace":
            told = f"{other} This replaces the earlier note about {mine}."
            return titles[0], one, titles[1], told, COMPATIBLE
        if kind == "else":
            role2, sentence2, tools2 = self._pick(self._words["roles"])
            if role2 != role:
                said = self._use(role2, sentence2, self._pick(tools2))
                return titles[0], one, role2, said, COMPATIBLE
        return titles[0], one, titles[1], other, CONFLICT

    def _about(self, tool: str) -> str:
        said: str = self._pick(
            [
                f"{tool} is upgraded once a quarter.",
                f"Credentials for {tool} are in the vault.",
                f"The {tool} account belongs to the {self._pick(self._words['teams'])} team.",
                f"Never expose {tool} to the internet.",
                f"We chose {tool} because the team knows it well.",
                f"Ask {self._pick(self._words['people'])} for access to {tool}.",
                f"{tool} runs in version {self._chance.randint(2, 18)}.",
            ]
        )
        return said

    def place(self) -> Made:
        """Make two notes on where something is, or whose it is."""
        what, here, there = self._pick(self._words["places"])
        forms = (
            "{} live in {}.",
            "{} are kept under {}.",
            "{} belong in {}.",
            "Put them in {1}: {0}.",
        )
        kind = self._pick(["same", "clash", "else", "owner"])
        first, second = self._two(forms)
        if kind == "owner":
            what = self._service()
            here, there = (f"the {team} team" for team in self._two(self._words["teams"]))
            first, second = self._two(
                ("{} is owned by {}.", "{} belongs to {}.", "{1} maintains {0}.")
            )
        one = capital(first.format(what, here))
        if kind == "same" or (kind == "owner" and self._chance.random() < 0.5):
            return what, one, self._retitle(what), capital(second.format(what, here)), DUPLICATE
        if kind == "else":
            return what, one, what, f"{what} are reviewed by the Core team.", COMPATIBLE
        return what, one, self._retitle(what), capital(second.format(what, there)), CONFLICT


def spellings(unit: str, amount: int) -> list[str]:
    """Return the ways of writing an amount."""
    word = SPELLED.get(amount, str(amount))
    if unit == "seconds":
        found = [f"{amount} seconds", f"{amount} s", f"{word} seconds"]
        if amount % 60 == 0:
            minutes = amount // 60
            found += [f"{minutes} min", f"{SPELLED.get(minutes, minutes)} minutes"]
        return found + ([f"{amount // 3600} h"] if amount % 3600 == 0 else [])
    if unit == "days":
        weeks = [f"{amount // 7} weeks"] if amount % 7 == 0 else []
        months = [f"{amount // 30} months"] if amount in (60, 90, 180) else []
        return [f"{amount} days", f"{word} days", *weeks, *months]
    if unit == "megabytes":
        more = [f"{amount // 1024} GB"] if amount % 1024 == 0 else []
        return [f"{amount} MB", f"{amount}MB", f"{amount} megabytes", *more]
    if unit == "percent":
        return [f"{amount} %", f"{amount}%", f"{word} percent"]
    if unit == "clock":
        shown = f"{amount % 12 or 12} {'am' if amount < 12 else 'pm'}"
        return [f"{amount:02d}:00", shown, f"{amount:02d}:00 UTC"]
    if unit == "version":
        return [f"3.{amount}"]
    return [str(amount), word] if unit == "count" else [str(amount)]
