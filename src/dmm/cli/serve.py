"""`dmm serve`: serve an MCP client over standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer


def serve(
    client: Annotated[str, typer.Option(help="The client's name, as events show it.")] = "mcp",
    tools: Annotated[str, typer.Option(help="The tools to offer: core or full.")] = "full",
) -> None:
    """Serve an MCP client over standard input and output.

    `dmm install` configures clients to use it.
    """
    import os
    import sys

    import dmm

    entry = os.path.join(dmm.__path__[0], "mcp_stdio", "__main__.py")
    line = [sys.executable, "-I", "-S", entry, "--client", client, "--tools", tools]
    os.execv(sys.executable, line)
