"""The resources: BOOT, policy, manifest and memories; nothing outside the memory can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from dmm.mcp.resources import PAGE

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client.client import Client
    from tests.conftest import MemoryText
    from tests.mcp.conftest import Daemon

pytestmark = pytest.mark.anyio
FIXED = ["dmm://boot", "dmm://policy", "dmm://manifest"]


async def read(client: Client, uri: str) -> tuple[str, str | None]:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    assert content.uri == uri
    return content.text, content.mime_type


async def test_boot_policy_and_manifest_are_the_files_of_the_project(house: Daemon) -> None:
    house.project.dmm.memories.reindex()
    folder = house.folder / ".dmm"
    async with house.connect() as client:
        boot = (folder / "BOOT.md").read_text()
        assert await read(client, "dmm://boot") == (boot, "text/markdown")
        policy = (folder / "policy.md").read_text()
        assert await read(client, "dmm://policy") == (policy, "text/markdown")
        manifest = (folder / "index" / "manifest.json").read_text()
        assert await read(client, "dmm://manifest") == (manifest, "application/json")


async def test_the_manifest_is_there_before_anything_has_written_it(house: Daemon) -> None:
    root = house.project.dmm.root
    root.manifest.unlink(missing_ok=True)
    async with house.connect() as client:
        text, _ = await read(client, "dmm://manifest")
    assert all(stamp.path in text for stamp in root.tree.scan().stamps)


async def test_every_memory_is_listed_and_can_be_read(house: Daemon) -> None:
    tree = house.project.dmm.root.tree
    async with house.connect() as client:
        listed = (await client.list_resources()).resources
        assert [one.uri for one in listed[:3]] == FIXED
        names = [one.name for one in listed[3:]]
        assert names == [stamp.path for stamp in tree.scan().stamps]
        for one in listed[3:]:
            assert await read(client, one.uri) == (tree.read(one.name).decode(), "text/markdown")
        (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "dmm://memory/{path}"


async def test_a_path_may_be_written_plainly_or_encoded(
    house: Daemon, memory_text: MemoryText
) -> None:
    house.project.dmm.root.tree.create("project/größe und maß.md", memory_text())
    async with house.connect() as client:
        plain, _ = await read(client, "dmm://memory/project/größe und maß.md")
        encoded = "dmm://memory/project%2Fgr%C3%B6%C3%9Fe%20und%20ma%C3%9F.md"
        assert (await read(client, encoded))[0] == plain == memory_text()


async def test_a_long_listing_comes_in_pages(house: Daemon, memory_text: MemoryText) -> None:
    tree = house.project.dmm.root.tree
    for number in range(PAGE + 20):
        (tree.root / "project" / f"n{number:04}.md").write_text(memory_text())
    async with house.connect() as client:
        first = await client.list_resources()
        assert len(first.resources) == 3 + PAGE
        second = await client.list_resources(cursor=first.next_cursor)
        assert second.next_cursor is None
        names = [one.name for one in (*first.resources[3:], *second.resources)]
        assert names == [stamp.path for stamp in tree.scan().stamps]
        with pytest.raises(MCPError, match="the cursor does not belong to this list"):
            await client.list_resources(cursor="project/n0003.md")


@pytest.mark.parametrize(
    "path",
    [
        "../BOOT.md",
        "project/../../BOOT.md",
        "project/%2e%2e/%2e%2e/BOOT.md",
        "%2Fetc%2Fpasswd",
        "/etc/passwd",
        "project/.hidden.md",
        "project/a%00.md",
        "..%5C..%5Cx.md",
        "project/link.md",
        "outside/x.md",
        "",
    ],
)
async def test_nothing_outside_the_memory_is_read(house: Daemon, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (house.folder / ".dmm/memory/project/link.md").symlink_to(tmp_path / "secret.md")
    async with house.connect() as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(f"dmm://memory/{path}")
    assert caught.value.error.code == types.INVALID_PARAMS
    assert caught.value.error.data["code"] == "path_refused"


async def test_a_boot_file_that_leads_elsewhere_is_refused(house: Daemon, tmp_path: Path) -> None:
    boot = house.folder / ".dmm" / "BOOT.md"
    boot.rename(tmp_path / "elsewhere.md")
    boot.symlink_to(tmp_path / "elsewhere.md")
    async with house.connect() as client:
        with pytest.raises(MCPError, match="the path contains a symbolic link"):
            await client.read_resource("dmm://boot")


async def test_what_is_missing_is_said(house: Daemon) -> None:
    (house.folder / ".dmm" / "BOOT.md").unlink()
    async with house.connect() as client:
        with pytest.raises(MCPError, match="No such file"):
            await client.read_resource("dmm://boot")
        with pytest.raises(MCPError, match="there is no such resource"):
            await client.read_resource("file:///etc/passwd")
        with pytest.raises(MCPError, match="unreadable"):
            await client.read_resource("dmm://memory/project/none.md")


async def test_invisible_characters_in_a_memory_are_shown(
    house: Daemon, memory_text: MemoryText
) -> None:
    house.project.dmm.root.tree.create("project/a.md", memory_text(body="left\u202eright"))
    async with house.connect() as client:
        text, _ = await read(client, "dmm://memory/project/a.md")
    assert "left<U+202E>right" in text


@pytest.mark.parametrize("spoil", ["revoke", "remove"])
async def test_without_a_trusted_project_nothing_is_read(house: Daemon, spoil: str) -> None:
    if spoil == "revoke":
        house.trust.revoke(house.folder / ".dmm")
    else:
        (house.folder / ".dmm").rename(house.folder / "gone")
    async with house.connect() as client:
        assert [one.uri for one in (await client.list_resources()).resources] == FIXED
        for uri in (*FIXED, "dmm://memory/project/x.md"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            expected = "not_trusted" if spoil == "revoke" else "no_root"
            assert caught.value.error.data["code"] == expected
