"""The embedding model: text to unit vectors, locally."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from dmm.embed.windows import window_scheme
from dmm.embed.wordpiece import CLS, SEP, WordPiece
from dmm.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

DATA = Path(__file__).resolve().parent.parent / "data"
MOST_THREADS = 4
# A sum and a normalisation, one after the other, take a quarter of the time of both fused.
SLOW_FUSION = "SkipLayerNormFusion"

_MODEL = "model.onnx"
_VOCABULARY = "vocab.txt"
_ABOUT = "model.json"
_REINSTALL = "reinstall dynamic-markdown-memory; until then only keyword retrieval works"


@dataclass(frozen=True, slots=True)
class _About:
    """What model.json says about the files beside it."""

    name: str
    version: str
    dimensions: int
    max_pieces: int
    sizes: dict[str, int]
    hashes: dict[str, str]

    @property
    def identity(self) -> str:
        """Name everything a stored vector depends on: another identity, another vector."""
        return f"{self.name}/{self.version}/{self.hashes[_MODEL][:12]}/{window_scheme}"


class Embedder:
    """Turns text into vectors of length one; safe to share between threads.

    Each text or window is run alone: int8 scales depend on the whole input, so in a batch
    a vector would depend on its neighbours.
    """

    def __init__(self, session: Any, words: WordPiece, about: _About, threads: int) -> None:
        self.identity = about.identity
        self.dimensions = about.dimensions
        self.max_pieces = about.max_pieces
        self._session = session
        self._words = words
        self._threads = threads

    @classmethod
    def load(cls, directory: Path | None = None, *, threads: int | None = None) -> Self:
        """Load the packaged model, or the one in `directory`, and try it once.

        `threads` bounds the bulk work of embed_windows; default: the CPUs, at most four.
        """
        folder = DATA if directory is None else directory
        about = _read_about(folder / _ABOUT)
        for name in (_MODEL, _VOCABULARY):
            verify(folder / name, about.sizes[name], about.hashes[name])
        try:
            words = read_vocabulary(folder / _VOCABULARY)
            session = open_session(folder / _MODEL)
            embedder = cls(session, words, about, threads or usable_threads())
            _try_once(embedder, folder / _MODEL)
        except MemoryError as fault:
            hint = "free some memory, or raise this process's limit"
            raise ModelUnavailable("there is not enough memory for it", hint=hint) from fault
        return embedder

    def encode(self, text: str) -> list[int]:
        """Return the word pieces of a text, without [CLS] and [SEP]."""
        return self._words.encode(text)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a short text; what exceeds the model's reach is not read."""
        return self._run(self._read(text))

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per short text, as `embed_query` does, in their order."""
        return self.embed_windows([self._read(text) for text in texts])

    def embed_windows(self, windows: Sequence[Sequence[int]]) -> Vectors:
        """Return one vector per window of pieces, marks included, in their order."""
        vectors = np.empty((len(windows), self.dimensions), np.float32)

        def fill(row: int) -> None:
            vectors[row] = self._run(windows[row])

        share(fill, len(windows), min(self._threads, len(windows)))
        return vectors

    def _read(self, text: str) -> list[int]:
        return [CLS, *self._words.encode(text, limit=self.max_pieces - 2), SEP]

    def _run(self, pieces: Sequence[int]) -> Vectors:
        if not 0 < len(pieces) <= self.max_pieces:
            raise ValueError(f"{len(pieces)} pieces given; the model reads 1 to {self.max_pieces}")
        feed = {"pieces": np.array([pieces], np.int64)}
        try:
            (vectors,) = self._session.run(None, feed)
        except onnx_faults() as fault:
            raise ModelUnavailable(f"the model failed to run: {fault}", hint=_REINSTALL) from fault
        vector: Vectors = vectors[0]
        return vector


def share(task: Callable[[int], None], count: int, workers: int) -> None:
    """Run the task for each of 0..count-1; no thread is left behind, also not by Ctrl-C."""
    rows = iter(range(count))  # shared: each worker takes the next row
    stop = Event()

    def work() -> None:
        for row in rows:
            if stop.is_set():
                return
            task(row)

    if workers <= 1:
        work()
        return
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    pool = ThreadPoolExecutor(workers, thread_name_prefix="dmm-embed")
    futures: list[Future[None]] = []
    try:
        # Where the system gives no more threads, those there are do the work, or else this one.
        with contextlib.suppress(RuntimeError):
            futures.extend(pool.submit(work) for _ in range(workers))
        if not futures:
            work()
        wait(futures, return_when=FIRST_EXCEPTION)
    finally:
        stop.set()
        pool.shutdown()
    for future in futures:
        future.result()


def usable_threads() -> int:
    """Return how many threads bulk work may take."""
    cpus = os.cpu_count() or 1
    if sys.platform == "linux":
        cpus = len(os.sched_getaffinity(0))
    return min(cpus, MOST_THREADS)


def _read_about(path: Path) -> _About:
    try:
        raw = json.loads(path.read_bytes())
        files = raw["files"]
        return _About(
            name=str(raw["name"]),
            version=str(raw["version"]),
            dimensions=int(raw["dimensions"]),
            max_pieces=int(raw["max_pieces"]),
            sizes={name: int(files[name]["bytes"]) for name in (_MODEL, _VOCABULARY)},
            hashes={name: str(files[name]["sha256"]) for name in (_MODEL, _VOCABULARY)},
        )
    except OSError as fault:
        raise _unreadable(path, fault) from fault
    except (ValueError, KeyError, TypeError) as fault:
        what = f"the description of the embedding model is damaged: {fault}"
        raise ModelUnavailable(what, where=str(path), hint=_REINSTALL) from fault


def verify(path: Path, length: int, sha256: str, listed: str = _ABOUT) -> None:
    """Refuse a file that is not the listed one, by size and then by hash.

    The hash costs about 17 ms of a 300 ms load. A file with a few wrong bytes would load and
    give vectors that are silently wrong under an identity that promises otherwise.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as fault:
        raise _unreadable(path, fault) from fault
    if size != length:
        what = f"the file has {size} bytes instead of {length}"
        raise ModelUnavailable(what, where=str(path), hint=_REINSTALL)
    if found != sha256:
        what = f"the file is damaged: its sha256 is not the one in {listed}"
        raise ModelUnavailable(what, where=str(path), hint=_REINSTALL)


def read_vocabulary(path: Path) -> WordPiece:
    """Read the vocabulary that both models share."""
    try:
        return WordPiece(path.read_text(encoding="utf-8").splitlines())
    except ValueError as fault:
        what = f"the vocabulary can't be used: {fault}"
        raise ModelUnavailable(what, where=str(path), hint=_REINSTALL) from fault


def _unreadable(path: Path, fault: OSError) -> ModelUnavailable:
    what = f"the embedding model file can't be read: {fault.strerror}"
    return ModelUnavailable(what, where=str(path), hint=_REINSTALL)


def open_session(path: Path) -> Any:
    """Open the model with one thread per run; the callers bring the threads."""
    # Read when the library is loaded: without it, it writes an identity of this machine to the
    # user's cache and queues events for its maker, whatever is switched off later.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as fault:
        what = f"onnxruntime can't be imported: {fault}"
        raise ModelUnavailable(what, hint=_REINSTALL) from fault
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # an arena never gives memory back
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"], disabled_optimizers=[SLOW_FUSION]
        )
    except onnx_faults() as fault:
        what = f"the embedding model failed to load: {fault}"
        raise ModelUnavailable(what, where=str(path), hint=_REINSTALL) from fault


def onnx_faults() -> tuple[type[Exception], ...]:
    """Return what onnxruntime raises; its errors have no common base."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        state.EPFail,
        state.EngineError,
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoModel,
        state.NoSuchFile,
        state.NotImplemented,
        state.RuntimeException,
        RuntimeError,
        ValueError,  # inputs of other names than the model's
    )


def _try_once(embedder: Embedder, path: Path) -> None:
    """Run the model on nothing, and refuse it unless a unit vector comes out."""
    vector = embedder.embed_query("")
    if vector.shape != (embedder.dimensions,):
        what = f"the model returns shape {vector.shape} instead of ({embedder.dimensions},)"
        raise ModelUnavailable(what, where=str(path), hint=_REINSTALL)
    if not abs(float(np.linalg.norm(vector)) - 1) < 1e-3:  # false for NaN too
        what = "the model returns vectors that are not of length one"
        raise ModelUnavailable(what, where=str(path), hint=_REINSTALL)
