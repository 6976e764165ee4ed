"""The network in PyTorch: a BERT-like encoder over both texts, with a head for each question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from tools.pairs.rows import ANSWERS
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

QUESTIONS = tuple(ANSWERS)
MOST_ANSWERS = max(map(len, ANSWERS.values()))
DROPOUT = 0.1
BUCKETS, FARTHEST = 32, 128  # of the relative positions of MPNet


@dataclass(frozen=True)
class Shape:
    """The measures of an encoder; `relative` is MPNet, which also sees relative positions."""

    layers: int
    width: int
    words: int
    positions: int
    relative: bool
    epsilon: float


SHAPES = {
    "student": Shape(6, 384, 30_522, 512, relative=False, epsilon=1e-12),
    "teacher": Shape(12, 768, 30_527, 514, relative=True, epsilon=1e-5),
}
# Where the parts of a layer are found in the published weights.
PARTS = {
    "query": ("attention.self.query", "attention.attn.q"),
    "key": ("attention.self.key", "attention.attn.k"),
    "value": ("attention.self.value", "attention.attn.v"),
    "mix": ("attention.output.dense", "attention.attn.o"),
    "norm": ("attention.output.LayerNorm", "attention.LayerNorm"),
    "inner": ("intermediate.dense", "intermediate.dense"),
    "outer": ("output.dense", "output.dense"),
    "last": ("output.LayerNorm", "output.LayerNorm"),
}


class Layer(nn.Module):
    """One transformer layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.query, self.key, self.value, self.mix = (nn.Linear(width, width) for _ in range(4))
        self.inner, self.outer = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm, self.last = (nn.LayerNorm(width, eps=shape.epsilon) for _ in range(2))

    def forward(self, value: Tensor, bias: Tensor) -> Tensor:
        """Mix the pieces, then work on each."""
        batch, length, width = value.shape
        drop = DROPOUT if self.training else 0.0

        def heads(part: Tensor) -> Tensor:
            return part.view(batch, length, 12, width // 12).transpose(1, 2)

        mixed = F.scaled_dot_product_attention(
            heads(self.query(value)),
            heads(self.key(value)),
            heads(self.value(value)),
            attn_mask=bias,
            dropout_p=drop,
        )
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        value = self.norm(value + F.dropout(self.mix(mixed), drop, self.training))
        hidden = self.outer(F.gelu(self.inner(value)))
        return self.last(value + F.dropout(hidden, drop, self.training))


class Network(nn.Module):
    """Word pieces of two texts in; one row of scores for each question out."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.shape = shape = SHAPES[name]
        self.words = nn.Embedding(shape.words, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.segments = nn.Embedding(2, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.relative = nn.Embedding(BUCKETS, 12) if shape.relative else None
        self.pool = nn.Linear(2 * shape.width, shape.width)
        self.heads = nn.Linear(shape.width, len(QUESTIONS) * MOST_ANSWERS)
        for part in (self.pool, self.heads):
            nn.init.normal_(part.weight, std=0.02)
            nn.init.zeros_(part.bias)
        nn.init.zeros_(self.segments.weight)

    def load_base(self, paths: Iterable[Path]) -> None:
        """Take the published weights over."""
        weights = read_packed(paths)
        kind = int(self.shape.relative)
        with torch.no_grad():
            self.words.weight.copy_(weights["embeddings.word_embeddings.weight"])
            self.positions.weight.copy_(weights["embeddings.position_embeddings.weight"])
            if self.relative is None:
                self.segments.weight.copy_(weights["embeddings.token_type_embeddings.weight"])
            else:
                self.relative.weight.copy_(weights["encoder.relative_attention_bias.weight"])
            _copy(self.norm, weights, "embeddings.LayerNorm")
            for number, layer in enumerate(self.layers):
                for part, names in PARTS.items():
                    _copy(getattr(layer, part), weights, f"encoder.layer.{number}.{names[kind]}")

    def forward(self, pieces: Tensor, used: Tensor, segments: Tensor) -> Tensor:
        """Score; `used` is one where there is a piece, zero where there is padding."""
        length = pieces.shape[1]
        if self.relative is None:
            places = torch.arange(length, device=pieces.device)[None]
        else:
            places = torch.cumsum(used, 1) * used + 1
        value = self.words(pieces) + self.positions(places) + self.segments(segments)
        value = F.dropout(self.norm(value), DROPOUT, self.training)
        bias = (1 - used[:, None, None, :].to(value.dtype)) * -1e4
        if self.relative is not None:
            bias = bias + self.relative(buckets(length, pieces.device)).permute(2, 0, 1)[None]
        if torch.is_autocast_enabled():
            bias = bias.to(torch.bfloat16)
        for layer in self.layers:
            value = layer(value, bias)
        value, weight = value.float(), used[:, :, None].float()
        mean = (value * weight).sum(1) / weight.sum(1)
        pooled = torch.tanh(self.pool(torch.cat([value[:, 0], mean], 1)))
        scores = self.heads(F.dropout(pooled, DROPOUT, self.training))
        return scores.view(-1, len(QUESTIONS), MOST_ANSWERS)


def buckets(length: int, device: torch.device) -> Tensor:
    """Number the distances between pieces: near ones exactly, far ones roughly."""
    places = torch.arange(length, device=device)
    distance = places[:, None] - places[None, :]
    half = BUCKETS // 2
    exact = half // 2
    far = exact + (
        torch.log(distance.abs().clamp(min=1).float() / exact)
        / math.log(FARTHEST / exact)
        * (half - exact)
    ).long().clamp(max=half - exact - 1)
    near = distance.abs() < exact
    return (distance < 0).long() * half + torch.where(near, distance.abs(), far)


def _copy(part: nn.Linear | nn.LayerNorm, weights: dict[str, Tensor], name: str) -> None:
    part.weight.copy_(weights[f"{name}.weight"])
    part.bias.copy_(weights[f"{name}.bias"])


def read_packed(paths: Iterable[Path]) -> dict[str, Tensor]:
    """Unpack weights that were stored in blocks of eight-bit numbers."""
    stored: dict[str, NDArray[np.generic]] = {}
    for path in paths:
        with np.load(path) as part:
            stored |= {name: part[name] for name in part.files}
    weights = {}
    for name, value in stored.items():
        if name.endswith("|blocks"):
            scale = stored[name.replace("|blocks", "|scale")].astype(np.float32)
            whole = value.astype(np.float32) * scale
            weights[name.removesuffix("|blocks")] = torch.from_numpy(whole.reshape(len(whole), -1))
        elif not name.endswith("|scale"):
            weights[name] = torch.from_numpy(value.astype(np.float32))
    return weights
