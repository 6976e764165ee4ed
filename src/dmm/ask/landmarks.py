"""Files whose names alone show what they are for."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from dmm.ask.sections import Section
from dmm.ask.sources import DOCUMENT, SOURCE, TEST, CodeFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

# Files that are read for a section: of each package some.
MOST_CANDIDATES, FEWEST_CANDIDATES = 40, 10
_WORD = re.compile(r"[^\W_]+")
# What is here serves the work on the product; the product itself comes first.
_ASIDE = frozenset(
    (
        *("tools", "scripts", "script", "bench", "benchmark", "benchmarks", "examples", "example"),
        *("demo", "demos", "samples", "docs", "doc", "documentation", "contrib", "fixtures"),
        *("hack", "ci", ".github", "e2e", "evals", "playground", "sandbox", "sandboxes"),
        *("stories", "storybook", "mocks", "mock", "templates", "experimental"),
    )
)
_TESTING = frozenset(
    ("test", "tests", "testing", "unittest", "testutil", "testutils", "fuzz", "xtask")
)
_APART = _ASIDE | _TESTING
# Below these, folders are the names of a package: `org/springframework/samples`.
_MODULES = re.compile(r"(?<=src/main/)(?:java|kotlin|scala)/.*/")
_MIGRATIONS = re.compile(r"(?:^|[/_-])migrations?/", re.IGNORECASE)
_DOCUMENTED = frozenset(("docs", "doc", "documentation", ".github"))
# Words of file and folder names; the contents still have to show it.
_NAMES = {
    Section.ENTRY_POINTS: (
        r"__main__|main|cli|app|\w*application|server|index|program|manage|wsgi|asgi|run|cmd"
    ),
    Section.PERSISTENCE: (
        r"\w*stor(?:e|es|age)|db|database|\w*models?|schemas?|\w*repositor(?:y|ies)|migrations?"
        r"|sqlite|tables?|log|ledger|dao|entit(?:y|ies)|persist\w*|cache|orm|queries"
    ),
    Section.SURFACES: (
        r"cli|commands?|app|api|\w*routes?|\w*router|server|urls|views|\w*handlers?|\w*controllers?"
        r"|\w*endpoints?"
        r"|mcp|rpc|graphql|resolvers?|web|__init__|index|lib|mod"
    ),
    Section.CONFIGURATION: r"\w*config(?:uration)?|settings?|conf|options?|opts?|flags|env",
    Section.AI_GENERATION: (
        r"\w*llm\w*|\w*embed\w*|openai|anthropic|claude|gpt|ollama|\w*prompts?|agents?|chat\w*"
        r"|completions?|models?|generat\w+|ai|inference|rag"
    ),
}
_PATTERNS = {
    section: re.compile(rf"(?:^|/)(?:{words})(?:\.\w+)?(?=/|$)", re.IGNORECASE)
    for section, words in _NAMES.items()
}
_README = re.compile(r"(?:^|/)readme(?:\.\w+)?$", re.IGNORECASE)
_ARCHITECTURE = re.compile(
    r"(?:^|/)(?:architecture|internals|how[-_]it[-_]works)(?:\.(?:mdx?|rst|adoc|txt|org))?$"
    # Deeper ones are about a part.
    r"|^(?:[^/]+/){0,2}(?:overview|design)(?:\.(?:mdx?|rst|adoc|txt|org))?$",
    re.IGNORECASE,
)
_BUILD = {
    "recipes": re.compile(
        r"(?:^|/)(?:GNU)?makefile$|(?:^|/)justfile$|(?:^|/)Taskfile\.ya?ml$", re.IGNORECASE
    ),
    "container": re.compile(
        r"(?:^|/)(?:[\w.-]*\.)?dockerfile$|(?:^|/)dockerfile[\w.-]*$", re.IGNORECASE
    ),
    "workflow": re.compile(r"^\.github/workflows/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$|^Jenkinsfile$"),
    "package": re.compile(
        r"(?:^|/)(?:pyproject\.toml|setup\.py|package\.json|Cargo\.toml|go\.mod|pom\.xml"
        r"|build\.gradle(?:\.kts)?|CMakeLists\.txt|composer\.json|Gemfile|Procfile"
        r"|docker-compose\.ya?ml|compose\.ya?ml)$"
    ),
}
# Of several workflows, the one that builds and tests tells most.
_TELLING = re.compile(
    r"(?:^|[/_-])(?:ci|tests?|build|main|release|publish|deploy)\b", re.IGNORECASE
)
_TOOLING = re.compile(
    r"\.config\.(?:\w+\.)?[cm]?[jt]sx?$|(?:^|/)[\w-]+-build\.[cm]?js$"
    r"|(?:^|/)build\.(?:rs|zig|sbt|gradle(?:\.kts)?)$|(?:^|/)(?:setup|noxfile|runtests)\.py$"
)
# Files that say which programs run, by their names alone.
_STARTS = re.compile(r"(?:^|/)(?:config\.ru|Procfile|artisan|AndroidManifest\.xml)$")
_IDLE_TESTS = frozenset(("__init__.py", "conftest.py", "setup.py"))
_CONFIGURATION = re.compile(
    r"(?:^|/)(?:[\w.-]*\.?env\.(?:example|sample|template|dist)"
    r"|(?:application|(?:app)?(?:config|settings))[\w.-]*\.(?:ya?ml|toml|json|ini|cfg|properties)"
    r"|[\w-]+\.(?:example|sample)\.(?:ya?ml|toml|ini|conf))$",
    re.IGNORECASE,
)
MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py", "package.json", "Cargo.toml", "go.mod")


def find_packages(files: Iterable[CodeFile]) -> dict[str, int]:
    """Count the source files of each package of the product: a folder with its own manifest."""
    listed = list(files)
    folders = {path.rpartition("/")[0] for path in find_manifests(listed)}
    own = (one for one in listed if one.kind == SOURCE and not order(one.path)[0])
    return dict(Counter(package_of(one.path, folders) for one in own))


def package_of(path: str, packages: Collection[str]) -> str:
    """Name the package that a file belongs to: the innermost folder that is one, or the root."""
    folder = path.rpartition("/")[0]
    while folder and folder not in packages:
        folder = folder.rpartition("/")[0]
    return folder


def order(path: str) -> tuple[bool, int, str]:
    """Order paths: the product before what serves its making, the upper before the deeper."""
    folders = path.split("/")[:-1]
    return _is_apart(_MODULES.sub("", path).split("/")[:-1], _APART), len(folders), path


def _is_apart(folders: Sequence[str], words: frozenset[str]) -> bool:
    """Return whether a path lies in a hidden folder, or in one that some words name."""
    apart = words.intersection(one.strip("_") for one in folders)
    if apart:
        # A package whose name has the word is about that, and is the product.
        apart -= {word for one in folders if one not in apart for word in _WORD.findall(one)}
    return bool(apart) or any(one.startswith(".") for one in folders)


def is_past(path: str, paths: Collection[str]) -> bool:
    """Return whether a file is one of a row of migrations; those of Alembic are its versions."""
    above, _, name = path.rpartition("/")[0].rpartition("/")
    is_version = name == "versions" and f"{above}/env.py".lstrip("/") in paths
    return is_version or _MIGRATIONS.search(path) is not None


def is_beside(path: str, paths: Collection[str]) -> bool:
    """Return whether code serves the work on the product, or is one of a row of migrations."""
    return order(path)[0] or (bool(paths) and is_past(path, paths))


def is_aside(document: str) -> bool:
    """Return whether a document serves an example or a tool; those in docs/ are the product's."""
    return not (_ASIDE - _DOCUMENTED).isdisjoint(document.split("/")[:-1])


def find_named(packages: Collection[str], words: Collection[str]) -> frozenset[str]:
    """Find the packages that some words name: all words of their folder that others don't share."""
    names = {one: frozenset(_WORD.findall(one.rpartition("/")[2].casefold())) for one in packages}
    counted = Counter(word for name in names.values() for word in name)
    asked = {one.casefold() for one in words}
    asked |= {one.removesuffix("'s").removesuffix("s") for one in asked}
    own = {
        one: {word for word in name if counted[word] * 2 <= len(names)} or name
        for one, name in names.items()
    }
    return frozenset(one for one, name in own.items() if name and name <= asked)


def name_candidates(
    section: Section,
    files: Iterable[CodeFile],
    packages: Collection[str] = (),
    asked: Collection[str] = (),
) -> list[str]:
    """List source files whose names hint at a section, the most likely of each package first.

    Packages take turns, those that are asked for before the others.
    """
    pattern = _PATTERNS.get(section)
    if pattern is None:
        return []
    paths = {one.path: one.kind for one in files}
    named = [path for path, kind in paths.items() if kind == SOURCE and pattern.search(path)]

    def rank(path: str) -> tuple[bool, bool, bool, int, str]:
        # The file's own name says more than that of a folder above, and hundreds of migrations
        # must not crowd out the schema that they made.
        stem = pattern.search("/" + path.rpartition("/")[2])
        aside, depth, _ = order(path)
        return aside, is_past(path, paths), stem is None, depth, path

    named.sort(key=rank)
    most = max(FEWEST_CANDIDATES, MOST_CANDIDATES // max(1, len(packages)))
    taken: Counter[str] = Counter()
    turns: list[tuple[bool, int, str]] = []
    for path in named:
        package = package_of(path, packages)
        turns.append((package not in asked, taken[package], path))
        taken[package] += 1
    kept = [one for one in turns if one[1] < most]
    return [path for *_, path in sorted(kept, key=lambda one: one[:2])]


def is_named(section: Section, path: str) -> bool:
    """Return whether the name of a file or of a folder above it hints at a section."""
    pattern = _PATTERNS.get(section)
    return pattern is not None and pattern.search(path) is not None


def find_starts(files: Iterable[CodeFile]) -> list[str]:
    """List the files that name the programs of the product, the uppermost first."""
    named = [one.path for one in files if one.kind != TEST and _STARTS.search(one.path)]
    return sorted((path for path in named if not order(path)[0]), key=order)


def is_tooling(path: str) -> bool:
    """Return whether a file configures a tool that builds or tests the product."""
    return _TOOLING.search(path) is not None


def find_readme(files: Iterable[CodeFile]) -> str | None:
    """Find the document that says what the project is."""
    return _first(files, _README, kinds=(DOCUMENT, "other"))


def find_architecture(files: Iterable[CodeFile]) -> str | None:
    """Find the document that says how the parts fit together."""
    return _first(files, _ARCHITECTURE, kinds=(DOCUMENT,), aside=False)


def find_builds(files: Iterable[CodeFile]) -> dict[str, str]:
    """Find the files that say how the project is built and delivered, one of each sort."""
    listed = list(files)
    found: dict[str, str] = {}
    for sort, pattern in _BUILD.items():
        named = [one.path for one in listed if one.kind != TEST and pattern.search(one.path)]
        if sort == "workflow":
            named.sort(key=lambda path: (not _TELLING.search(path), *order(path)))
        else:
            named = sorted((path for path in named if not order(path)[0]), key=order)
        if named:
            found[sort] = named[0]
    return found


def find_configuration(files: Iterable[CodeFile]) -> str | None:
    """Find a file of settings of the product itself."""
    own = [one for one in files if not order(one.path)[0]]
    return _first(own, _CONFIGURATION, kinds=("other", DOCUMENT))


def find_tests(files: Iterable[CodeFile]) -> list[str]:
    """List the files of tests that are code, the uppermost first."""
    named = [one.path for one in files if one.kind == TEST and one.language is not None]

    def rank(path: str) -> tuple[bool, bool, int, str]:
        *folders, name = path.split("/")
        return name in _IDLE_TESTS, _is_apart(folders, _ASIDE), len(folders), path

    return sorted(named, key=rank)


def find_manifests(files: Iterable[CodeFile]) -> list[str]:
    """List the files that declare what the project is made of, the uppermost first.

    A `setup.py` beside an `__init__.py` is a module like any other.
    """
    paths = {one.path for one in files}
    named = [path for path in paths if path.rpartition("/")[2] in MANIFESTS]
    named = [one for one in named if one.removesuffix("setup.py") + "__init__.py" not in paths]
    kept = sorted(path for path in named if not order(path)[0])
    return sorted(kept, key=lambda path: (path.count("/"), MANIFESTS.index(path.split("/")[-1])))


def _first(
    files: Iterable[CodeFile],
    pattern: re.Pattern[str],
    *,
    kinds: tuple[str, ...] | None,
    aside: bool = True,
) -> str | None:
    named = [
        one.path
        for one in files
        if (kinds is None or one.kind in kinds) and pattern.search(one.path)
    ]
    # Documents lie in docs/ as a matter of course.
    return min(named, key=order if aside else lambda path: (path.count("/"), path), default=None)
