"""The short answer: three points that can be checked, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dmm.ask.answer import compose_points
from dmm.ask.evidence import Mark, make_code
from dmm.ask.nearness import find_unproved
from dmm.ask.sections import Section

if TYPE_CHECKING:
    from collections.abc import Callable


MONOREPO = {
    "README.md": (
        "# Harbour\n\n[![build](https://ci/b.svg)](https://ci)\n\n"
        "Harbour plans the berths of ships. It has a service and a command.\n"
    ),
    "docs/sailing.md": (
        "# **Sailing orders:**\n\n```\nharbour order\n```\n\n"
        "A sailing order is sent to the pilot one hour before the ship leaves its berth.\n"
    ),
    "packages/cli/pyproject.toml": (
        '[project]\nname = "harbour-cli"\n[project.scripts]\nharbour = "harbour.main:main"\n'
    ),
    "packages/cli/src/harbour/main.py": (
        "import sys\n\nfrom harbour import plan\n\n\ndef main():\n    print(plan(sys.argv))\n"
    ),
    "packages/store/pyproject.toml": '[project]\nname = "harbour-store"\n',
    "packages/store/src/berths/ships.py": (
        "import sqlite3\nfrom berths import names\n\n\n"
        "def open_ships():\n"
        '    found = sqlite3.connect("ships.db")\n'
        '    found.execute("CREATE TABLE IF NOT EXISTS ships (name TEXT)")\n'
        "    return found\n"
    ),
    "sandbox/server/pyproject.toml": (
        '[project]\nname = "toy"\n[project.scripts]\ntoy = "toy.main:main"\n'
    ),
    "sandbox/server/toy/main.py": "import sqlite3\n\n\ndef main():\n    sqlite3.connect('t.db')\n",
}


@pytest.fixture
def answer(answer_about: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    return lambda question, files=MONOREPO: answer_about(files, question)


def test_an_overview_names_the_packages_and_leaves_sandboxes_out(
    answer: Callable[..., dict[str, Any]],
) -> None:
    told = answer("where do I start in this repository?")
    assert [one["text"] for one in told["points"]] == [
        "Harbour plans the berths of ships.",
        "Programs start at command harbour in packages/cli (packages/cli/src/harbour/main.py:6)",
        "Data is stored by schema in packages/store (packages/store/src/berths/ships.py:7)",
    ]
    # Nobody asked for models.
    assert told["missing"] == []
    assert told["more"]


def test_a_document_answers_by_its_heading_and_its_first_sentence(
    answer: Callable[..., dict[str, Any]],
) -> None:
    first = answer("when is the sailing order sent to the pilot?")["points"][0]
    assert first == {
        "text": "Sailing orders: A sailing order is sent to the pilot one hour before the ship"
        " leaves its berth.",
        "cite": "docs/sailing.md:7",
    }


def test_code_is_shown_by_what_it_does_and_never_by_a_signature_or_an_import(
    answer: Callable[..., dict[str, Any]],
) -> None:
    told = answer("how are the berths and ships opened?")
    assert {
        "text": 'open_ships: found = sqlite3.connect("ships.db")',
        "cite": "packages/store/src/berths/ships.py:6",
    } in told["points"]
    assert not [one for one in told["points"] if "import" in one["text"]]


def test_code_is_never_shown_by_a_name_inside_an_import(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = {
        "src/actions.ts": "import {\n  closeCalendar,\n  openCalendar,\n} from './calendar';\n\n"
        "queue.on('calendar', (day) => run(openCalendar, day));\n",
    }
    told = answer("when are calendars opened?", files)
    assert told["points"][0]["text"] == "queue.on('calendar', (day) => run(openCalendar, day));"


MANY = {
    "README.md": "# Post\n\nPost delivers letters.\n",
    "apps/web/package.json": '{\n  "scripts": {\n    "start": "next start"\n  }\n}\n',
    "apps/web/src/page.tsx": "export const Page = () => <p>letters</p>;\n",
    "apps/office/package.json": '{"name": "office"}\n',
    "apps/office/src/main.ts": (
        "import { serve } from '@hono/node-server';\n\nimport app from './app';\n\n"
        "serve({ fetch: app.fetch, port: 3000 });\n"
    ),
    "packages/letters/package.json": '{"name": "letters"}\n',
    "packages/letters/db/client.ts": (
        "import { PrismaClient } from '@prisma/client';\n\n"
        "export const prisma = new PrismaClient();\n"
    ),
    "packages/letters/db/migrations/001.sql": "CREATE TABLE old_letters (id INT);\n",
    "packages/letters/src/stamps.ts": (
        "import { Stamp } from '@prisma/client';\n\n"
        "export type StampSheet = { letter: string; stamps: Stamp[] };\n\n"
        "/** Decides whether a letter has enough stamps to be delivered. */\n"
        "export const isPaid = (letter: string, stamps: Stamp[]) => {\n"
        "  return stamps.length > letter.length / 20;\n"
        "};\n"
    ),
    "packages/letters/src/stamps.test.ts": (
        "import { isPaid } from './stamps';\n\n/** Letters with too few stamps are kept back. */\n"
        "test('few stamps', () => expect(isPaid('long', [])).toBe(false));\n"
    ),
    "sandbox/stamps.ts": "export const isPaid = (letter: string) => letter.length > 0;\n",
}


def test_programs_are_named_by_package_also_where_only_a_script_starts_them(
    answer: Callable[..., dict[str, Any]],
) -> None:
    first = answer("Where do the programs start?", MANY)["points"][0]
    assert first["text"] == (
        "Programs start at server in apps/office (apps/office/src/main.ts:5);"
        " script `next start` in apps/web (apps/web/package.json:3)"
    )


def test_a_script_is_told_without_secrets_and_not_at_length(
    answer: Callable[..., dict[str, Any]],
) -> None:
    script = (
        "DATABASE_URL=postgres://u:pw@db/x node s.js --token=Zx9Qw8Er7Ty6Ui5Op4As " + "-v " * 40
    )
    manifest = f'{{\n  "scripts": {{\n    "start": "{script}"\n  }}\n}}\n'
    told = answer("Where do the programs start?", {"package.json": manifest, "s.js": "run();\n"})
    text = told["points"][0]["text"]
    assert text.startswith("Programs start at script `node s.js --token=[redacted:")
    assert "pw@" not in str(told)
    assert "Zx9Qw8" not in str(told)
    assert "…`" in text


def test_storage_is_where_it_is_opened_and_not_where_it_is_used_or_was_changed(
    answer: Callable[..., dict[str, Any]],
) -> None:
    first = answer("Where does each package store its data?", MANY)["points"][0]
    assert first == {
        "text": "Data is stored by database in packages/letters (packages/letters/db/client.ts:3)",
        "cite": "packages/letters/db/client.ts:3",
    }


def test_a_connection_in_one_package_hides_no_store_of_another(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = MANY | {
        "apps/office/src/db.ts": "import { sql } from 'kysely';\n\nexport const q = sql`1`;\n"
    }
    first = answer("Where does each package store its data?", files)["points"][0]
    assert first["text"] == (
        "Data is stored by database in packages/letters (packages/letters/db/client.ts:3);"
        " database in apps/office (apps/office/src/db.ts:1)"
    )


def test_connections_come_before_the_uses_of_other_packages(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = MANY | {
        "apps/web/db.ts": "import { Stamp } from '@prisma/client';\n\nshow(Stamp.Paid);\n",
        "packages/letters/db/queue.ts": "import { Pool } from 'pg';\n\nnew Pool(url);\n",
    }
    text = answer("Where does each package store its data?", files)["points"][0]["text"]
    assert text.index("db/client.ts:3") < text.index("db/queue.ts:3") < text.index("web/db.ts:3")


def test_code_is_told_by_the_comment_on_it_and_the_product_comes_first(
    answer: Callable[..., dict[str, Any]],
) -> None:
    told = answer("Where is it decided whether a letter has enough stamps?", MANY)
    assert told["points"][0] == {
        "text": "isPaid: Decides whether a letter has enough stamps to be delivered.",
        "cite": "packages/letters/src/stamps.ts:6",
    }
    assert "sandbox" not in str(told["points"][:2])


def test_where_sections_fill_the_answer_all_other_evidence_is_more() -> None:
    named = (Section.ENTRY_POINTS, Section.PERSISTENCE, Section.SURFACES, Section.CONFIGURATION)
    shown = [
        replace(make_code(f"{one}.py", (1, 1), "h", "x = 1"), marks=(Mark(one, "label", 1),))
        for one in named
    ]
    others = [make_code(f"other{at}.py", (1, 1), "h", "y = 1") for at in range(3)]
    points, more = compose_points(
        [*shown, *others], named, lambda _: "", asked="letters", looks_back=False
    )
    assert len(points) == 3
    assert [one.cite for one in more] == ["other0.py:1", "other1.py:1", "other2.py:1"]


def test_a_program_among_migrations_is_as_good_as_any(
    answer: Callable[..., dict[str, Any]],
) -> None:
    guard = "if __name__ == '__main__':\n    run()\n"
    files = {"db/migrations/run.py": guard, "web/http/app/server.py": "uvicorn.run(app)\n"}
    first = answer("Where do the programs start?", files)["points"][0]
    assert first["text"].startswith("Programs start at main guard in db/migrations (")


def test_a_place_is_told_once_also_if_its_path_has_a_space(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = {"my app/settings.py": "class Settings:\n    port = 1\n"}
    told = answer("Where is the configuration?", files)
    assert [one["cite"] for one in told["points"]] == ["my app/settings.py:1"]


def test_tests_are_asked_for_and_tests_are_shown(answer: Callable[..., dict[str, Any]]) -> None:
    first = answer("Which tests cover letters with too few stamps?", MANY)["points"][0]
    assert first == {
        "text": "Letters with too few stamps are kept back.",
        "cite": "packages/letters/src/stamps.test.ts:3",
    }


def test_a_package_that_is_named_comes_first(answer: Callable[..., dict[str, Any]]) -> None:
    files = {
        **{
            f"libs/{one}/pyproject.toml": f'[project]\nname = "{one}"\n' for one in ("post", "bank")
        },
        "libs/post/settings.py": "class PostSettings:\n    port = 1\n",
        "libs/bank/settings.py": "class BankSettings:\n    port = 2\n",
        "libs/post/more.py": "A = 1\n",
    }
    first = answer("Where is the configuration of the bank read?", files)["points"][0]
    assert first["text"].startswith("It is configured by settings in libs/bank (libs/bank/setting")


def test_test_modules_beside_code_show_nothing(answer: Callable[..., dict[str, Any]]) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "post"\n',
        "src/store.rs": (
            "pub fn name() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    fn make() {\n"
            '        run("CREATE TABLE letters (id INT)");\n    }\n}\n'
        ),
    }
    told = answer("where do I start in this repository?", files)
    assert any("data outlives" in one for one in told["missing"])


def test_what_the_repository_does_not_know_is_named(
    answer: Callable[..., dict[str, Any]],
) -> None:
    told = answer("how does `Invoice.print` charge a Stripe customer for a berth in fees.py?")
    assert told["missing"][:2] == ["fees.py", "Invoice.print"]
    assert "Stripe" in told["missing"]


def test_a_question_that_names_a_section_is_answered_by_it(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = MONOREPO | {"Makefile": "build:\n\tpip wheel .\n\ntest:\n\tpytest -q\n"}
    first = answer("how do I run the tests?", files)["points"][0]
    assert first == {"text": "test:", "cite": "Makefile:4"}


def test_a_function_named_test_hides_nothing(answer: Callable[..., dict[str, Any]]) -> None:
    files = {"store.py": "import sqlite3\n\n\ndef test():\n    return sqlite3.connect('x.db')\n"}
    first = answer("Where is the data stored?", files)["points"][0]
    assert first["text"] == "Data is stored by database (store.py:5)"


def test_names_in_a_text_keep_their_underscores(answer: Callable[..., dict[str, Any]]) -> None:
    text = "# Tide tables\n\nTide tables are stored in `downloads_path`, _never_ in __tmp__.\n"
    told = answer("where are tide tables stored?", {"docs/tides.md": text})["points"][0]["text"]
    assert told == "Tide tables are stored in `downloads_path`, never in tmp."


def test_a_comment_outside_of_definitions_is_told_as_a_whole_sentence(
    answer: Callable[..., dict[str, Any]],
) -> None:
    text = "#: The tide table that every\n#: pilot reads. Kept small.\nTIDES = (1, 2, 3)\n"
    told = answer("which tide table does a pilot read?", {"src/tides.py": text})["points"][0]
    assert told["text"] == "The tide table that every pilot reads."


def test_where_data_is_stored_leads_no_answer_about_something_else(
    answer: Callable[..., dict[str, Any]],
) -> None:
    pilot = "/** Writes the name of the pilot on duty to the harbour's wall. */\n"
    files = MANY | {"packages/pilots/src/duty.ts": pilot + "export const paint = () => wall();\n"}
    told = answer("where is the name of the pilot on duty stored?", files)["points"]
    assert told[0]["cite"] == "packages/pilots/src/duty.ts:2"
    assert not [one for one in told if one["text"].startswith("Data is stored by")]


def test_a_title_in_html_is_not_what_the_project_is_for(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = MONOREPO | {
        "README.md": '<h1 align="center">Harbour</h1>\n\n<p>\nHarbour plans berths.\n</p>\n'
    }
    told = answer("where do I start in this repository?", files)
    assert told["points"][0]["text"] == "Harbour plans berths."


def test_words_that_no_place_holds_together_are_missing(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = {
        "src/price.py": "def read_price(row):\n    return row[0]\n",
        "src/subscription.py": "def renew_subscription(member):\n    member.renewed = True\n",
        "src/route.py": "def calculate_route(ship):\n    return ship.route\n",
        "src/berth.py": "def assign_berth(ship):\n    return first_free(ship.length)\n",
    }
    missing = answer("how is the price of a subscription calculated?", files)["missing"]
    # Both places are as near as each other; what the nearer one lacks is missing.
    assert missing in (["price", "calculated"], ["subscription", "calculated"])
    assert answer("how is a berth assigned to a ship?", files)["missing"] == []


def test_of_what_is_missing_the_three_words_that_say_most_are_named() -> None:
    far = replace(make_code("ship.py", (1, 1), "h", "berth = 1"), near=0.3, alike=0.3, covers=0.1)
    worth = {"call": 0.3, "away": 0.1, "person": 0.25, "count": 0.15, "address": 0.2}
    subjects = ["calls", "away", "person", "counted", "address"]
    assert find_unproved(subjects, [far], worth) == ["calls", "person", "address"]
    assert find_unproved(subjects, [replace(far, covers=0.9)], worth) == []


def test_code_comes_before_types_and_migrations_of_the_same_name(
    answer: Callable[..., dict[str, Any]],
) -> None:
    files = {
        "src/types/key.ts": "export interface BerthKey {\n  berth: string;\n  key: string;\n}\n",
        "migrations/1_berth_key.ts": "export function moveBerthKey(rows) {\n  rows.save();\n}\n",
        "src/keys.ts": "export function checkBerthKey(key) {\n  return known.has(key);\n}\n",
    }
    first = answer("how is the key of a berth checked?", files)["points"][0]
    assert first["cite"].startswith("src/keys.ts")


def test_a_package_about_evals_is_the_product(answer: Callable[..., dict[str, Any]]) -> None:
    code = "def limit_rate(evaluator):\n    evaluator.wait()\n"
    files = {"packages/harbour-evals/src/harbour/evals/limits.py": code}
    files |= {"packages/harbour-evals/pyproject.toml": '[project]\nname = "harbour-evals"\n'}
    files |= {"src/harbour/page.py": "def show_evaluator(evaluator):\n    print(evaluator)\n"}
    first = answer("how is the rate of an evaluator limited?", files)["points"][0]
    assert first["cite"].startswith("packages/harbour-evals/src/harbour/evals/limits.py")
