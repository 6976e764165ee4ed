"""Proposals under review: what is checked, who may decide, and what became of each."""
