"""Share the open-file limit so that hooks always find a descriptor."""

from __future__ import annotations

import sys

WANTED = 65_536


def raise_limit() -> int:
    """Raise the limit as far as is allowed and of use; tell how many descriptors there are."""
    if sys.platform == "win32":  # pragma: no cover - files are not numbered there
        return WANTED
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (OSError, ValueError):
            return soft
        return most
    return WANTED if soft == resource.RLIM_INFINITY else soft
