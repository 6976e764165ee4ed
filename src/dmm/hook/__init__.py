"""The hook an agent runs at every turn: a payload in, what the background process says out."""
