"""A survey of a repository reads what its names promise, and not too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.ask.code import Repository
from dmm.ask.sections import Section
from dmm.ask.signs import SIGNED
from dmm.ask.survey import MOST_READ, Survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Project


class Counted(Repository):
    """A repository that remembers which files were read."""

    opened: set[str]

    def read(self, path: str) -> list[str]:
        """Read a file, and remember it."""
        self.opened.add(path)
        return Repository.read(self, path)


@pytest.fixture
def repository(project: Project) -> Iterator[Counted]:
    opened = Counted(project.folder, project.dmm / "index" / "repo.db")
    opened.opened = set()
    yield opened
    opened.close()


def test_all_sections_together_read_a_limited_number_of_files(
    repository: Counted, project: Project
) -> None:
    for package in range(30):
        folder = project.folder / f"packages/p{package:02}"
        folder.mkdir(parents=True)
        (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
        for name in ("main", "store", "api", "config", "llm", "server", "db", "routes", "settings"):
            (folder / f"{name}.py").write_text("x = 1\n")
    repository.refresh()
    assert Survey(repository).look_around(SIGNED) == []
    read = {path for path in repository.opened if path.endswith(".py")}
    assert 0 < len(read) <= MOST_READ < 30 * 9
    assert {path.split("/")[1] for path in read} == {f"p{at:02}" for at in range(30)}


MAIN = "package main\n\nfunc main() {}\n"
ENVIRONMENT = "".join(f"export const k{at} = process.env.K{at};\n" for at in range(6))


@pytest.fixture
def shown(repository: Counted, project: Project) -> Callable[..., list[str]]:
    """Return the files that are shown for a section, the best first."""

    def look(section: Section, files: dict[str, str]) -> list[str]:
        for name, text in files.items():
            path = project.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        repository.refresh()
        survey = Survey(repository)
        return [one.path for one in survey.choose(survey.look_around((section,)))]

    return look


def test_the_program_that_is_called_like_the_project_comes_first(
    shown: Callable[..., list[str]],
) -> None:
    files = {f"cmd/{one}/main.go": MAIN for one in ("ferry-gen", "ferry", "admin")}
    files |= {"go.mod": "module forge.example/harbour/ferry/v2\n"}
    found = shown(Section.ENTRY_POINTS, files)
    assert found == ["cmd/ferry/main.go", "cmd/admin/main.go", "cmd/ferry-gen/main.go"]


def test_what_tests_and_builds_a_product_does_not_start_or_configure_it(
    shown: Callable[..., list[str]],
) -> None:
    programs = dict.fromkeys(("src/main.rs", "build.rs", "fuzz/main.rs"), "fn main() {}\n")
    assert shown(Section.ENTRY_POINTS, programs) == ["src/main.rs"]
    settings = dict.fromkeys(("src/config.ts", "vite.config.ts"), ENVIRONMENT)
    assert shown(Section.CONFIGURATION, settings) == ["src/config.ts"]


def test_folders_that_name_a_java_package_say_nothing(shown: Callable[..., list[str]]) -> None:
    program = "class Ferry {\n  public static void main(String[] a) {}\n}\n"
    path = "src/main/java/org/harbour/samples/Ferry.java"
    files = {path: program, "src/main/java/org/harbour/Berth.java": "class Berth {}\n"}
    assert shown(Section.ENTRY_POINTS, files) == [path]


def test_files_that_name_programs_are_entry_points(shown: Callable[..., list[str]]) -> None:
    files = {
        "Procfile": "web: bin/ferry\n",
        "config.ru": "run Ferry\n",
        "demo/Procfile": "web: x\n",
    }
    assert shown(Section.ENTRY_POINTS, files) == ["Procfile", "config.ru"]


def test_the_folder_with_most_models_shows_where_data_is(shown: Callable[..., list[str]]) -> None:
    model = "class {}(models.Model):\n    at = models.DateField()\n"
    files = {f"app/models/m{at}.py": model.format(f"M{at}") for at in range(4)}
    files |= {"audit/models.py": model.format("Audit")}
    found = shown(Section.PERSISTENCE, files)
    assert len(found) == 2
    assert all(one.startswith("app/models/") for one in found)


def test_what_a_package_exports_is_shown_only_where_nothing_else_is_offered(
    shown: Callable[..., list[str]],
) -> None:
    files = {"package.json": "{}", "index.js": "export * from './tide';\n"}
    assert shown(Section.SURFACES, files) == ["index.js"]
    routes = {"api/package.json": "{}", "api/routes.js": "router.get('/tides', show)\n"}
    assert shown(Section.SURFACES, files | routes) == ["api/routes.js"]


def test_where_the_environment_is_read_most_the_product_is_configured(
    shown: Callable[..., list[str]],
) -> None:
    files = {"src/secrets.ts": ENVIRONMENT * 4, "src/tide.ts": "class TideConfig {}\n"}
    files |= {"src/other.ts": "const x = process.env.X;\n", ".env.example": "K1=\n"}
    found = shown(Section.CONFIGURATION, files)
    assert sorted(found) == [".env.example", "src/secrets.ts"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("docs/ARCHITECTURE.md", True),
        ("docs/dev/overview.mdx", True),
        ("docs/admin/login/overview.md", False),
        ("docs/architecture.excalidraw", False),
    ],
)
def test_the_parts_are_explained_by_a_document_in_words(
    shown: Callable[..., list[str]], path: str, found: bool
) -> None:
    assert shown(Section.ARCHITECTURE, {path: "The parts fit together.\n"}) == [path] * found
