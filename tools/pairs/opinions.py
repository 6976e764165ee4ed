"""Made-up notes on rules and opinions: what may be done, what is needed, how things are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.pairs.writer import COMPATIBLE, CONFLICT, DUPLICATE, HERE, Writer, capital

if TYPE_CHECKING:
    from tools.pairs.writer import Made


class Opinions(Writer):
    """Makes pairs of notes on rules and opinions."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._topics = read_topics()

    def policy(self) -> Made:  # noqa: PLR0911 - a return for each kind
        """Make two notes on what may be done."""
        act, doing = self._pick(self._words["acts"])
        strange, stranger = self._pick(self._words["acts"])
        when = self._pick(self._words["conditions"])
        area, elsewhere = self._two(self._words["areas"])
        bans, leaves = ways_of(act, doing)
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
            said = self._pick([f"Never {strange}.", f"{capital(stranger)} is fine."])
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
            return capital(form.format(s=about, v=be, w=what))

        one, other = say(self._pick([yes, yes_too])), say(self._pick([no, no_too]))
        kind = self._pick(["same", "clash", "deny", "area", "then", "else", "more"])
        if kind == "same":
            return subject, say(yes), self._retitle(subject), say(yes_too), DUPLICATE
        if kind == "deny":
            said = self._pick(
                [f"{subject} {verb} not {yes}.", f"{subject} {verb} no longer {yes}."]
            )
            return subject, one, self._retitle(subject), capital(said), CONFLICT
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


def ways_of(act: str, doing: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ways of forbidding something, and of allowing it."""
    bans = (
        f"Never {act}.",
        f"Do not {act}.",
        f"{capital(doing)} is forbidden.",
        f"You must not {act}.",
        f"Avoid {doing}.",
        f"{capital(doing)} is not allowed.",
        f"We do not {act} here.",
        f"{capital(doing)} gets your change rejected.",
    )
    leaves = (
        f"You may {act}.",
        f"{capital(doing)} is fine.",
        f"Feel free to {act}.",
        f"{capital(doing)} is allowed.",
        f"It is OK to {act}.",
        f"Always {act}.",
        f"{capital(act)} whenever it helps.",
        f"Please {act}.",
    )
    return bans, leaves
