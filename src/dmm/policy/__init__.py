"""Deterministic, explainable rules over natural-language constraints and decisions."""
