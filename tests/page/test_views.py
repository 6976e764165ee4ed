"""The further views of each screen: the past, what if, where from, recall, figures, dead ends."""

from __future__ import annotations

import re
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.page.visit import SCREENS, Visit, visiting
from tests.page.world import PROMPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.daemon.conftest import Machine
    from tests.page.world import Sample, World

pytestmark = pytest.mark.slow

KEPT = "Keep sessions in the database"


def decision_of(world: World) -> int:
    return int(world.events("DecisionMade")[0]["seq"])


def test_ledger_compares_two_events(visit: Visit, world: World) -> None:
    budget, region = (one["seq"] for one in world.events("FactAdded")[:2])
    visit.open(f"ledger/{budget}?tab=compare&b={region}")
    article = visit.main.get_by_role("article", name="compared")
    expect(article).to_contain_text("eu-west-1")
    expect(article).not_to_contain_text("4000 EUR")
    article.get_by_role("spinbutton", name="From event").fill("1")
    article.get_by_role("button", name="Compare").click()
    expect(article).to_contain_text("4000 EUR")


def test_ledger_the_slider_moves_by_keyboard(visit: Visit, world: World) -> None:
    at = decision_of(world)
    visit.open(f"ledger/{at}")
    visit.main.get_by_role("slider", name="Time").focus()
    visit.press("ArrowLeft", "ArrowLeft")
    expect(visit.page).to_have_url(re.compile(f"#/ledger/{at - 2}$"))
    visit.press("ArrowRight")
    expect(visit.page).to_have_url(re.compile(f"#/ledger/{at - 1}$"))
    expect(visit.main).to_contain_text(f"looking back at {at - 1}")


def test_ledger_what_if_shows_both_timelines(visit: Visit, world: World) -> None:
    at = decision_of(world)
    visit.open("ledger/1?tab=whatif")
    article = visit.main.get_by_role("article", name="What if")
    article.get_by_role("textbox", name="If this rule had been there").fill(
        "never keep sessions in the database"
    )
    article.get_by_role("textbox", name="what would have become").fill(KEPT)
    before = len(world.events())
    article.get_by_role("button", name="Simulate").click()
    sides = {name: article.get_by_role("region", name=name) for name in ("A: as it was", "B: with")}
    rows = [side.get_by_role("listitem").filter(has_text=str(at)) for side in sides.values()]
    expect(rows[0]).to_contain_text("committed")
    expect(rows[1]).to_contain_text("blocked")
    expect(rows[1]).to_have_class(re.compile("differs"))
    assert len(world.events()) == before


def test_ledger_draws_where_a_decision_came_from(visit: Visit, world: World) -> None:
    at = decision_of(world)
    visit.open(f"ledger/{at}?tab=from")
    graph = visit.main.get_by_role("region", name="Provenance graph")
    expect(graph.locator("rect")).to_have_count(2)
    expect(graph.locator("polyline")).to_have_count(1)
    words = visit.main.get_by_role("region", name="In words").get_by_role("listitem")
    expect(words).to_have_count(2)
    expect(words.first).to_contain_text(KEPT)
    graph.locator("a").last.click()
    expect(visit.page).to_have_url(re.compile(r"#/ledger/1\?tab=from$"))


def test_ask_recalls_in_three_layers(visit: Visit) -> None:
    visit.open("ask")
    visit.main.get_by_role("button", name="Recall sessions").click()
    visit.main.get_by_role("textbox").fill("password reset login")
    visit.main.get_by_role("button", name="Search", exact=True).click()
    found = visit.main.get_by_role("region", name="1. What was found")
    found.get_by_role("link").filter(has_text=PROMPTS[0]).first.click()
    around = visit.main.get_by_role("region", name="2. Context")
    expect(around.get_by_role("link")).not_to_have_count(0)
    whole = visit.main.get_by_role("region", name="3. Full text")
    expect(whole).to_contain_text(PROMPTS[0])
    whole.get_by_role("link").last.click()
    expect(visit.main.get_by_role("article", name="Event")).to_contain_text(PROMPTS[0])


def test_ask_shows_evidence_with_its_code_and_what_is_covered(visit: Visit) -> None:
    visit.open("ask?q=how%20long%20do%20sessions%20live")
    code = visit.main.get_by_role("region", name="Code")
    code.locator("summary").first.click()
    expect(code.locator("pre").first).to_contain_text("SESSION_SECONDS")
    expect(visit.main.get_by_role("region", name="Coverage").get_by_role("listitem")).to_have_count(
        9
    )


def test_health_tells_tokens_against_the_whole_memory_over_time(visit: Visit, world: World) -> None:
    visit.open("health")
    days = world.ask("GET", "/v1/metrics?days=30")["days"]
    plot = visit.main.get_by_role("region", name="Tokens given")
    for name in ("tokens", "monolith"):
        expect(plot).to_contain_text(f"{sum(one[name] for one in days):,}")
    expect(plot.locator("canvas")).to_be_visible()
    visit.main.get_by_role("button", name="7 days").click()
    expect(visit.main.locator(".command").first).to_contain_text("dmm cost --days 7")


def test_health_the_doctor_tells_what_it_found(visit: Visit) -> None:
    visit.open("health")
    doctor = visit.main.get_by_role("region", name="Doctor")
    doctor.get_by_role("button", name="Check now").click()
    expect(doctor.locator("summary")).to_contain_text("passed")


def test_rules_are_rehearsed_on_the_past_with_what_they_would_have_stopped(
    browser: Browser, alone: World
) -> None:
    with visiting(browser, alone) as visit:
        visit.open("rules/never-push-to-main")
        past = visit.main.get_by_role("region", name="On the past")
        past.get_by_role("button", name="Rehearse").click()
        expect(past.get_by_role("listitem")).to_contain_text("git push origin main")


@pytest.mark.parametrize(
    ("kind", "given", "outcome", "rule"),
    [
        ("File to write", "migrations/0002.sql", "asks", "ask-before-migrations"),
        ("File to read", "lantern/auth.py", "allowed", ""),
        ("Decision", "Deploy the API on Friday evening", "denied", "never-deploy-on-fridays"),
    ],
)
def test_rules_try_a_file_and_a_decision(
    visit: Visit, kind: str, given: str, outcome: str, rule: str
) -> None:
    visit.open("rules")
    visit.main.get_by_role("button", name=kind).click()
    visit.main.get_by_role("textbox", name=kind).fill(given)
    visit.main.get_by_role("button", name="Check").click()
    verdict = visit.main.get_by_role("article", name="New rule").get_by_role("status").first
    expect(verdict).to_contain_text(outcome)
    expect(verdict).to_contain_text(rule)


def test_memory_tells_its_packs_and_its_history(own: Visit) -> None:
    name = "project/payments/charge_once.md"
    own.open_memory(name)
    packs = own.main.get_by_role("region", name="Packs it was in")
    packs.get_by_role("listitem").filter(has_text=PROMPTS[2]).get_by_role("link").click()
    expect(own.main.locator(".receipt")).to_contain_text("charge_once")


def test_an_edit_is_checked_while_it_is_typed(own: Visit) -> None:
    own.open_memory("project/database/migrations.md")
    own.main.get_by_role("button", name="Propose a change").click()
    field = own.main.get_by_role("textbox").last
    before = field.input_value()
    field.fill(before + "\nkey = AKIAIOSFODNN7EXAMPLE\n" + "and so on and on " * 500)
    expect(own.main.locator(".tag", has_text="failed").first).to_be_visible()
    expect(own.main.locator(".checks").first).to_contain_text("tokens")
    field.fill(before + "\nA migration is tried on a copy first.\n")
    expect(own.main.locator(".tag", has_text="checks pass")).to_be_visible()
    assert own.world.events("ProposalMade")[-1]["payload"]["edits"][0]["path"] != (
        "project/database/migrations.md"
    )


def test_one_confirmation_approves_one_proposal(own: Visit) -> None:
    first, second = own.world.pending()[-2:]
    own.open(f"review/{second}")
    expect(own.main.get_by_role("checkbox")).to_have_count(0)
    own.press("a", "Enter")
    own.confirm()
    expect(own.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    own.press("Enter", "Enter", "y", "Space")
    own.settle()
    waiting = own.world.pending()
    assert second not in waiting
    assert first in waiting


def test_what_one_tab_decided_is_gone_from_the_other(own: Visit) -> None:
    name = own.world.propose_note("the back door is locked at six", "back_door")
    own.open(f"review/{name}")
    other = own.new_tab()
    other.press("a")
    expect(other.main.get_by_role("button", name="Confirm approval")).to_be_visible()
    own.main.get_by_role("button", name="Reject").click()
    own.page.keyboard.type("it is locked at seven")
    own.press("Enter")
    own.confirm()
    expect(own.page.get_by_role("status").get_by_text("rejected")).to_be_visible()
    # What was armed there can't be confirmed any more.
    expect(other.main.get_by_role("button", name="Confirm approval")).to_have_count(0)
    expect(other.main.get_by_role("article")).to_contain_text("rejected")
    assert not (own.world.project.memory / "project" / "notes" / "back_door.md").exists()


ACTS = ("dmm rules add", "dmm rules accept", "dmm install")


def test_the_command_of_each_view_works(browser: Browser, alone: World) -> None:
    with visiting(browser, alone) as visit:
        _run_commands(visit, alone)


def _run_commands(visit: Visit, world: World) -> None:
    pack = world.events("PackServed")[-1]["seq"]
    blocked = next(one for one in world.events("ToolRequested") if "terraform" in str(one))
    stopped = world.events("DecisionBlocked")[0]["seq"]
    places = (
        *SCREENS,
        f"session/{blocked['session']}",
        f"pack/{pack}",
        f"review/{world.pending()[0]}",
        "memory/project/auth/login_throttle.md",
        "memory?try=how%20are%20passwords%20stored",
        f"ledger/{blocked['seq']}",
        f"ledger/{stopped}",
        *(f"ledger/{stopped}?tab={tab}" for tab in ("state", "compare", "from")),
        "rules/never-push-to-main",
        "ask?recall=password%20reset",
    )
    run: set[str] = set()
    for place in places:
        visit.open(place)
        shown = visit.main.locator(".command code").all_inner_texts()
        assert shown, f"{place} shows no command"
        lines = {one.removeprefix("$ ") for one in shown} - run
        for line in sorted(one for one in lines if not one.startswith(ACTS)):
            _run(world, line)
        run |= lines
    assert len(run) > len(SCREENS)


def _run(world: World, line: str) -> None:
    program, *words = shlex.split(line)
    if program == "dmm":
        world.dmm(*words)
    else:
        subprocess.run([program, *words], cwd=world.root, check=True, capture_output=True)


MISSING = r"console: Failed to load resource: the server responded with a status of 4(00|04|09|22)"


@pytest.mark.parametrize(
    "address",
    [
        "review/proposal_99999",
        "memory/project/no_such_memory.md",
        "ledger/99999",
        "rules/no-such-rule",
        "conflicts/conflict_99999",
        "pack/99999",
        "session/nobody",
    ],
)
def test_what_is_not_there_is_told_with_a_way_on(visit: Visit, address: str) -> None:
    visit.watched.allow(MISSING)
    visit.open(address)
    problem = visit.main.locator(".problem").first
    expect(problem).to_be_visible()
    assert problem.inner_text().strip()
    expect(visit.page.get_by_role("navigation", name="Screens")).to_be_visible()


def test_an_address_that_leads_nowhere_says_so(visit: Visit) -> None:
    visit.open("nowhere/at/all")
    expect(visit.main.get_by_role("heading", level=1)).to_have_text("Nothing is at this address")
    visit.main.get_by_role("link", name="Go to Live").click()
    expect(visit.main.get_by_role("heading", level=1)).to_have_text("Live")


@pytest.fixture
def untouched(machine: Machine, plain: Sample, place: Callable[[str], Path]) -> Iterator[World]:
    """A project without a ledger."""
    world = plain.copy(machine, place("lantern"))
    yield world
    world.leave()


def test_a_project_without_a_ledger_says_what_comes_next(
    browser: Browser, untouched: World
) -> None:
    with visiting(browser, untouched) as visit:
        for place in SCREENS:
            visit.open(place)
            expect(visit.main.locator(".problem")).to_have_count(0)
        for place, words in (
            ("live", "No event yet"),
            ("review", "Nothing waits for you"),
            ("ledger", "Nothing recorded yet"),
            ("conflicts", "No conflict is known"),
            ("ask", "Ask in your own words"),
            ("health", "Nothing to plot yet"),
        ):
            visit.open(place)
            expect(visit.main.locator(".empty").first).to_contain_text(words)
