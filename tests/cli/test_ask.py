"""`dmm ask` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from dmm.ask.profiles import BUILT_IN

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import Project

ROOT = Path(__file__).parents[2]
START = "where do I start in this repository?"


@pytest.fixture
def counting(project: Project, home: Path) -> Project:
    """A project with a small command, trusted."""
    project.trust(home)
    (project.folder / "README.md").write_text("# Count\n\nCounts words.\n")
    code = "import argparse\n\n\ndef main():\n    argparse.ArgumentParser()\n\n\n"
    code += 'if __name__ == "__main__":\n    main()\n'
    (project.folder / "count.py").write_text(code)
    return project


def test_the_answer_is_points_with_citations(counting: Project, typed: Typed) -> None:
    told = typed("ask", START, within=counting.folder)
    assert told.out.splitlines() == [
        "1. Counts words.",
        "   [README.md:3]",
        "2. Programs start at main guard (count.py:8)",
        "Evidence is missing for: where data outlives the process.",
        "See also:",
        "   count.py:5  how others use it",
        "All evidence, as a prompt for an agent: add --prompt",
    ]
    nothing = typed("ask", "zzz qqq", within=counting.folder)
    assert nothing.out.splitlines() == [
        "Nothing in memory, sessions or code answers this.",
        "Evidence is missing for: zzz; qqq.",
    ]


def test_what_no_file_mentions_is_said_before_what_comes_nearest(
    counting: Project, typed: Typed
) -> None:
    told = typed("ask", "how does main count words in Kafka?", within=counting.folder)
    assert told.out.splitlines()[0] == "Evidence is missing for: Kafka. What comes nearest:"
    assert told.out.splitlines()[1].startswith("1. ")


def test_a_prompt_without_room_says_so(counting: Project, typed: Typed) -> None:
    told = typed("ask", START, "--prompt", "--budget", "3", within=counting.folder)
    assert told.out.startswith("notice: nothing fits into a budget of 3 tokens")


def test_the_prompt_for_an_agent_has_all_citations(counting: Project, typed: Typed) -> None:
    told = typed("ask", START, "--prompt", within=counting.folder)
    assert told.status == 0, told.err
    lines = told.out.splitlines()
    assert lines[:3] == [
        "# Task",
        START,
        "Profile: onboarding. Understand the repository well enough to make a first change.",
    ]
    assert "INCOMPLETE. Say so in your answer; do not guess." in lines
    assert any(line.startswith("[count.py:8@") and "main guard" in line for line in lines)


def test_json_has_no_times_unless_they_are_asked_for(counting: Project, typed: Typed) -> None:
    first = typed("ask", START, "--json", within=counting.folder)
    again = typed("ask", START, "--json", within=counting.folder)
    assert first.out == again.out
    assert "timing" not in json.loads(first.out)
    timed = json.loads(typed("ask", START, "--json", "--verbose", within=counting.folder).out)
    assert set(timed.pop("timing")) == {"repository_ms", "total_ms"}
    assert timed == json.loads(first.out)


def test_options_reach_the_answer(counting: Project, typed: Typed) -> None:
    options = ("--profile", "review", "--budget", "150", "--style", "full", "--session", "s9")
    told = json.loads(typed("ask", START, *options, "--json", within=counting.folder).out)
    assert told["mapping_decision"]["source"] == "override"
    assert told["task_spec"]["profile"] == "review"
    assert told["task_spec"]["style"] == "full"
    assert told["token_estimate"] <= 150
    assert told["execution_critic"]["session"] == "s9"


def test_verbose_tells_how_it_came_about(counting: Project, typed: Typed) -> None:
    told = typed("ask", START, "-v", within=counting.folder)
    _, _, rest = told.out.partition("## How this answer was made\n")
    lines = rest.splitlines()
    words = "where do i start, this repository"
    assert lines[0] == f"- profile onboarding by rules: most words: {words}"
    assert lines[1].endswith(" of 3000 tokens")
    assert "- coverage incomplete: persistence, ai_generation, 8 second looks" in lines


def test_a_wrong_profile_or_style_is_refused_with_the_way_out(
    counting: Project, typed: Typed
) -> None:
    told = typed("ask", START, "--profile", "tour", within=counting.folder)
    assert told.status == 2
    assert "there is no profile 'tour'" in told.err
    assert "onboarding, debugging" in told.err
    assert typed("ask", START, "--style", "loud", within=counting.folder).status == 2
    assert typed("ask", " ", within=counting.folder).status == 2


def test_every_field_and_every_profile_is_documented(counting: Project, typed: Typed) -> None:
    page = (ROOT / "docs" / "ask.md").read_text()
    told = json.loads(typed("ask", START, "--json", "--verbose", within=counting.folder).out)
    fields = {*told, *told["layers"], *(one["section"] for one in told["coverage_9_section"])}
    fields |= {*told["mapping_decision"], *told["coverage_gate"], *told["prompt_plan"]}
    fields |= {*told["prompt_metrics"], *told["task_spec"], *told["evidence_stats"]}
    fields |= {*told["execution_critic"], *told["repo_context"][0], *told["timing"]}
    assert [name for name in sorted(fields) if f"`{name}`" not in page] == []
    for one in BUILT_IN:
        shares = f"{one.ratios.memory:.2f} / {one.ratios.sessions:.2f} / {one.ratios.code:.2f}"
        assert f"| `{one.name}` |" in page
        assert shares in page


def test_the_workflow_for_continuous_integration_validates() -> None:
    text = (ROOT / "examples" / "ci" / "dmm-validate.yml").read_text()
    steps = yaml.safe_load(text)["jobs"]["validate"]["steps"]
    assert steps[-1]["run"] == "dmm validate"
    assert "pip install dynamic-markdown-memory" in steps[-2]["run"]


def test_long_paths_stay_whole_and_other_lines_fit(counting: Project, typed: Typed) -> None:
    deep = "/".join(["src", *(["harbour"] * 10)])
    folder = counting.folder / deep
    folder.mkdir(parents=True)
    for at in range(6):
        text = f'def tide_{at}(level):\n    """Compute the tide of the berth {at}."""\n'
        text += "    return level\n"
        (folder / f"berth{at}.py").write_text(text)
    (folder / "quay.sh").write_text("# the tide\n")
    lines = typed("ask", "where is the tide of a berth computed?", within=counting.folder).out
    long = [one.strip(" []") for one in lines.splitlines() if len(one) > 80]
    assert len(long) >= 6
    assert all(one.startswith(f"{deep}/") and " " not in one for one in long)
    assert "" not in lines.splitlines()
    assert lines.count("Compute the tide of the berth") == 6
