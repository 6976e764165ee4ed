"""Recall of past sessions."""
