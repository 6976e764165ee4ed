"""Survey a repository: places that show its sections, found by name, proved by code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.ask import landmarks, libraries, manifests
from dmm.ask.evidence import Evidence, Mark, make_code
from dmm.ask.places import CERTAIN, WEAK, Layout, Place, choose
from dmm.ask.purpose import find_purpose
from dmm.ask.sections import Section
from dmm.ask.signs import SIGNED, find_signs
from dmm.ask.sources import SOURCE, CodeFile
from dmm.files.citations import digest
from dmm.repo.strip_comments import Bare, strip

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from dmm.ask.sources import Code

LONGEST_DEFINITION = 40
LINES_BEFORE, LINES_AFTER = 2, 12
DECLARED = 6
# Files that are read because of their names, for all sections together.
MOST_READ = 240
MOST_RANKED = 20
MOST_CHARACTERS = 400_000
# What builds or tests the product neither starts nor configures it.
TOOLED = frozenset((Section.ENTRY_POINTS, Section.CONFIGURATION))
LONGEST_SCRIPT = 60
TEST_MODULES = frozenset(("test", "tests"))
RANKED = {
    Section.PERSISTENCE: libraries.list_words(libraries.DATABASES, libraries.OBJECT_STORES),
    Section.CONFIGURATION: "environ getenv process env dotenv EnvVars",
}
# A variable set for a command: its value may be a password that nothing tells from a word.
_ASSIGNED = re.compile(r"""(?<![^\s;&|])[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s;&|"'])*\s*""")
_STRUCTURE = re.compile(
    r"^#{1,4}\s+.*\b(?:architecture|design|structure|layout|how it works|code map)\b", re.IGNORECASE
)


@dataclass(slots=True)
class Survey:
    """Looks for sections in one repository; every file is read at most once."""

    code: Code
    words: Collection[str] = ()
    files: dict[str, CodeFile] = field(init=False)
    _lines: dict[str, list[str]] = field(default_factory=dict)
    _bare: dict[str, Bare] = field(default_factory=dict)
    _products: list[CodeFile] | None = None
    _own: frozenset[str] | None = None
    _packages: dict[str, int] | None = None
    _asked: frozenset[str] | None = None

    def __post_init__(self) -> None:
        self.files = {one.path: one for one in self.code.files()}

    @property
    def products(self) -> list[CodeFile]:
        """The source files of the product; where all lies in folders of tools, all of them."""
        if self._products is None:
            source = [one for one in self.files.values() if one.kind == SOURCE]
            own = [one for one in source if not landmarks.order(one.path)[0]]
            self._products = own or source
        return self._products

    @property
    def packages(self) -> dict[str, int]:
        """The packages of the product with their sizes."""
        if self._packages is None:
            self._packages = landmarks.find_packages(self.files.values())
        return self._packages

    @property
    def asked(self) -> frozenset[str]:
        """The packages that the question names."""
        if self._asked is None:
            self._asked = landmarks.find_named(self.packages, self.words)
        return self._asked

    def is_asked(self, path: str) -> bool:
        """Return whether a file lies in a package that the question names."""
        return bool(self.asked) and landmarks.package_of(path, self.packages) in self.asked

    def look_around(self, sections: Iterable[Section]) -> list[Place]:
        """Find what file names, documents and manifests lead to."""
        wanted = frozenset(sections)
        found = [one for one in self._declared() if one.section in wanted]
        most = MOST_READ // max(1, len(wanted & SIGNED))
        for section in sorted(wanted & SIGNED):
            candidates = landmarks.name_candidates(
                section, self.products, self.packages, self.asked
            )[:most]
            shown = self.inspect(candidates, frozenset((section,)))
            # Files called a store may be minor ones; a database in use shows where most data is.
            # In the same way the environment may be read anywhere.
            if section in RANKED and (shown or section is Section.CONFIGURATION):
                ranked = self.code.rank(RANKED[section])[:MOST_RANKED]
                others = [path for path in ranked if path not in candidates]
                shown += self.inspect(others, frozenset((section,)))
            found += shown
        readers = {
            Section.PURPOSE: self._purpose,
            Section.ARCHITECTURE: self._architecture,
            Section.CONFIGURATION: self._settings,
            Section.TESTS: self._tests,
            Section.BUILD: self._builds,
        }
        for section, read in readers.items():
            found += read() if section in wanted else []
        return found

    def inspect(self, paths: Iterable[str], sections: frozenset[Section]) -> list[Place]:
        """Search source files for evidence; tests, documents and vendored code don't count."""
        found = []
        for path in paths:
            if not self.is_source(path):
                continue
            wanted = sections - TOOLED if landmarks.is_tooling(path) else sections
            named = frozenset(one for one in wanted if landmarks.is_named(one, path))
            signs = list(find_signs(self._strip(self.files[path]), wanted, named))
            tested = self._tested(path) if signs else ()
            signs = [one for one in signs if not any(one.line in lines for lines in tested)]
            # A migration tells how a schema came about, not how it is.
            past = {Section.PERSISTENCE: 3 * landmarks.is_past(path, self.files)}
            found += [
                Place(
                    one.section,
                    path,
                    one.line,
                    one.label,
                    max(WEAK, one.strength - past.get(one.section, 0)),
                    count=one.count,
                )
                for one in signs
            ]
        return found

    def _tested(self, path: str) -> list[range]:
        """List the lines of the test modules that stand in a file beside what they test."""
        modules = (one for one in self.code.definitions(path) if one.kind == "module")
        return [range(one.start, one.end + 1) for one in modules if one.name in TEST_MODULES]

    def choose(self, places: Sequence[Place]) -> list[Place]:
        """Keep the best places of each section."""
        users = {path: self.code.count_users(path) for path in {one.path for one in places}}
        return choose(places, Layout(self.packages, self._names(), self.is_asked, users))

    def _names(self) -> frozenset[str]:
        """Name the project as the manifests of its root do."""
        own = [one for one in landmarks.find_manifests(self.files.values()) if "/" not in one]
        return frozenset(filter(None, (manifests.find_name(one, self.lines(one)) for one in own)))

    def cite(self, place: Place) -> Evidence:
        """Make evidence of a place: the definition around it, or the lines that follow."""
        lines = self.lines(place.path)
        start, end, name = self._range(place, len(lines))
        cut = lines[start - 1 : end]
        found = make_code(
            place.path,
            (start, end),
            digest(cut),
            self.code.conceal("\n".join(cut)),
            line=place.line,
            symbol=name,
            kind=self.files[place.path].kind,
            remark=self.code.conceal(place.remark),
        )
        return _showing(found, place)

    def mark(self, found: Evidence) -> Evidence:
        """Return which sections evidence of a search shows: signs within its own lines count."""
        inside = [
            one
            for one in self.inspect((found.path,), SIGNED)
            if found.start <= one.line <= found.end and not one.is_use
        ]
        for one in inside:
            found = _showing(found, one)
        return found

    def is_source(self, path: str) -> bool:
        """Return whether a file is code of the product itself: no test, no tool, no example."""
        if self._own is None:
            self._own = frozenset(one.path for one in self.products)
        return path in self._own

    def lines(self, path: str) -> list[str]:
        """Read a file once."""
        if path not in self._lines:
            self._lines[path] = self.code.read(path)
        return self._lines[path]

    def _strip(self, file: CodeFile) -> Bare:
        if file.path not in self._bare:
            text = "\n".join(self.lines(file.path))[:MOST_CHARACTERS]
            self._bare[file.path] = strip(text, file.language, file.path)
        return self._bare[file.path]

    def _range(self, place: Place, length: int) -> tuple[int, int, str | None]:
        around = [
            one
            for one in self.code.definitions(place.path)
            if one.start <= place.line <= min(one.end, length) and one.end > one.start
        ]
        inner = min(around, key=lambda one: (one.end - one.start, one.start), default=None)
        if inner is not None and inner.end - inner.start < LONGEST_DEFINITION:
            return inner.start, min(inner.end, length), inner.name
        first, last = (1, length) if inner is None else (inner.start, min(inner.end, length))
        start = max(first, place.line - LINES_BEFORE)
        return start, min(last, place.line + LINES_AFTER), None if inner is None else inner.name

    def _declared(self) -> list[Place]:
        """Find the functions behind the commands that manifests declare."""
        starts = landmarks.find_starts(self.files.values())
        found = [
            Place(Section.ENTRY_POINTS, one, 1, f"`{one.rpartition('/')[2]}`", CERTAIN)
            for one in starts
            if any(line.strip() for line in self.lines(one))
        ]
        for manifest in landmarks.find_manifests(self.files.values()):
            start = manifests.find_start(manifest, self.lines(manifest))
            if start is not None:
                label = f"script `{self._tell_script(start.words)}`"
                found.append(Place(Section.ENTRY_POINTS, manifest, start.line, label, WEAK))
            for command in manifests.read_commands(manifest, self.lines(manifest)):
                path = manifests.resolve(command, manifest, self.files)
                if path is not None:
                    line = self._line_of(path, command.function)
                    label = f"command {command.name}"
                    # Beside the program itself, Cargo builds tools from the files of `bin`.
                    strength = DECLARED - ("bin" in path.split("/")[:-1])
                    found.append(Place(Section.ENTRY_POINTS, path, line, label, strength))
                    found.append(Place(Section.SURFACES, path, line, label, WEAK))
        return found

    def _tell_script(self, words: str) -> str:
        """Return the words of a script without secrets, and without the variables it sets."""
        said = _ASSIGNED.sub("", self.code.conceal(words)).strip()
        return said if len(said) <= LONGEST_SCRIPT else said[: LONGEST_SCRIPT - 1].rstrip() + "…"

    def _line_of(self, path: str, name: str) -> int:
        wanted = name or "main"
        named = [one.start for one in self.code.definitions(path) if one.name == wanted]
        return min(named, default=1)

    def _purpose(self) -> list[Place]:
        readme = landmarks.find_readme(self.files.values())
        lines = [] if readme is None else self.lines(readme)
        said = find_purpose("\n".join(lines))
        if readme is not None and said is not None:
            return [Place(Section.PURPOSE, readme, said.line, "readme", 3, said.sentence)]
        for manifest in landmarks.find_manifests(self.files.values()):
            line = manifests.find_description(self.lines(manifest))
            if line is not None:
                words = manifests.read_description(self.lines(manifest)[line - 1])
                return [Place(Section.PURPOSE, manifest, line, "description", 2, words)]
        if readme is not None and any(line.strip() for line in lines):
            return [Place(Section.PURPOSE, readme, 1, "readme", 3)]
        return []

    def _architecture(self) -> list[Place]:
        document = landmarks.find_architecture(self.files.values())
        if document is not None and any(line.strip() for line in self.lines(document)):
            return [Place(Section.ARCHITECTURE, document, 1, "document", 3)]
        readme = landmarks.find_readme(self.files.values())
        lines = [] if readme is None else self.lines(readme)
        headed = [at for at, line in enumerate(lines, 1) if _STRUCTURE.match(line)]
        return [Place(Section.ARCHITECTURE, readme or "", at, "readme", 2) for at in headed[:1]]

    def _settings(self) -> list[Place]:
        path = landmarks.find_configuration(self.files.values())
        return [] if path is None else [Place(Section.CONFIGURATION, path, 1, "file", CERTAIN)]

    def _tests(self) -> list[Place]:
        found = []
        listed = landmarks.find_manifests(self.files.values())
        builds = landmarks.find_builds(self.files.values())
        for path in (*filter(None, [builds.get("recipes")]), *listed):
            line = manifests.find_test_command(self.lines(path))
            if line is not None:
                found.append(Place(Section.TESTS, path, line, "command", 3))
        tests = landmarks.find_tests(self.files.values())
        return found[:1] + [Place(Section.TESTS, path, 1, "file", 2) for path in tests[:1]]

    def _builds(self) -> list[Place]:
        named = landmarks.find_builds(self.files.values())
        return [Place(Section.BUILD, path, 1, sort, 2) for sort, path in named.items()]


def _showing(found: Evidence, place: Place) -> Evidence:
    mark = Mark(place.section, place.label, place.line, is_weak=place.strength == WEAK)
    return replace(found, marks=tuple(dict.fromkeys((*found.marks, mark))))
