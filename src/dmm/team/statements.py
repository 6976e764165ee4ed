"""Statements on writers, invitations and rules of a project; the same on every database."""

from __future__ import annotations

# A token that was lost with the writer's row is no token: such a laptop joins again.
KEEP_WRITER = """
INSERT INTO writer (team_id, project_id, writer, key, role, name, token, wseq, whash, revoked)
VALUES (?, ?, ?, ?, ?, ?, '', ?, ?, ?)
ON CONFLICT (team_id, project_id, writer) DO UPDATE
SET role = excluded.role, wseq = excluded.wseq, whash = excluded.whash,
    revoked = CASE WHEN writer.revoked = 2 AND excluded.revoked = 0 THEN 2 ELSE excluded.revoked END
"""
REPORT = """
UPDATE writer SET awaited = 0 WHERE team_id = ? AND project_id = ? AND awaited = 1 AND writer = ?
RETURNING writer
"""
RESUME = """
UPDATE writer SET awaited = 0 WHERE team_id = ? AND project_id = ? AND awaited = 1 RETURNING writer
"""
RULE = """
SELECT id, payload FROM event
WHERE team_id = ? AND project_id = ? AND seq = ? AND type IN (?, ?)
"""
LIFTS = """
SELECT payload FROM event WHERE team_id = ? AND project_id = ? AND seq > ? AND type = ?
"""
# Those of a writer who no longer manages the project; what has expired stays as it is.
END_INVITATIONS = """
UPDATE invitation SET expires = ?
WHERE team_id = ? AND project_id = ? AND made_by = ? AND writer IS NULL AND expires > ?
"""
CHANGE_ROLE = "UPDATE writer SET role = ? WHERE team_id = ? AND project_id = ? AND writer = ?"
REMOVED = """
SELECT writer FROM writer WHERE team_id = ? AND project_id = ? AND revoked <> 0
"""
REVOKE = "UPDATE writer SET revoked = 1 WHERE team_id = ? AND project_id = ? AND writer = ?"
# Removed while laptops were awaited: the log does not tell of it yet.
REVOKE_FIRST = "UPDATE writer SET revoked = 2 WHERE team_id = ? AND project_id = ? AND writer = ?"
REVOKED_FIRST = """
SELECT writer FROM writer WHERE team_id = ? AND project_id = ? AND revoked = 2 ORDER BY writer
"""
AWAITED = """
SELECT 1 FROM writer
WHERE team_id = ? AND project_id = ? AND awaited = 1 AND revoked = 0 LIMIT 1
"""
OF_PERSON = """
SELECT writer FROM writer
WHERE team_id = ? AND project_id = ? AND person = ? AND revoked = 0 ORDER BY writer
"""
OF_TYPE = """
SELECT payload FROM event
WHERE team_id = ? AND project_id = ? AND writer = 'server' AND type = ? ORDER BY seq
"""
# A confirmation may cover several events; it is in the payload of each.
PROVED = """
SELECT type, payload FROM event
WHERE team_id = ? AND project_id = ? AND writer = ? AND payload LIKE '%"proof":%'
"""
MARKED = """
SELECT mark FROM confirmation
WHERE team_id = ? AND project_id = ? AND writer = ? AND mark IN ({places})
"""
_LATEST = "FROM confirmation WHERE team_id = ? AND project_id = ? AND writer = ? AND mark LIKE ?"
LATEST = f"SELECT max(mark) {_LATEST}"
UNMARK_LATEST = f"DELETE {_LATEST}"
MARK = "INSERT INTO confirmation VALUES {places} ON CONFLICT DO NOTHING"
UNMARK = "DELETE FROM confirmation WHERE team_id = ? AND project_id = ?"
