"""The MCP entry for agents: standard input and output, relayed to the daemon."""
