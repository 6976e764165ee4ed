"""Write the trained student as an int8 graph with only the head for notes: pairs.onnx, pairs.json.

weights*.npz ─→ fp32 graph ─→ int8 graph ─→ pairs.onnx
                                   hash ──→ pairs.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto, helper
from tools.build_model import DATA, LAYERS, Graph, add_layer, quantise, to_bytes
from tools.pairs.rows import ANSWERS

if TYPE_CHECKING:
    import onnx
    from tools.build_model import Weights

NAME, VERSION = "pairs", "1"
MOST_PIECES = 256  # of both texts and the marks
PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mix": "attention.output.dense",
    "norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "last": "output.LayerNorm",
}


def read_trained(folder: Path) -> Weights:
    """Join the parts that training wrote, under the names that the graph knows."""
    pieces: dict[str, list[tuple[int, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]] = {}
    for path in sorted(folder.glob("weights*.npz")):
        with np.load(path) as stored:
            for name in stored.files:
                whole, _, row = name.rpartition("|")
                part = stored[name].astype(np.float32)
                pieces.setdefault(_published(whole), []).append((int(row), part))
    return {
        name: np.concatenate([part for _, part in sorted(parts, key=lambda one: one[0])])
        for name, parts in pieces.items()
    }


def _published(name: str) -> str:
    first, *rest = name.split(".")
    if first == "layers":
        number, part, kind = rest
        return f"encoder.layer.{number}.{PARTS[part]}.{kind}"
    return f"embeddings.LayerNorm.{rest[0]}" if first == "norm" else name


def build_graph(weights: Weights) -> onnx.ModelProto:
    """Write the network: pieces of two texts in, the chances of the three answers out."""
    graph = Graph(weights)
    value = _embed(graph)
    for number in range(LAYERS):
        value = add_layer(graph, value, f"encoder.layer.{number}", joined=False)
    axis = graph.constant("axis.pieces", np.array([1], np.int64))
    mean = graph.node("ReduceMean", value, axis, keepdims=0)
    start = graph.constant("first", np.array([0], np.int64))
    first = graph.node("ReduceSum", graph.node("Slice", value, start, axis, axis), axis, keepdims=0)
    pooled = graph.node("Tanh", graph.dense(graph.node("Concat", first, mean, axis=1), "pool"))
    count = len(ANSWERS["note"])
    at = list(ANSWERS).index("note") * count
    head = graph.constant("head.w", graph.weight("heads.weight")[at : at + count].T)
    bias = graph.constant("head.b", graph.weight("heads.bias")[at : at + count])
    scores = graph.node("Add", graph.node("MatMul", pooled, head), bias)
    graph.node("Softmax", scores, output="chances", axis=1)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [1, "length"])
        for name in ("pieces", "segments")
    ]
    outputs = [helper.make_tensor_value_info("chances", TensorProto.FLOAT, [1, count])]
    return graph.close(NAME, inputs, outputs)


def _embed(graph: Graph) -> str:
    words = graph.constant("words", graph.weight("words.weight"))
    positions = graph.constant("positions", graph.weight("positions.weight")[:MOST_PIECES])
    segments = graph.constant("texts", graph.weight("segments.weight"))
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", "pieces", start=1, end=2)
    used = graph.node("Slice", positions, zero, length, zero)
    placed = graph.node("Add", graph.node("Gather", words, "pieces"), used)
    summed = graph.node("Add", placed, graph.node("Gather", segments, "segments"))
    return graph.normalise(summed, "embeddings.LayerNorm")


def main() -> None:
    """Build the files, and the fp32 graph where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trained", type=Path, required=True, help="folder with the weights")
    parser.add_argument("--out", type=Path, default=DATA, help="folder to write to")
    parser.add_argument("--reference", type=Path, help="also write the fp32 graph to this file")
    options = parser.parse_args()
    graph = build_graph(read_trained(options.trained))
    if options.reference:
        options.reference.write_bytes(to_bytes(graph))
    with tempfile.TemporaryDirectory() as folder:
        content = to_bytes(quantise(graph, Path(folder)))
    (options.out / "pairs.onnx").write_bytes(content)
    about = {
        "name": NAME,
        "version": VERSION,
        "max_pieces": MOST_PIECES,
        "answers": list(ANSWERS["note"]),
        "files": {
            "pairs.onnx": {
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        },
    }
    (options.out / "pairs.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
