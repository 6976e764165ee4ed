"""The MCP entry an agent starts: standard input and output joined to the background process."""
