"""A person, proven: passkeys, codes of the terminal, and confirmations bound to what is decided."""
