"""The MCP entry under the name used by version 0.x configurations."""
