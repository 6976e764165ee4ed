"""An import keeps the rules on, lets knowledge stand alone, and writes only what Git keeps."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.domain.memory import Scope
from dmm.errors import StaleBase, UsageError
from dmm.files.consents import find_consents

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.conftest import HashEmbedder, Opener, Project
    from tests.importer.conftest import Planner

    from dmm.importer.service import Import, Importer
    from dmm.importer.sources import Source

ROOT = """# Lamp shop

[![build](https://ci.example/badge.svg)](https://ci.example)

You are a careful engineer.

## Tooling

- Use pnpm, not npm.
- Keep functions short and name them after what they return.
- The shop runs on Node 22.

## Testing

Tests should be fast. The fixtures live in `tests/fixtures`. Never sleep in a test.

Before each commit, always run these:

```sh
pnpm lint
```

## More

See [the README](./README.md) for details.
"""
WEB = """# Web

## Purpose

The storefront, built with React; see `../shared/money.ts` and `src/cart.ts`.

## Commands

`pnpm dev` starts the storefront.
Do not edit `generated/`.
"""
API = """# API

## Purpose

The orders service, written in Go.

## Commands

`go run .` starts the service.
"""


@pytest.fixture
def importer(
    project: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> Importer:
    return open_project(project, new_embedder).importer


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def bodies(found: Import) -> dict[str, str]:
    return {one.memory.title: one.memory.body for one in found.plan.memories}


def skipped(found: Import) -> list[tuple[str, str]]:
    return [(str(one.source), one.reason) for one in found.plan.skipped]


def test_each_imperative_is_an_enforced_rule_or_in_the_baseline(
    project: Project, importer: Importer
) -> None:
    write(project.folder, {"AGENTS.md": ROOT, "README.md": ""})
    found = importer.plan([project.folder / "AGENTS.md"])
    assert [one.rule.title for one in found.rules] == ["Use pnpm, not npm."]
    rules = bodies(found)["Rules from AGENTS.md"]
    for sentence in (
        "Keep functions short and name them after what they return.",
        "Tests should be fast.",
        "Never sleep in a test.",
        "always run these:\n\n```sh\npnpm lint\n```",
    ):
        assert sentence in rules
    assert "Node 22" not in rules
    assert "fixtures" not in rules
    assert found.plan.left == ()


def test_a_baseline_without_room_says_what_is_left_and_takes_the_hard_rules_first(
    project: Project, importer: Importer
) -> None:
    write(project.folder, {"AGENTS.md": list_modules(240)})
    found = importer.plan([project.folder / "AGENTS.md"])
    assert "Never write to disk here." in bodies(found)["Rules from AGENTS.md"]
    assert found.plan.baseline_tokens <= found.baseline_budget
    left = [one.text for one in found.plan.left]
    assert left
    searched = "\n".join(body for title, body in bodies(found).items() if "Rules" not in title)
    assert all(text in searched for text in left)


def test_the_budget_of_the_baseline_grows_until_all_instructions_stay_on(
    project: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> None:
    write(project.folder, {"AGENTS.md": list_modules(90)})
    opened = open_project(project, new_embedder)
    found = opened.importer.plan([project.folder / "AGENTS.md"])
    assert found.plan.left == ()
    assert (
        800 < found.plan.baseline_tokens <= found.baseline_budget < found.plan.baseline_tokens + 100
    )
    opened.importer.apply(found)
    after = open_project(project, new_embedder)
    settings = after.config.retrieval
    assert settings.baseline_budget == found.baseline_budget
    assert settings.default_budget - settings.baseline_budget == 2_000 - 800
    assert [one.check for one in after.validation.check().findings] == []


def test_a_setting_that_somebody_changed_during_the_import_is_not_agreed_to(
    project: Project, importer: Importer
) -> None:
    write(project.folder, {"AGENTS.md": list_modules(90)})
    found = importer.plan([project.folder / "AGENTS.md"])
    write(project.folder, {".dmm/daemon.config.json": '{"retrieval": {"default_budget": 777}}'})
    with pytest.raises(StaleBase, match="it changed while you were importing"):
        importer.apply(found)
    again = importer.plan([project.folder / "AGENTS.md"])
    assert (again.baseline_budget, bool(again.plan.left)) == (800, True)
    importer.apply(again)
    assert "777" in (project.folder / ".dmm" / "daemon.config.json").read_text()
    assert find_consents(importer.store, importer.root.folder).is_held("daemon.config.json")


def test_a_budget_that_the_user_lowered_stays_if_nothing_new_comes(
    project: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> None:
    write(project.folder, {"AGENTS.md": list_modules(90)})
    importer = open_project(project, new_embedder).importer
    importer.apply(importer.plan([project.folder / "AGENTS.md"]))
    write(project.folder, {".dmm/daemon.config.json": "{}"})
    find_consents(importer.store, importer.root.folder).accept()
    again = open_project(project, new_embedder).importer
    found = again.plan([project.folder / "AGENTS.md"])
    assert (found.plan.memories, found.baseline_budget) == ((), 800)


def test_what_is_proposed_keeps_to_the_budget_of_the_baseline(
    project: Project, importer: Importer
) -> None:
    write(project.folder, {"AGENTS.md": list_modules(90)})
    found = importer.plan([project.folder / "AGENTS.md"], proposed=True)
    assert found.plan.left
    assert found.plan.baseline_tokens <= found.baseline_budget == 800


def list_modules(many: int) -> str:
    """Write an instruction file with so many soft instructions and a hard one."""
    soft = "\n".join(f"- Keep module {n} apart from all the other modules." for n in range(many))
    return f"# Shop\n\n## Modules\n\n{soft}\n- Never write to disk here.\n"


def test_packages_keep_their_memories_apart_and_their_paths(
    project: Project, importer: Importer
) -> None:
    files = {"packages/web/AGENTS.md": WEB, "services/api/AGENTS.md": API}
    files |= {"packages/shared/money.ts": "", "packages/web/src/cart.ts": ""}
    write(project.folder, files)
    found = importer.plan(importer.find_files())
    reach = {one.memory.title: one.memory.paths for one in found.plan.memories}
    assert reach == {
        "web: purpose": ("packages/web/**",),
        "Web: commands": ("packages/web/**",),
        "api: purpose": ("services/api/**",),
        "API: commands": ("services/api/**",),
    }
    assert all(len({ref.path for ref in one.sources}) == 1 for one in found.plan.memories)
    purpose = bodies(found)["web: purpose"]
    assert "`packages/shared/money.ts` and `packages/web/src/cart.ts`" in purpose
    assert [one.rule.folder for one in found.rules] == ["packages/web"]
    assert found.plan.baseline_tokens == 0


def test_a_rule_brings_what_limits_it_while_there_is_room(
    project: Project, importer: Importer
) -> None:
    limited = "- Never move inline tests. Generated modules are exempt, and so are examples.\n"
    ruled = "- Use pnpm, not npm. Installing takes a while. Always keep lamps dimmed.\n"
    write(project.folder, {"AGENTS.md": f"# Tests\n\n{limited}{ruled}"})
    found = importer.plan(importer.find_files())
    rules = bodies(found)["Rules from AGENTS.md"]
    assert limited in rules
    # A sentence that a rule enforces is not said twice, so this item stays in parts.
    assert "- Always keep lamps dimmed.\n" in rules
    assert "pnpm" not in rules


def test_rules_come_before_what_limits_them_where_room_is_short(
    project: Project, importer: Importer
) -> None:
    why = "It was decided by those who came before, after long debates. " * 20
    items = "".join(f"- Never dim lamp number {n}. {why}\n" for n in range(9))
    write(project.folder, {"AGENTS.md": f"# Lamps\n\n{items}"})
    found = importer.plan(importer.find_files())
    rules = bodies(found)["Rules from AGENTS.md"]
    assert all(f"Never dim lamp number {n}." in rules for n in range(9))
    assert 0 < rules.count(why.strip()) < 9
    assert found.plan.left == ()
    assert found.plan.baseline_tokens <= 1_600


def test_globs_of_cursor_and_copilot_and_the_name_of_a_skill_are_kept(
    project: Project, importer: Importer
) -> None:
    rule = "---\ndescription: Forms\nglobs: src/forms/**\n---\n\nForms use zod schemas.\n"
    copilot = '---\napplyTo: "**/*.sql"\n---\n\n# Queries\n\nQueries name their columns.\n'
    always = "---\nalwaysApply: true\n---\n\n# Tone\n\nNever apologise.\n"
    steps = "The steps:\n\n1. Tag the commit.\n2. Publish the tag.\n"
    skill = f"---\nname: release-notes\ndescription: Write them\n---\n\n# Steps\n\n{steps}"
    files = {
        ".cursor/rules/forms.mdc": rule,
        ".cursor/rules/tone.mdc": always,
        ".github/instructions/sql.instructions.md": copilot,
        ".claude/skills/release-notes/SKILL.md": skill,
        "skills/tagging/SKILL.md": f"---\nname: tagging\n---\n\n# Steps\n\nTags of lamps. {steps}",
        "examples/skills/pirate/SKILL.md": "# Not a skill of an agent\n",
        "examples/SKILL.md": "# Not a skill of an agent\n",
    }
    write(project.folder, files)
    found = importer.plan(importer.find_files())
    assert {one.memory.title: one.memory.paths for one in found.plan.memories} == {
        "Rules from .cursor/rules/tone.mdc": (),
        "Release notes": (),
        "Tagging": (),
        "Forms": ("src/forms/**",),
        "Queries": ("**/*.sql",),
    }


def test_the_instructions_inside_a_skill_bind_nobody_who_does_not_use_it(
    project: Project, importer: Importer
) -> None:
    advice = "# Forms\n\nNever use `forwardRef`. Take a plain `ref` from the props instead.\n"
    write(project.folder, {"web/.agents/skills/forms/AGENTS.md": advice})
    found = importer.plan(importer.find_files())
    assert found.rules == ()
    assert {one.memory.scope for one in found.plan.memories} == {Scope.PROJECT}
    # A folder of the project's own may be called so.
    write(project.folder, {"skills/forms/AGENTS.md": advice})
    (rule,) = importer.plan(importer.find_files()).rules
    assert "origin: skills/forms/AGENTS.md:3" in rule.source


def test_a_section_about_a_readme_keeps_its_name(project: Project, importer: Importer) -> None:
    filler = "The gallery shows every lamp of the shop with its price and maker. " * 40
    above = f"# Examples\n\n{filler}\n\n## Conventions\n\n{filler}\n\n"
    write(project.folder, {"AGENTS.md": f"{above}### README.md\n\nIt lists the lamps. {filler}\n"})
    titles = [one.memory.title for one in importer.plan(importer.find_files()).plan.memories]
    assert any("README.md" in title for title in titles), titles


def test_small_sections_of_two_skills_are_not_joined(project: Project, importer: Importer) -> None:
    for name in ("deploy", "release"):
        filler = f"The {name} team reads this text with care and at length. " * 90
        body = f"## Long\n\n{filler}\n\n## Git\n\nThe tag is v1.\n"
        text = f"---\nname: {name}\n---\n\n# {name}\n\n{body}"
        write(project.folder, {f".claude/skills/{name}/SKILL.md": text})
    found = importer.plan(importer.find_files())
    assert all(len({ref.path for ref in one.sources}) == 1 for one in found.plan.memories)


def test_a_link_counts_once(project: Project, importer: Importer) -> None:
    write(project.folder, {"AGENTS.md": ROOT, "README.md": ""})
    (project.folder / "CLAUDE.md").symlink_to("AGENTS.md")
    both = importer.plan([project.folder / "CLAUDE.md", project.folder / "AGENTS.md"])
    one = importer.plan([project.folder / "AGENTS.md"])
    assert both.plan == one.plan
    assert both.plan.always_tokens == both.plan.monolith_tokens


def test_a_link_that_leads_nowhere_is_no_instruction_file(
    project: Project, importer: Importer
) -> None:
    write(project.folder, {"AGENTS.md": ROOT, "README.md": ""})
    (project.folder / "CLAUDE.md").symlink_to("agents.markdown")
    assert importer.find_files() == [project.folder / "AGENTS.md"]
    assert importer.apply(importer.plan(importer.find_files()))


def test_a_page_about_agents_is_no_instruction_file(project: Project, importer: Importer) -> None:
    write(project.folder, {"AGENTS.md": ROOT, "docs/agents.md": ROOT, "docs/claude.md": ROOT})
    assert importer.find_files() == [project.folder / "AGENTS.md"]


def test_a_heading_that_makes_a_file_name_like_a_token_is_imported_under_another(
    project: Project, importer: Importer
) -> None:
    text = (
        "# Shop\n\n## Glsa grafana service account\n\nGrafana reads its account from the vault.\n"
    )
    write(project.folder, {"docs/AGENTS.md": text, "README.md": ""})
    importer.apply(importer.plan(importer.find_files()))
    written = [one.relative_to(project.memory).as_posix() for one in project.memory.rglob("*.md")]
    assert [one for one in written if "note" in one] == ["project/general/note.md"]


def test_only_what_a_session_reads_counts_as_always_loaded(
    project: Project, importer: Importer
) -> None:
    write(project.folder, {"AGENTS.md": ROOT, "README.md": ""})
    alone = importer.plan([project.folder / "AGENTS.md"]).plan.always_tokens
    write(project.folder, {"packages/web/AGENTS.md": WEB, "CONTRIBUTING.md": API})
    found = importer.plan([*importer.find_files(), project.folder / "CONTRIBUTING.md"])
    assert found.plan.always_tokens == alone < found.plan.monolith_tokens


def test_boilerplate_is_left_out_line_by_line_unless_it_is_kept(
    project: Project, importer: Importer
) -> None:
    write(project.folder, {"AGENTS.md": ROOT, "README.md": ""})
    found = importer.plan([project.folder / "AGENTS.md"])
    assert skipped(found) == [
        ("AGENTS.md:3", "badge or image"),
        ("AGENTS.md:25", "only points elsewhere"),
    ]
    kept = importer.plan([project.folder / "AGENTS.md"], ["AGENTS.md:25"])
    assert skipped(kept) == [("AGENTS.md:3", "badge or image")]
    assert any("the README" in body for body in bodies(kept).values())
    for wrong in ("AGENTS.md", "AGENTS.md:x", "OTHER.md:3"):
        with pytest.raises(UsageError, match="no such line"):
            importer.plan([project.folder / "AGENTS.md"], [wrong])


def test_a_file_that_only_points_to_another_gives_no_memory(
    project: Project, importer: Importer
) -> None:
    text = (
        "# CLAUDE.md\n\nThis file gives guidance to agents in this repository.\n\nSee @AGENTS.md\n"
    )
    write(project.folder, {"AGENTS.md": ROOT, "CLAUDE.md": text})
    found = importer.plan([project.folder / "CLAUDE.md", project.folder / "AGENTS.md"])
    assert ("CLAUDE.md:5", "only points elsewhere") in skipped(found)
    assert not any("See @AGENTS.md" in body for body in bodies(found).values())


def test_a_line_that_leads_in_to_a_list_stays_on_once(project: Project, importer: Importer) -> None:
    lead = "Run `make check` before you push. In particular:"
    rules = "- Never sleep in a test.\n- Never mock the clock.\n"
    write(project.folder, {"AGENTS.md": f"# Shop\n\n## Testing\n\n{lead}\n\n{rules}"})
    found = importer.plan(importer.find_files())
    assert bodies(found)["Rules from AGENTS.md"].count("Run `make check`") == 1


def test_a_sentence_that_ends_within_quotes_gets_no_second_full_stop(
    project: Project, importer: Importer
) -> None:
    text = '# Shop\n\nCarts are small. Never add a rule for "who it is from."\n'
    write(project.folder, {"CLAUDE.md": text})
    found = bodies(importer.plan(importer.find_files()))["Rules from CLAUDE.md"]
    assert 'Never add a rule for "who it is from."' in found
    assert '."' + "." not in found


def test_rules_right_under_the_first_title_are_in_the_baseline_once(
    project: Project, importer: Importer
) -> None:
    text = (
        "# Shop\n\nShop sells lanterns to customers all over the world.\n\n"
        "Always ask before you add a library.\n\n"
        "- Always write money as integers in cents.\n- The API is in `api/`.\n\n"
        "## Build\n\nRun `make` to build.\n"
    )
    write(project.folder, {"CLAUDE.md": text})
    found = bodies(importer.plan(importer.find_files()))
    for rule in ("Always ask before you add a library.", "- Always write money as integers"):
        assert [title for title, body in found.items() if rule in body] == ["Rules from CLAUDE.md"]
    overview = found["Shop: overview"]
    assert "sells lanterns to customers all over the world.\n\n- The API is in `api/`." in overview


def test_steps_and_what_leads_in_to_code_stay_in_the_overview(
    project: Project, importer: Importer
) -> None:
    text = (
        "# Shop\n\nShop sells lanterns.\n\nAlways run this first:\n\n```sh\nmake seed\n```\n\n"
        "1. Always write money as integers in cents.\n2. The API is in `api/`.\n\n"
        "## Build\n\nRun `make` to build.\n"
    )
    write(project.folder, {"CLAUDE.md": text})
    overview = bodies(importer.plan(importer.find_files()))["Shop: overview"]
    assert "Always run this first:\n\n```sh\nmake seed\n```" in overview
    assert "1. Always write money as integers in cents.\n2. The API" in overview


def test_titles_name_neither_the_file_nor_the_package_twice(
    project: Project, importer: Importer
) -> None:
    text = (
        "# AGENTS.md \N{EM DASH} Payments\n\nPayments take cards and vouchers.\n\n"
        "## NOTES\n\n```sh\npay --charge card\n```\n\n"
        "## Getting Started\n\n```sh\npay --charge voucher\n```\n"
    )
    write(project.folder, {"packages/pay/AGENTS.md": text, "README.md": ""})
    found = {one.memory.title for one in importer.plan(importer.find_files()).plan.memories}
    assert found == {"Payments: overview", "Payments: NOTES and Getting Started"}


def test_only_the_line_with_a_secret_is_left_out(project: Project, importer: Importer) -> None:
    key = "sk-live-" + "51HfJk2LmNoPqRsTuVwXyZ0123"
    text = (
        "# Shop\n\n## Database\n\nThe database is Postgres 16.\n"
        "`POSTGRES_PASSWORD=${POSTGRES_PASSWORD:-postgres}` is set by compose.\n"
        f"`API_KEY={key}` is the old key.\n"
    )
    write(project.folder, {"AGENTS.md": text})
    found = importer.plan([project.folder / "AGENTS.md"])
    assert [str(one.source) for one in found.plan.skipped] == ["AGENTS.md:7"]
    assert "${POSTGRES_PASSWORD:-postgres}" in bodies(found)["Database"]
    assert key not in bodies(found)["Database"]
    assert found.secret == ()
    with pytest.raises(UsageError, match=r"AGENTS\.md:7: looks like a secret"):
        importer.plan([project.folder / "AGENTS.md"], ["AGENTS.md:7"])


def test_no_folder_has_a_name_that_git_ignores(project: Project, importer: Importer) -> None:
    subprocess.run(["git", "init", "-q", str(project.folder)], check=True)
    text = "# Shop\n\n## Build\n\nThe build writes bundles with vite.\n"
    write(project.folder, {".gitignore": "build/\n", "AGENTS.md": text})
    done = importer.apply(importer.plan([project.folder / "AGENTS.md"]))
    assert done.written == ("project/build_notes/build.md",)
    told = subprocess.run(
        ["git", "-C", str(project.memory), "check-ignore", *done.written],
        check=False,
        capture_output=True,
    )
    assert told.stdout == b""


def test_a_repository_that_ignores_all_but_a_few_folders_is_imported(
    project: Project, importer: Importer
) -> None:
    subprocess.run(["git", "init", "-q", str(project.folder)], check=True)
    text = "# Shop\n\nNever touch the ledger by hand.\n\n## Build\n\nThe build uses vite.\n"
    write(project.folder, {".gitignore": "/*\n!/src\n", "AGENTS.md": text})
    done = importer.apply(importer.plan([project.folder / "AGENTS.md"]))
    assert done.written == ("baseline/hard_constraints.md", "project/build_notes/build.md")


def test_a_second_import_adds_what_a_larger_baseline_has_room_for(
    project: Project, importer: Importer
) -> None:
    write(project.folder, {"AGENTS.md": ROOT, "README.md": ""})
    importer.apply(importer.plan([project.folder / "AGENTS.md"]))
    again = importer.plan([project.folder / "AGENTS.md"])
    assert (again.plan.memories, again.plan.left, again.rules) == ((), (), ())


@settings(max_examples=many(70))
@given(st.integers(60, 900))
def test_the_rules_that_were_admitted_to_the_baseline_all_stay_there(
    plan: Planner, realistic: Sequence[Source], budget: int
) -> None:
    found = plan(*realistic, budget=budget)
    rules = [one.memory for one in found.memories if one.memory.title.startswith("Rules from")]
    assert {memory.scope for memory in rules} <= {"baseline"}
    assert found.baseline_tokens <= budget


def test_what_says_never_itself_comes_before_what_stands_under_a_heading_of_rules(
    plan: Planner,
) -> None:
    listed = "\n".join(f"- Module {n} holds all that belongs to part {n}." for n in range(60))
    files = f"# Shop\n\nHello.\n\n# Rules\n\n{listed}\n", "# Notes\n\nNEVER create files here.\n"
    found = plan(("AGENTS.md", files[0]), ("CLAUDE.md", files[1]), budget=400)
    baseline = "\n".join(one.memory.body for one in found.memories[:2])
    assert "NEVER create files here." in baseline
    assert "## Rules\n" in baseline
    assert "\n##\n" not in baseline
