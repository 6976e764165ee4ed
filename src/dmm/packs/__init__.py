"""Packs: from a query to cited memory within a token budget."""
