"""MCP: the tools, resources and prompts for agents, over streams and HTTP."""
