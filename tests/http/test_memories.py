"""Memories over HTTP: the tree, a folder, and one memory as nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.plain import to_plain
from dmm.http.nodes import read_nodes

if TYPE_CHECKING:
    from tests.http.conftest import Server

HOSTILE = '# A note\n\n<img src=x onerror="alert(1)"> [go](javascript:alert(1)) ![p](http://x/y)\n'


def test_the_tree_and_a_folder_are_listed(server: Server) -> None:
    found = server.ask("GET", "/v1/memories").json()
    assert found["total"] == sum(one["count"] for one in found["folders"])
    rows = server.ask("GET", "/v1/memories?folder=baseline").json()
    assert [one["path"] for one in rows["memories"]] == [
        *("baseline/hard_constraints.md", "baseline/identity.md"),
    ]
    assert rows["more"] == 0
    assert server.ask("GET", "/v1/memories?match=identity").json()["memories"]


def test_a_memory_is_shown_as_nodes_and_no_html(server: Server) -> None:
    file = server.root / ".dmm" / "memory" / "baseline" / "identity.md"
    text = file.read_text()
    head = text[: text.index("# ")]
    file.write_text(head + HOSTILE)
    try:
        shown = server.ask("GET", "/v1/memories/baseline/identity.md").json()
    finally:
        file.write_text(text)
    assert shown["text"] == head + HOSTILE
    assert shown["body"] == to_plain(read_nodes(HOSTILE))
    assert "href" not in str(shown["body"])
    assert "onerror" in str(shown["body"])


def test_what_is_not_a_memory_is_refused(server: Server) -> None:
    for path, code in (("project/none.md", "usage"), ("..%2Fx.md", "path_refused")):
        assert server.ask("GET", f"/v1/memories/{path}").code == code
