"""Instruction files imported as memories and rules, and exported again."""
