"""Redaction: secrets and private passages are removed before a text goes anywhere."""
