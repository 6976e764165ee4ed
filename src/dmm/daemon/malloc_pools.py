"""Limit the memory that the C library keeps for reuse.

The GNU library gives each thread a pool of its own, up to eight for each CPU. Requests are answered
by many threads, and what one of them frees no other can use: the pools held more than everything
that was in use.
"""

from __future__ import annotations

import ctypes

# The names of the settings are numbers in malloc.h.
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
POOLS = 1
# A block from this size on is given back as soon as it is freed. Left alone, the library raises the
# bound with each such block, and the arrays of an index leave holes in the pools.
LARGE = 1 << 17


def bound_pools() -> None:
    """Limit the memory arenas; must run before the first thread starts."""
    setting = getattr(ctypes.CDLL(None), "mallopt", None)
    if setting is not None:
        setting(M_ARENA_MAX, POOLS)
        setting(M_MMAP_THRESHOLD, LARGE)


def return_memory() -> None:
    """Return freed memory to the system, where the allocator supports it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
