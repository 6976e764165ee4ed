"""What a tool call writes, searched by regular expression and by structure, within hard limits."""
