"""The model that judges pairs of notes."""


def phrase(title: str, body: str) -> str:
    """Return what the model reads of a note: its title, if it has one, and its text."""
    return f"{title.rstrip('.:')}. {body}" if title else body
