"""Observations: what sessions did, distilled from the ledger by rules."""
