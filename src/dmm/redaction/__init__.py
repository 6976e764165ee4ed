"""Remove secrets and private passages before text goes anywhere."""
