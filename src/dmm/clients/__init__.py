"""The agents' own configuration: what DMM keeps in it, and how it gets there and out again."""
