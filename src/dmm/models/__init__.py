"""Chat models behind one port: the Anthropic and OpenAI interfaces and the claude command."""
