"""The shipped model: true to the original, the same for a text wherever it stands, safe to fail."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from dmm.embed.model import DATA, SLOW_FUSION, Embedder
from dmm.embed.windows import cut_windows, window_scheme
from dmm.embed.wordpiece import CLS, SEP
from dmm.errors import ModelUnavailable

REFERENCE = Path(__file__).with_name("reference_vectors.json")
HINT = "reinstall dynamic-markdown-memory; until then only keyword retrieval works"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder.load(threads=2)


@pytest.mark.parametrize("name", ["model.onnx", "pairs.onnx"])
def test_the_slow_fusion_is_known_to_the_library_and_switched_off(
    name: str, tmp_path: Path
) -> None:
    def operations(off: Sequence[str]) -> set[str]:
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
        options.log_severity_level = 3
        onnxruntime.InferenceSession(DATA / name, options, disabled_optimizers=off)
        return {node.op_type for node in onnx.load(tmp_path / "optimised.onnx").graph.node}

    assert "SkipLayerNormalization" in operations([])
    assert "SkipLayerNormalization" not in operations([SLOW_FUSION])


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of the data folder for a test to break."""
    for name in ("model.json", "vocab.txt", "model.onnx"):
        shutil.copyfile(DATA / name, tmp_path / name)
    return tmp_path


def replace_model(folder: Path, content: bytes) -> None:
    """Put another model in place, and say so in model.json."""
    (folder / "model.onnx").write_bytes(content)
    about = json.loads((folder / "model.json").read_text())
    digest = hashlib.sha256(content).hexdigest()
    about["files"]["model.onnx"] = {"bytes": len(content), "sha256": digest}
    (folder / "model.json").write_text(json.dumps(about))


def constant_model(vector: list[float], shape: list[int], given: str = "pieces") -> bytes:
    """A model that answers the same whatever it is given."""
    values = helper.make_tensor("values", TensorProto.FLOAT, shape, vector)
    graph = helper.make_graph(
        [helper.make_node("Constant", [], ["vector"], value=values)],
        "constant",
        [helper.make_tensor_value_info(given, TensorProto.INT64, [1, "length"])],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, shape)],
    )
    opsets = [helper.make_opsetid("", 20)]
    model: onnx.ModelProto = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return bytes(model.SerializeToString())


def refusal(folder: Path) -> ModelUnavailable:
    """Load what can't be loaded, and return the error."""
    with pytest.raises(ModelUnavailable) as caught:
        Embedder.load(folder)
    assert caught.value.hint == HINT
    return caught.value


def sample_windows(embedder: Embedder) -> list[list[int]]:
    text = "Restart the worker, read its log, then try the deployment again. " * 40
    header = embedder.encode("Deployment: when a worker hangs")
    return [*cut_windows(header, embedder.encode(text)), *cut_windows([], embedder.encode("short"))]


# --- what it returns ----------------------------------------------------------------------------


def test_the_vectors_are_close_to_those_of_the_unquantised_model(embedder: Embedder) -> None:
    rows = json.loads(REFERENCE.read_text(encoding="utf-8"))
    original = np.array([row["vector"] for row in rows])
    ours = np.array([embedder.embed_query(row["text"]) for row in rows])
    cosines = (original * ours).sum(axis=1) / np.linalg.norm(original, axis=1)
    # int8 rounding differs between kinds of CPU, so the bounds leave room below what is usual.
    assert cosines.min() >= 0.97
    assert cosines.mean() >= 0.985


def test_the_nearest_text_is_the_one_about_the_same_thing(embedder: Embedder) -> None:
    texts = ["how to roll back a release", "the colour of the logo", "who is on call tonight"]
    query = embedder.embed_query("undo a deployment")
    scores = [float(query @ embedder.embed_query(text)) for text in texts]
    assert scores.index(max(scores)) == 0


@pytest.mark.parametrize("text", ["", " ", "one", "\x00", "word " * 100_000, "x" * 1_000_000])
def test_any_text_gives_a_unit_vector(embedder: Embedder, text: str) -> None:
    vector = embedder.embed_query(text)
    assert vector.shape == (384,)
    assert vector.dtype == np.float32
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)


def test_a_query_is_read_up_to_the_models_reach(embedder: Embedder) -> None:
    start = "word " * 254
    longer = embedder.embed_query(start + "never read")
    assert longer.tobytes() == embedder.embed_query(start).tobytes()


def test_a_window_has_the_same_bytes_alone_among_others_and_with_any_threads(
    embedder: Embedder,
) -> None:
    windows = sample_windows(embedder)
    together = embedder.embed_windows(windows)
    alone = [embedder.embed_windows([window])[0] for window in windows]
    assert together.tobytes() == np.array(alone).tobytes()
    backwards = embedder.embed_windows(windows[::-1])[::-1]
    assert together.tobytes() == backwards.tobytes()
    single = Embedder.load(threads=1).embed_windows(windows)
    assert together.tobytes() == single.tobytes()


def test_a_short_text_is_the_same_as_query_and_as_window(embedder: Embedder) -> None:
    text = "how do I run the tests"
    (window,) = cut_windows([], embedder.encode(text))
    query = embedder.embed_query(text)
    assert embedder.embed_windows([window])[0].tobytes() == query.tobytes()


def test_no_windows_give_an_empty_matrix(embedder: Embedder) -> None:
    assert embedder.embed_windows([]).shape == (0, 384)


@pytest.mark.parametrize("length", [0, 257])
def test_a_window_the_model_cannot_read_is_refused(embedder: Embedder, length: int) -> None:
    with pytest.raises(ValueError, match=f"{length} pieces given; the model reads 1 to 256"):
        embedder.embed_windows([[CLS, SEP], [7] * length])


def test_a_piece_the_model_does_not_know_is_an_error_and_leaves_no_thread(
    embedder: Embedder,
) -> None:
    with pytest.raises(ModelUnavailable, match="the model failed to run"):
        embedder.embed_windows([[CLS, 999_999, SEP]] * 4)
    assert workers() == []


def test_the_identity_names_model_build_file_and_windows(embedder: Embedder) -> None:
    digest = hashlib.sha256((DATA / "model.onnx").read_bytes()).hexdigest()
    assert embedder.identity == f"all-MiniLM-L6-v2/int8-1/{digest[:12]}/{window_scheme}"
    assert embedder.dimensions == 384


# --- how it stops -------------------------------------------------------------------------------


class Interrupting(Sequence[list[int]]):
    """Many windows; reading the tenth presses Ctrl-C."""

    def __init__(self) -> None:
        self.read = 0

    def __len__(self) -> int:
        return 10_000

    @overload
    def __getitem__(self, index: int) -> list[int]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[int]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        self.read += 1
        if index == 10:
            os.kill(os.getpid(), 2)
        return [CLS, *[2000] * 100, SEP]


def workers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if "dmm-embed" in thread.name]


def test_ctrl_c_stops_bulk_work_at_once_and_leaves_no_thread(embedder: Embedder) -> None:
    windows = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        embedder.embed_windows(windows)
    assert workers() == []
    assert windows.read < 1000


# --- how it fails -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model.json", "vocab.txt", "model.onnx"])
def test_a_missing_file_is_named(broken: Path, name: str) -> None:
    (broken / name).unlink()
    error = refusal(broken)
    assert error.where == str(broken / name)
    assert error.what == "the embedding model file can't be read: No such file or directory"


def test_a_truncated_model_is_refused(broken: Path) -> None:
    os.truncate(broken / "model.onnx", 1000)
    error = refusal(broken)
    assert error.where == str(broken / "model.onnx")
    assert error.what == "the file has 1000 bytes instead of 22985214"


@pytest.mark.parametrize("name", ["vocab.txt", "model.onnx"])
def test_a_file_with_one_wrong_byte_is_refused(broken: Path, name: str) -> None:
    content = bytearray((broken / name).read_bytes())
    content[len(content) // 2] ^= 1
    (broken / name).write_bytes(content)
    assert refusal(broken).what == "the file is damaged: its sha256 is not the one in model.json"


def test_garbage_that_model_json_vouches_for_is_refused(broken: Path) -> None:
    replace_model(broken, b"garbage" * 100)
    error = refusal(broken)
    assert error.what.startswith("the embedding model failed to load: ")
    assert error.where == str(broken / "model.onnx")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": "x"}', "\x00"])
def test_a_damaged_description_is_refused(broken: Path, text: str) -> None:
    (broken / "model.json").write_text(text)
    assert refusal(broken).what.startswith("the description of the embedding model is damaged: ")


def test_a_model_of_other_dimensions_is_refused(broken: Path) -> None:
    replace_model(broken, constant_model([1.0, 0.0], [1, 2]))
    assert refusal(broken).what == "the model returns shape (2,) instead of (384,)"


def test_a_model_with_other_inputs_is_refused(broken: Path) -> None:
    replace_model(broken, constant_model([0.0] * 384, [1, 384], given="letters"))
    assert refusal(broken).what.startswith("the model failed to run: ")


@pytest.mark.parametrize("value", [float("nan"), 0.0, 1.0])
def test_a_model_without_unit_vectors_is_refused(broken: Path, value: float) -> None:
    replace_model(broken, constant_model([value] * 384, [1, 384]))
    assert refusal(broken).what == "the model returns vectors that are not of length one"


def test_a_missing_onnxruntime_is_an_unavailable_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert refusal(DATA).what.startswith("onnxruntime can't be imported: ")


def test_importing_the_package_imports_nothing_heavy() -> None:
    program = (
        "import sys, dmm.embed; print({'numpy', 'onnxruntime', 'tiktoken'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"set()\n"
