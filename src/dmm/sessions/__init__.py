"""Sessions: hook events in, briefings and rulings out, everything recorded."""
