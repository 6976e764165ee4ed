"""The MCP entry under the name that configurations of version 0.x hold."""
