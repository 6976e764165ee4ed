"""The hook that a client runs at each event."""
