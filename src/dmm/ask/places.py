"""Places that show the sections of a repository, and which of them an answer shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.ask import landmarks
from dmm.ask.sections import Section

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

# Places of one kind in a package: routes lie in many files, and no one of them shows the others.
MOST_OF_A_LABEL = {Section.SURFACES: 4}
USUALLY_OF_A_LABEL = 2
MOST = {
    **dict.fromkeys((Section.SURFACES, Section.PERSISTENCE), 6),
    Section.ENTRY_POINTS: 8,
    **dict.fromkeys((Section.BUILD, Section.CONFIGURATION), 3),
}
USUALLY = 2
# Says something only where nothing says more: any package has public names, any command a start.
WEAK = 1
CERTAIN = 4
# A name that hints at the section counts as much as four times as many uses.
NAMED = 2


@dataclass(frozen=True, slots=True)
class Place:
    """A line that shows a section; `strength` orders places of one section.

    What it says in words, where that is known, is `remark`; `count` is how often its file shows it.
    """

    section: Section
    path: str
    line: int
    label: str
    strength: int
    remark: str = ""
    count: int = 1

    @property
    def folder(self) -> str:
        """The folder of its file."""
        return self.path.rpartition("/")[0]

    @property
    def is_use(self) -> bool:
        """Whether code only uses a database that is opened somewhere else."""
        return self.section is Section.PERSISTENCE and self.strength < CERTAIN


@dataclass(frozen=True, slots=True)
class Layout:
    """A repository as far as the choice of places needs it.

    `packages` are sizes by folder, `names` those of the project, `users` the number of files that
    import a file; `is_asked` says whether a file lies in a package that the question names.
    """

    packages: Mapping[str, int]
    names: Collection[str]
    is_asked: Callable[[str], bool]
    users: Mapping[str, int]

    def unit_of(self, place: Place) -> str:
        """Name what shows a section once before it shows it twice: a package, or a program."""
        if place.section is Section.ENTRY_POINTS:
            return place.folder
        return landmarks.package_of(place.path, self.packages)

    def is_main(self, place: Place) -> bool:
        """Return whether a program is called like the project: that one people mean."""
        called = place.folder.rpartition("/")[2], place.label.removeprefix("command ")
        is_named = any(one.casefold() in self.names for one in called)
        return place.section is Section.ENTRY_POINTS and is_named


def choose(places: Sequence[Place], layout: Layout) -> list[Place]:
    """Keep the best places of each section: strong, central, and of different sorts.

    Each package of a repository shows its best place before one shows its second; packages
    that the question names come first, then larger ones.
    """
    chosen: list[Place] = []
    labels: Counter[tuple[Section, str, str]] = Counter()
    total: Counter[Section] = Counter()
    paths: set[tuple[Section, str]] = set()
    ordered = sorted(places, key=lambda one: one.strength)
    best = {(one.section, layout.unit_of(one)): one.strength for one in ordered}
    top = {one.section: one.strength for one in ordered}
    for one in _in_turn(_ranked(places, layout.users), layout):
        unit = layout.unit_of(one)
        sort, place = (one.section, one.label, unit), (one.section, one.path)
        most_alike = MOST_OF_A_LABEL.get(one.section, USUALLY_OF_A_LABEL)
        full = total[one.section] >= MOST.get(one.section, USUALLY)
        full = full or _says_less(one, best[one.section, unit], top[one.section])
        if full or place in paths or labels[sort] >= most_alike:
            continue
        labels[sort] += 1
        total[one.section] += 1
        paths.add(place)
        chosen.append(one)
    return chosen


def _ranked(places: Sequence[Place], users: Mapping[str, int]) -> list[Place]:
    """Order places: strong ones first, then what is shown most often and used most."""
    dense = _count_by_folder(places)

    def rank(one: Place) -> tuple[object, ...]:
        _, depth, path = landmarks.order(one.path)
        here = dense[one.section, one.strength, one.folder]
        often = sum(number.bit_length() for number in (here, one.count, users[one.path]))
        often += NAMED * landmarks.is_named(one.section, one.path)
        return (-one.strength, -often, depth, path, one.line)

    return sorted(places, key=rank)


def _count_by_folder(places: Sequence[Place]) -> Counter[tuple[Section, int, str]]:
    """Count how often each folder shows a section: what is done in many files is done there."""
    files = {(one.section, one.strength, one.path): one for one in places}
    counted: Counter[tuple[Section, int, str]] = Counter()
    for one in files.values():
        counted[one.section, one.strength, one.folder] += one.count
    return counted


def _says_less(place: Place, best: int, top: int) -> bool:
    """Return whether a place says nothing beside the best one of its package, or of all.

    A use of a database says little where the connection itself is shown. In a product that is used
    in other ways, what a package exports, or a command of a package, is mostly for its own use; and
    any code may have options.
    """
    exports = place.section is Section.SURFACES and place.strength == WEAK < top
    options = place.section is Section.CONFIGURATION and place.strength < CERTAIN <= top
    uses = place.is_use and best >= CERTAIN
    return place.strength == WEAK < best or exports or options or uses


def _in_turn(places: Sequence[Place], layout: Layout) -> list[Place]:
    """Order ranked places so that the packages take turns, strong signs before weak ones."""
    sizes = layout.packages
    seen: Counter[tuple[Section, str]] = Counter()
    turns = []
    for one in places:
        unit = layout.unit_of(one)
        other = not layout.is_asked(one.path)
        size = -sizes.get(landmarks.package_of(one.path, sizes), 0)
        # Where all packages use one database, its connections come before its uses.
        order = (one.is_use, not layout.is_main(one), seen[one.section, unit], -one.strength, size)
        turns.append((one.strength == WEAK, other, *order))
        seen[one.section, unit] += 1
    return [places[at] for at in sorted(range(len(places)), key=turns.__getitem__)]
