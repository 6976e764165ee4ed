"""Answers to questions about a project, from memory, sessions and code, within a budget."""
