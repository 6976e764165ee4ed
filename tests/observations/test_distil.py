"""Distillation: sessions become messages and typed observations, once, whatever the cut."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.domain.observation import Kind
from dmm.observations.distil import MOST_OPEN, distil, order_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.observations.conftest import Talk

    from dmm.domain.event import Event
    from dmm.domain.observation import Observation

CAUSE = "The root cause was `average()` in `src/cart.py`: it divided by `len(items)` unguarded."


def mend(talk: Talk) -> None:
    talk.ask("Checkout fails with a 500 when the cart is empty. Find out why and fix it.")
    talk.read("src/cart.py")
    talk.run("ls src", "cart.py")
    talk.run(
        "cd /srv/shop && pytest -q tests/test_cart.py 2>&1 | tail -5",
        "E   ZeroDivisionError: division by zero\n1 failed, 8 passed in 0.3s",
        failed=True,
    )
    talk.edit("src/cart.py")
    talk.edit("src/cart.py")
    talk.edit("tests/test_cart.py")
    talk.run("pytest -q tests/test_cart.py", "9 passed in 0.3s")
    talk.say(f"Fixed. {CAUSE}\n\n- Empty carts now cost `Decimal(0)`.")


def test_a_failure_that_was_mended_is_told_whole(talk: Talk) -> None:
    mend(talk)
    unit = talk.one()
    assert (unit.id, unit.kind) == ("obs_1", Kind.BUGFIX)
    assert unit.title == "Checkout fails with a 500 when the cart is empty"
    assert unit.narrative == (
        "Asked: Checkout fails with a 500 when the cart is empty. Find out why and fix it."
        " Done: edited src/cart.py, tests/test_cart.py;"
        " ran `pytest -q tests/test_cart.py` (passed)."
        f" Outcome: {CAUSE} Empty carts now cost `Decimal(0)`."
    )
    assert unit.facts == (
        CAUSE,
        "`pytest -q tests/test_cart.py`: failed (ZeroDivisionError: division by zero);"
        " then passed (9 passed)",
        "Empty carts now cost `Decimal(0)`.",
    )
    assert unit.files == ("src/cart.py", "tests/test_cart.py")
    assert unit.evidence == (1, 4, 5, 7, 8, 9)
    assert (unit.session, unit.at) == ("s1", talk.events[0].at)


def test_messages_are_kept_word_for_word_with_their_speakers(talk: Talk) -> None:
    mend(talk)
    asked, told = [unit for unit in talk.units() if unit.kind is Kind.MESSAGE]
    assert (asked.id, asked.actor, asked.trust) == ("msg_1", "user", "user")
    assert asked.narrative == talk.events[0].get("text")
    assert (told.id, told.actor, told.trust) == ("msg_9", "claude-code", "agent")
    assert told.narrative == talk.events[8].get("text")


def test_the_words_of_a_user_that_an_agent_reports_are_not_shown_as_the_agents(talk: Talk) -> None:
    talk.ask("Why does the export lose rows at night?")
    talk.events[0] = replace(talk.events[0], trust="agent")
    assert talk.units()[0].actor == "user (claude-code)"


def test_a_speaker_is_named_once(talk: Talk) -> None:
    talk.ask("Caroline: I went to the support group yesterday.")
    said = {"text": talk.events[0].get("text"), "speaker": "Caroline"}
    talk.events[0] = replace(talk.events[0], payload=said)
    unit = talk.units()[0]
    assert (unit.actor, unit.narrative) == ("Caroline", "I went to the support group yesterday.")
    assert unit.title == "Caroline: I went to the support group yesterday"


def test_an_observation_that_quotes_a_tool_is_trusted_like_one(talk: Talk) -> None:
    mend(talk)
    assert talk.one().trust == "tool"


def test_an_observation_in_the_agents_own_words_is_trusted_like_the_agent(talk: Talk) -> None:
    talk.ask("Where is the port of the web server configured?")
    talk.read("deploy/gunicorn.conf.py")
    talk.say("In `deploy/gunicorn.conf.py`, line 4: `bind = '0.0.0.0:8081'`.")
    unit = talk.one()
    assert (unit.kind, unit.trust) == (Kind.DISCOVERY, "agent")
    assert unit.title == "Where is the port of the web server configured?"
    assert unit.files == ("deploy/gunicorn.conf.py",)


def test_what_an_unknown_source_says_is_trusted_least(talk: Talk) -> None:
    talk.ask("Where is the port of the web server configured?")
    talk.read("deploy/gunicorn.conf.py")
    talk.say("In `deploy/gunicorn.conf.py`, line 4.")
    talk.events[2] = replace(talk.events[2], trust="third_party")
    assert talk.one().trust == "third_party"
    talk.events[2] = replace(talk.events[2], trust="a label from the future")
    assert talk.one().trust == "third_party"


def test_noise_is_no_observation(talk: Talk) -> None:
    for prompt in ("ok", "continue", "hi", "thanks!", "yes, go on", "/compact"):
        talk.ask(prompt)
        talk.run("ls", "a b")
        talk.run("git status", "clean")
        talk.say("Done.")
    talk.ask("ls")
    talk.run("ls", "a b")
    talk.end()
    assert [unit.narrative for unit in talk.units()] == ["ls"]


def test_talk_alone_gives_messages_alone(talk: Talk) -> None:
    talk.ask("What do you think about Postgres 17?")
    talk.say("I would wait for 17.2, as the replication fixes matter to us.")
    assert [unit.kind for unit in talk.units()] == [Kind.MESSAGE, Kind.MESSAGE]


def test_a_nod_lets_the_work_before_go_on(talk: Talk) -> None:
    talk.ask("Add a health check endpoint to the API")
    talk.write("src/health.py")
    talk.say("Shall I also add a test?")
    talk.ask("yes please")
    talk.write("tests/test_health.py")
    talk.ask("great, commit it")
    talk.run('git commit -am "feat(api): add /health"', "[main 3f2a9c1] feat(api): add /health")
    unit = talk.one()
    assert (unit.kind, unit.title) == (Kind.FEATURE, "api: add /health")
    assert unit.files == ("src/health.py", "tests/test_health.py")
    assert "committed 3f2a9c1: feat(api): add /health" in unit.facts


def test_what_a_prompt_settles_stands_beside_the_work_that_follows(talk: Talk) -> None:
    talk.ask(
        "Let's use Redis instead of Memcached for sessions, because we need persistence. "
        "Add a setting REDIS_URL."
    )
    talk.run("uv add redis", "Added redis 5.2.1")
    talk.edit("src/settings.py")
    talk.say("Added `REDIS_URL` to `src/settings.py`.")
    decided, done = talk.observed()
    assert (decided.id, decided.kind, decided.trust) == ("obs_1", Kind.DECISION, "user")
    assert (
        decided.title == "Use Redis instead of Memcached for sessions, because we need persistence"
    )
    assert (done.id, done.kind) == ("obs_2", Kind.FEATURE)
    assert done.title == "Add a setting REDIS_URL"
    assert done.facts == ("ran `uv add redis`", "Added `REDIS_URL` to `src/settings.py`.")


def test_a_question_about_a_choice_settles_nothing(talk: Talk) -> None:
    talk.ask("Should we use Redis instead of Memcached?")
    talk.say("Do you want me to go with Redis instead of Memcached?")
    assert talk.observed() == []


def test_records_of_the_ledger_are_observations(talk: Talk) -> None:
    fact = talk.record("FactAdded", key="deploy.region", value="eu-west-1", confidence=0.8)
    talk.record(
        "DecisionMade", text="Deploy to eu-west-1", rationale="close to users", references=[fact]
    )
    talk.record("DecisionBlocked", text="Push by force", verdict={"reason": "constraint 4 forbids"})
    talk.record("ConstraintAdded", text="never push by force", priority="required")
    talk.record("ConstraintDeactivated", seq=4)
    talk.record("ObservationMade", text="The build takes 4 minutes", kind="change")
    told = [(unit.id, unit.kind, unit.title, unit.narrative) for unit in talk.observed()]
    assert told == [
        ("obs_1", "discovery", "deploy.region: eu-west-1",
         "deploy.region: eu-west-1 (confidence 0.8)."),
        ("obs_2", "decision", "Deploy to eu-west-1",
         "Decided: Deploy to eu-west-1. Why: close to users."),
        ("obs_3", "decision", "Blocked: Push by force",
         "Blocked: Push by force. Why: constraint 4 forbids."),
        ("obs_4", "decision", "never push by force", "Rule (required): never push by force."),
        ("obs_5", "decision", "Constraint 4 is inactive", "Constraint 4 is inactive."),
        ("obs_6", "change", "The build takes 4 minutes", "The build takes 4 minutes"),
    ]  # fmt: skip
    assert [unit.evidence for unit in talk.observed()][1] == (2, 1)


def test_a_rule_of_an_agent_is_told_as_a_proposal(talk: Talk) -> None:
    talk.record("ConstraintAdded", "agent", "s1", text="never push by force", priority="learned")
    (unit,) = talk.observed()
    assert unit.title == "Rule proposed by an agent: never push by force"
    assert unit.narrative == "Rule (learned, proposed by an agent): never push by force."


def test_blanked_and_malformed_events_say_nothing(talk: Talk) -> None:
    mend(talk)
    talk.record("FactAdded", key=3, value=None)
    talk.record("DecisionMade")
    talk.record("UserMessageReceived", "user", "s1", text=["no", "text"])
    talk.record("ToolUsed", "tool", "s1", tool=7, input="ls", output=None)
    talk.record("TurnEnded", "user", "s1", text=None)
    blanked = [replace(event, payload=None) for event in talk.events]
    assert distil(blanked).units == ()
    assert len(talk.observed()) == 1


def test_each_session_has_its_own_episode(new_talk: Callable[..., Talk]) -> None:
    one, other = new_talk("s1"), new_talk("s2", "codex")
    one.ask("Rename CartModel to Cart everywhere")
    one.edit("src/cart.py")
    other.ask("Create a script that prints the build number")
    patch = "*** Begin Patch\n*** Add File: scripts/build.py\n*** Update File: Makefile\n"
    other.use("apply_patch", "Success.", command=patch)
    mixed = [one.events[0], other.events[0], one.events[1], other.events[1]]
    numbered = [replace(event, seq=at) for at, event in enumerate(mixed, start=1)]
    found = [unit for unit in distil(numbered, root="/srv/shop").units if unit.kind != "message"]
    assert [(unit.session, unit.kind, unit.files) for unit in found] == [
        ("s1", "change", ("src/cart.py",)),
        ("s2", "feature", ("scripts/build.py", "Makefile")),
    ]


def test_a_call_that_the_rules_stopped_is_told(talk: Talk) -> None:
    talk.ask("Push the branch to origin by force")
    talk.record(
        "ToolRequested", "agent", "s1", tool="Bash", text="git push --force",
        input={"command": "git push --force"},
        verdict={"status": "deny", "reason": "constraint 4 forbids it"},
    )  # fmt: skip
    talk.say("The project forbids it, so I pushed nothing.")
    unit = talk.one()
    assert unit.facts == ("refused: `git push --force` (constraint 4 forbids it)",)


def test_work_that_is_left_failing_is_told_so(talk: Talk) -> None:
    talk.ask("Make the parser accept trailing commas")
    talk.edit("src/parser.py")
    talk.run("pytest -q", "2 failed, 3 passed", failed=True)
    unit = talk.one()
    assert unit.narrative.endswith("ran `pytest -q` (failed). The last test run failed.")
    assert "`pytest -q`: failed (2 failed, 3 passed)" in unit.facts


@pytest.mark.repeats
def test_sessions_that_never_end_are_let_go(new_talk: Callable[..., Talk]) -> None:
    events: list[Event] = []
    for number in range(MOST_OPEN + 20):
        talk = new_talk(f"s{number}")
        talk.ask(f"Rename module number {number}")
        talk.edit(f"src/m{number}.py")
        events += [replace(e, seq=len(events) + at) for at, e in enumerate(talk.events, start=1)]
    found = distil(events)
    assert len(found.progress.open) == MOST_OPEN
    assert sum(unit.kind == "change" for unit in found.units) == MOST_OPEN + 20


PROMPTS = (
    "ok", "Fix the failing login test", "Let's use uv instead of pip. Add a lock file.",
    "Where is the port set?", "commit it", "Traceback (most recent call last):\n  File \"a.py\"\nE",
)  # fmt: skip
ANSWERS = ("Done.", "Fixed because `f()` was wrong.", "Shall I go on?", "We decided to keep X 3.")
COMMANDS = (
    "ls", "pytest -q", "git commit -m 'fix: x'", "uv add httpx", "make deploy",
    "cat > a.py <<'E'\nE",
)  # fmt: skip
EVENT = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(PROMPTS)),
    st.tuples(st.just("say"), st.sampled_from(ANSWERS)),
    st.tuples(st.just("run"), st.sampled_from(COMMANDS), st.booleans()),
    st.tuples(st.just("edit"), st.sampled_from(["a.py", "src/b.py"])),
    st.tuples(st.just("write"), st.just("src/new.py")),
    st.tuples(st.just("read"), st.just("src/b.py")),
    st.tuples(st.just("end")),
)


@settings(max_examples=many(60))
@given(st.lists(st.tuples(st.booleans(), EVENT), max_size=25), st.data())
def test_the_tail_adds_to_what_was_read_as_if_all_was_read_at_once(
    new_talk: Callable[..., Talk], steps: list[tuple[bool, tuple[object, ...]]], data: st.DataObject
) -> None:
    talks = new_talk("s1"), new_talk("s2")
    events: list[Event] = []
    for second, (verb, *given_) in steps:
        talk = talks[second]
        if verb == "run":
            talk.run(str(given_[0]), "1 failed\nValueError: x", failed=bool(given_[1]))
        else:
            getattr(talk, str(verb))(*given_)
        events.append(replace(talk.events[-1], seq=len(events) + 1))
    whole = distil(events)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events)), max_size=4)))
    held: dict[str, Observation] = {}
    progress = None
    for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
        part = distil(events[start:end], progress)
        progress = part.progress
        held |= {unit.id: unit for unit in part.units}
    assert sorted(held.values(), key=order_of) == list(whole.units)
    assert progress == whole.progress


@pytest.mark.repeats
def test_a_long_session_is_distilled_into_a_short_unit(new_talk: Callable[..., Talk]) -> None:
    talk = new_talk()
    talk.ask("Fix the import of module 3")
    output = "a line of output with some words in it\n" * 90
    for number in range(1_250):
        talk.edit(f"src/m{number % 80}.py")
        talk.run(f"pytest tests/test_{number % 7}.py", output + "1 failed, 2 passed", failed=True)
        talk.read(f"src/m{number % 60}.py")
        talk.run("grep -rn name src", output)
    talk.say("Fixed because the parser was wrong. " * 40)
    unit = next(one for one in distil(talk.events, root="/srv/shop").units if one.id == "obs_1")
    assert (len(unit.evidence), len(unit.files)) == (40, 40)
    assert sum(map(len, unit.facts)) < 3_000
