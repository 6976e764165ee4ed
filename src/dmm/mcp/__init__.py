"""MCP: the tools, resources and prompts that agents are given, over streams and over HTTP."""
