"""Capture: what agents' hooks report, freed of secrets before anything else sees it."""
