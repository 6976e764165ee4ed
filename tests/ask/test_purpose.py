"""What a project is for is read from its README, whatever stands before it."""

from __future__ import annotations

import pytest

from dmm.ask.purpose import Said, find_purpose

LOGO = """\
<p align="center">
  <a href="https://ferry.example"><img src="logo.svg" alt="Ferry" width="220"/></a>
</p>
<p align="center">
  <a href="https://ci.example"><img src="badge.svg" alt="Build status"></a>
  <a href="https://ferry.example/docs">Documentation</a> · <a href="/forum">Forum</a>
</p>
"""


@pytest.mark.parametrize(
    ("text", "sentence", "line"),
    [
        ("# Ferry\n\nFerry plans crossings. It is fast.\n", "Ferry plans crossings.", 3),
        (f"{LOGO}\nFerry is a planner of crossings.\n", "Ferry is a planner of crossings.", 9),
        (f"{LOGO}<h3>Plan crossings in one place</h3>\n", "Plan crossings in one place", 8),
        (
            "# Ferry\n\nHelp us and star us on the forge!\n\n"
            "## What is Ferry?\n\n[Ferry](https://ferry.example) is a planner\nof crossings.\n",
            "Ferry is a planner of crossings.",
            7,
        ),
        (
            "# Ferry\n\n[Website](a) | [Roadmap and plans](b) | [Blog of the team](c)\n\n"
            "- plans crossings and berths\n\n| a | b |\n|---|---|\n| one two three | four |\n\n"
            "> [!NOTE]\n> The main branch is not stable.\n\n"
            "```\nferry plan all the crossings\n```\n\nA planner of crossings.\n",
            "A planner of crossings.",
            18,
        ),
        (
            "# Ferry\n\nSpecial thanks to:\n\nMade for all who cross.\n",
            "Made for all who cross.",
            5,
        ),
        ("# Ferry\n\nFerry is a planner that has:\n", "Ferry is a planner that has:", 3),
        (
            "# Ferry\n\nPlan all of your crossings.\n\nThe Ferry handbook is the place to learn.\n",
            "Plan all of your crossings.",
            3,
        ),
        (
            "# Ferry\n\n[![ci](b.svg)](c)\nFerry plans all crossings.\n\nInstall it with npm.\n",
            "Ferry plans all crossings.",
            3,
        ),
        (
            "# Ferry\n\nPlan your crossings.\n\nFerry requires Python 3.10 or newer.\n",
            "Plan your crossings.",
            3,
        ),
        ("# Ferry\n\nWelcome! Ferry is a planner.\n", "Ferry is a planner.", 3),
        ("# 渡轮\n\n渡轮是一个规划航线的工具。\n\nUse it well.\n", "渡轮是一个规划航线的工具。", 3),
        ("Ferry\n=====\n\n.. note:: Not stable.\n\nPlans crossings.\n", "Plans crossings.", 6),
        ("# Ferry\n\nEnglish | 中文 | Deutsch\n\nPlans crossings.\n", "Plans crossings.", 5),
        ("<p>\n  Ferry plans crossings.\n</p>\n", "Ferry plans crossings.", 2),
        ("Ferry\n=====\n\nDo you like crossings?\n\nIt plans them all.\n", "It plans them all.", 6),
    ],
)
def test_the_sentence_about_the_project_is_found(text: str, sentence: str, line: int) -> None:
    assert find_purpose(text) == Said(sentence, line)


@pytest.mark.parametrize("text", ["", "# Ferry\n", LOGO, "```\nferry plan all\n```\n", "---\n"])
def test_a_readme_that_says_nothing_says_nothing(text: str) -> None:
    assert find_purpose(text) is None
