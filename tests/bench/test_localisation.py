"""The measure of file localisation, on a small repository of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.conftest import git

from bench import localisation

if TYPE_CHECKING:
    from pathlib import Path


def test_issues_are_measured_where_their_commits_are_at_hand(tmp_path: Path) -> None:
    folder = tmp_path / "repositories" / "one+shop"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "cart.py").write_text("def total(cart):\n    return sum(cart)\n", "utf-8")
    (folder / "mail.py").write_text("def send(letter):\n    pass\n", "utf-8")
    (folder / "test_cart.py").write_text("from cart import total\n", "utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Begin")
    commit = git(folder, "rev-parse", "HEAD")
    issue = {"instance_id": "1", "repo": "one/shop", "problem_statement": "total of a cart"}
    issues = [
        issue | {"base_commit": commit, "gold_files": ["cart.py"]},
        issue | {"base_commit": "0" * 40, "gold_files": ["cart.py"]},
        issue | {"base_commit": commit, "gold_files": ["x.py"], "repo": "not/here"},
    ]
    (tmp_path / "code").mkdir()
    (tmp_path / localisation.ISSUES).write_text(json.dumps(issues), "utf-8")
    part = localisation.measure(tmp_path, tmp_path / "repositories")
    assert part.remark == "1 of 3 issues measured."
    assert [m.value for m in part.measures[:3]] == [100.0] * 3
    assert part.measures[0].beside == {"BM25 over files": 100.0, "among all files": 100.0}


def test_all_files_of_an_issue_have_to_be_found() -> None:
    assert localisation.last_place(["a", "b", "c"], ["c", "a"]) == 3
    assert localisation.last_place(["a"], ["a", "b"]) == localisation.MISSED


def test_without_repositories_nothing_is_claimed() -> None:
    part = localisation.summarise([], 63)
    assert [measure.value for measure in part.measures] == [None]
