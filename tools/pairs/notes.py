"""Made-up pairs of project notes: values, tools, policies, states, places, and opposed opinions."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.pairs.rows import Row, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Made = tuple[str, str, str, str, str]

HERE = Path(__file__).parent
CONFLICT, DUPLICATE, COMPATIBLE = "conflict", "duplicate", "compatible"
NUMBERS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 64, 80, 90, 100, 120, 200, 500)
SPELLED = dict(
    zip(
        (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 45, 60, 90),
        """two three four five six eight ten
    twelve fifteen twenty thirty forty-five sixty ninety""".split(),
        strict=True,
    )
)
SECONDS = (5, 10, 15, 20, 30, 45, 60, 90, 120, 300, 600, 900, 1_800, 3_600, 7_200, 86_400)
DAYS = (7, 10, 14, 21, 30, 60, 90, 180, 365)
MEGABYTES = (5, 10, 16, 20, 25, 32, 50, 64, 100, 128, 256, 512, 1_024, 2_048, 4_096)


class Maker:
    """Makes pairs with one source of chance."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words: dict[str, Any] = json.loads((HERE / "words.json").read_text("utf-8"))
        self._topics = read_topics()
        self._kinds: list[tuple[Callable[[], Made], int]] = [
            (self.value, 26),
            (self.tool, 22),
            (self.policy, 18),
            (self.need, 6),
            (self.state, 12),
            (self.place, 6),
            (self.topic, 30),
        ]

    def pair(self) -> Row:
        """Return one pair, with or without titles, in either order."""
        makers, weights = zip(*self._kinds, strict=True)
        titles, bodies, label = self._split(self._chance.choices(makers, weights)[0]())
        texts = [self._dress(title, body) for title, body in zip(titles, bodies, strict=True)]
        if self._chance.random() < 0.5:
            texts.reverse()
        return Row(texts[0], texts[1], "note", (label,), "made")

    @staticmethod
    def _split(made: Made) -> tuple[tuple[str, str], tuple[str, str], str]:
        return (made[0], made[2]), (made[1], made[3]), made[4]

    def _dress(self, title: str, body: str) -> str:
        if self._chance.random() < 0.3:
            aside = self._pick(self._words["asides"])
            body = f"{body} {aside}" if self._chance.random() < 0.7 else f"{aside} {body}"
        return body if self._chance.random() < 0.25 else f"{_capital(title)}. {body}"

    def _pick(self, options: Sequence[Any]) -> Any:
        return self._chance.choice(options)

    def _two(self, options: Sequence[Any]) -> list[Any]:
        return self._chance.sample(list(options), 2)

    def _service(self) -> str:
        form: str = self._pick(self._words["service_forms"])
        return form.format(self._pick(self._words["services"]))

    def _within(self, body: str, area: str) -> str:
        forms = (
            "In {a}: {l}",
            "For {a}: {l}",
            "{a} only: {l}",
            "{b} This is about {a}.",
            "In {a}, {l}",
        )
        form: str = self._pick(forms)
        return _capital(form.format(a=area, b=body, l=_lower(body)))

    # --- values -----------------------------------------------------------------------------

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
            return _capital(form.replace("{S}", name).replace("{V}", self._pick(amounts)))

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
        everything = one.replace(_capital(service), "Every service").replace(
            service, "every service"
        )
        if self._chance.random() < 0.5:
            return "all services", f"{everything[:-1]}, except {service}.", title, other, COMPATIBLE
        return "all services", f"{everything[:-1]}, without exception.", title, other, CONFLICT

    def _over_time(self, title: str, one: str, other: str) -> tuple[str, str, str, str]:
        year = self._chance.randint(2018, 2025)
        before = self._pick(["Until {y}: {l}", "Before {y}: {l}", "No longer valid since {y}: {l}"])
        after = self._pick(["From {y} on: {l}", "Since {y}: {l}", "As of {y}, {l}"])
        return (
            f"{title} (history)" if self._chance.random() < 0.3 else title,
            before.format(y=year, l=_lower(one)),
            title,
            after.format(y=year, l=_lower(other)),
        )

    def _retitle(self, title: str) -> str:
        form: str = self._pick(["{}", "{}", "about {}", "{} setting", "note on {}"])
        return form.format(title)

    # --- tools ------------------------------------------------------------------------------

    def _use(self, role: str, sentence: str, tool: str) -> str:
        forms = (
            f"{_capital(sentence)} {tool}.",
            f"We use {tool} for {role}.",
            f"For {role}, use {tool}.",
            f"Use {tool} for {role}, nothing else.",
            f"Our choice for {role} is {tool}.",
            f"{_capital(role)}: {tool}.",
        )
        said: str = self._pick(forms)
        return said

    def tool(self) -> Made:
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

    # --- policies ---------------------------------------------------------------------------

    def policy(self) -> Made:
        """Make two notes on what may be done."""
        act, doing = self._pick(self._words["acts"])
        strange, stranger = self._pick(self._words["acts"])
        when = self._pick(self._words["conditions"])
        area, elsewhere = self._two(self._words["areas"])
        bans = (
            f"Never {act}.",
            f"Do not {act}.",
            f"{_capital(doing)} is forbidden.",
            f"You must not {act}.",
            f"Avoid {doing}.",
            f"{_capital(doing)} is not allowed.",
            f"We do not {act} here.",
            f"{_capital(doing)} gets your change rejected.",
        )
        leaves = (
            f"You may {act}.",
            f"{_capital(doing)} is fine.",
            f"Feel free to {act}.",
            f"{_capital(doing)} is allowed.",
            f"It is OK to {act}.",
            f"Always {act}.",
            f"{_capital(act)} whenever it helps.",
            f"Please {act}.",
        )
        ban, again = self._two(bans)
        leave = self._pick(leaves)
        titles = doing, self._pick([doing, act, f"rule: {doing}"])
        kind = self._pick(["same", "clash", "area", "cond", "never", "only", "else", "then", "but"])
        if kind == "same":
            return titles[0], ban, titles[1], again, DUPLICATE
        if kind == "area":
            where = area if self._chance.random() < 0.35 else elsewhere
            label = CONFLICT if where == area else COMPATIBLE
            return doing, self._within(ban, area), doing, self._within(leave, where), label
        if kind == "cond":
            rule = f"{ban[:-1]} unless {when}."
            if self._chance.random() < 0.4:
                return titles[0], rule, titles[1], f"You may {act} only if {when}.", DUPLICATE
            return titles[0], rule, titles[1], f"When {when}, you may {act}.", COMPATIBLE
        if kind == "never":
            rule = f"{ban[:-1]}, not even when {when}."
            return titles[0], rule, titles[1], f"If {when}, you may {act}.", CONFLICT
        if kind == "only":
            one, other = self._two(self._words["people"])
            said = f"{other} may {act}, too." if self._chance.random() < 0.5 else leave
            return titles[0], f"Only {one} may {act}.", titles[1], said, CONFLICT
        if kind == "else" and strange != act:
            said = self._pick([f"Never {strange}.", f"{_capital(stranger)} is fine."])
            return titles[0], self._pick([ban, leave]), stranger, said, COMPATIBLE
        if kind == "then":
            return (*self._over_time(doing, leave, ban), COMPATIBLE)
        if kind == "but":
            rule = f"{ban[:-1]}, except in {area}."
            return titles[0], rule, titles[1], self._within(leave, area), COMPATIBLE
        return titles[0], ban, titles[1], leave, CONFLICT

    def need(self) -> Made:
        """Make two notes on what something needs before it goes ahead."""
        name, thing = self._pick(self._words["things"])
        (need, done), (need2, done2) = self._two(self._words["needs"])
        calls = (
            f"{thing} needs {need}.",
            f"No {name} without {need}.",
            f"{thing} requires {need}.",
            f"{thing} goes ahead only when {done}.",
            f"{thing} must not go out before {done}.",
        )
        one, again = self._two(calls)
        free = self._pick(
            [f"{thing} does not need {need}.", f"{thing} can go ahead without {need}."]
        )
        kind = self._pick(["same", "clash", "else"])
        if kind == "same":
            return name, one, self._retitle(name), again, DUPLICATE
        if kind == "clash":
            return name, one, self._retitle(name), free, CONFLICT
        said = self._pick([f"{thing} needs {need2}.", f"{thing} goes ahead only when {done2}."])
        return name, one, self._retitle(name), said, COMPATIBLE

    # --- states, places, opinions -----------------------------------------------------------

    def state(self) -> Made:
        """Make two notes on how something is."""
        (subject, stranger) = self._two(self._words["subjects"])
        yes, no, yes_too, no_too = self._pick(self._words["states"])
        area, elsewhere = self._two(self._words["areas"])
        verb = "are" if subject.endswith("s") else "is"

        def say(what: str, about: str = subject) -> str:
            forms = "{s} {v} {w}.", "{s} {v} always {w}.", "Note that {s} {v} {w}."
            be = "are" if about.endswith("s") else "is"
            form: str = self._pick(forms)
            return _capital(form.format(s=about, v=be, w=what))

        one, other = say(self._pick([yes, yes_too])), say(self._pick([no, no_too]))
        kind = self._pick(["same", "clash", "deny", "area", "then", "else", "more"])
        if kind == "same":
            return subject, say(yes), self._retitle(subject), say(yes_too), DUPLICATE
        if kind == "deny":
            said = self._pick(
                [f"{subject} {verb} not {yes}.", f"{subject} {verb} no longer {yes}."]
            )
            return subject, one, self._retitle(subject), _capital(said), CONFLICT
        if kind == "area":
            said = self._within(other, elsewhere)
            return subject, self._within(one, area), subject, said, COMPATIBLE
        if kind == "then":
            return (*self._over_time(subject, one, other), COMPATIBLE)
        if kind == "else":
            return subject, one, stranger, say(self._pick([yes, no, no_too]), stranger), COMPATIBLE
        if kind == "more":
            others = [one for one in self._words["states"] if one[0] != yes]
            return subject, one, subject, say(self._pick(self._pick(others))), COMPATIBLE
        return subject, one, self._retitle(subject), other, CONFLICT

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
        one = _capital(first.format(what, here))
        if kind == "same" or (kind == "owner" and self._chance.random() < 0.5):
            return what, one, self._retitle(what), _capital(second.format(what, here)), DUPLICATE
        if kind == "else":
            return what, one, what, f"{what} are reviewed by the Core team.", COMPATIBLE
        return what, one, self._retitle(what), _capital(second.format(what, there)), CONFLICT

    def topic(self) -> Made:
        """Make two notes on a subject that projects take sides on."""
        (title, sides), (stranger, sides2) = self._two(self._topics)
        mine, yours = ("+", "-") if self._chance.random() < 0.5 else ("-", "+")
        one, again = self._two(sides[mine])
        other, beside = self._pick(sides[yours]), self._pick(sides["~"])
        area, elsewhere = self._two(self._words["areas"])
        titles = title, self._pick([title, self._retitle(title)])
        kind = self._pick(
            ["same", "same", "clash", "clash", "beside", "both", "area", "then", "else", "fix"]
        )
        if kind == "same":
            return titles[0], one, titles[1], again, DUPLICATE
        if kind == "beside":
            return titles[0], one, titles[1], beside, COMPATIBLE
        if kind == "both":
            label = CONFLICT if self._chance.random() < 0.6 else COMPATIBLE
            said = other if label == CONFLICT else self._pick(sides2["~"])
            return (
                titles[0],
                f"{one} {beside}",
                titles[1],
                f"{said} {self._more(sides, beside)}",
                label,
            )
        if kind == "area":
            where = area if self._chance.random() < 0.3 else elsewhere
            label = CONFLICT if where == area else COMPATIBLE
            return title, self._within(one, area), title, self._within(other, where), label
        if kind == "then":
            return (*self._over_time(title, one, other), COMPATIBLE)
        if kind == "else":
            return titles[0], one, stranger, self._pick(sides2[mine] + sides2["~"]), COMPATIBLE
        if kind == "fix":
            return titles[0], one, titles[1], f"{other} This replaces the older rule.", COMPATIBLE
        return titles[0], one, titles[1], other, CONFLICT

    def _more(self, sides: dict[str, list[str]], but: str) -> str:
        left = [one for one in sides["~"] if one != but]
        said: str = self._pick(left)
        return said


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


def read_topics() -> list[tuple[str, dict[str, list[str]]]]:
    """Read the subjects and what the sides say."""
    topics: list[tuple[str, dict[str, list[str]]]] = []
    for line in (HERE / "topics.txt").read_text("utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "=":
            topics.append((text, {}))
        elif mark in "+-~":
            topics[-1][1][mark] = [part.strip() for part in text.split(" | ")]
    return topics


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def main() -> None:
    """Write so many pairs, each once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=80_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    maker = Maker(options.seed)
    rows: dict[Row, None] = {}
    while len(rows) < options.count:
        row = maker.pair()
        if row.one != row.other:
            rows[row] = None
    print(write_rows(options.out, rows), "pairs")


if __name__ == "__main__":
    main()
