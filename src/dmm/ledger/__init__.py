"""The ledger: facts, decisions and constraints recorded, replayed, verified and backed up."""
