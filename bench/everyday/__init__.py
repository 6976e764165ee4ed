"""Realistic tasks over the imported instruction files of public repositories."""
