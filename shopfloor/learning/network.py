"""A policy: two layers of tanh in numpy, small enough to ship and to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shopfloor.learning.errors import PolicyRefused

Array = NDArray[np.float32]
LAYERS = ("w1", "b1", "w2", "b2", "w3", "b3")


@dataclass(frozen=True, eq=False)
class Layers:
    """Weights of two hidden layers and one that answers."""

    w1: Array
    b1: Array
    w2: Array
    b2: Array
    w3: Array
    b3: Array

    @staticmethod
    def drawn(
        random: np.random.Generator, inputs: int, hidden: int, outputs: int, last: float
    ) -> Layers:
        def matrix(rows: int, columns: int, gain: float) -> Array:
            size = max(rows, columns)
            q, _ = np.linalg.qr(random.standard_normal((size, size)))
            return np.ascontiguousarray(gain * q[:rows, :columns], np.float32)

        return Layers(
            matrix(inputs, hidden, 1.4),
            np.zeros(hidden, np.float32),
            matrix(hidden, hidden, 1.4),
            np.zeros(hidden, np.float32),
            matrix(hidden, outputs, last),
            np.zeros(outputs, np.float32),
        )

    @property
    def parts(self) -> list[Array]:
        return [getattr(self, name) for name in LAYERS]

    def hidden(self, seen: Array) -> tuple[Array, Array]:
        first = np.tanh(seen @ self.w1 + self.b1)
        return first, np.tanh(first @ self.w2 + self.b2)

    def answer(self, seen: Array) -> Array:
        return np.asarray(self.hidden(seen)[1] @ self.w3 + self.b3, np.float32)

    def slopes(
        self, seen: Array, first: Array, second: Array, wrong: Array
    ) -> list[Array]:
        """Of a loss by each of ``parts``, given its slope by the answer."""
        into2 = (wrong @ self.w3.T) * (1.0 - second * second)
        into1 = (into2 @ self.w2.T) * (1.0 - first * first)
        return [
            seen.T @ into1,
            into1.sum(axis=0),
            first.T @ into2,
            into2.sum(axis=0),
            second.T @ wrong,
            wrong.sum(axis=0),
        ]


def write(file: Path, layers: Layers) -> None:
    np.savez(
        file,
        allow_pickle=False,
        **{name: part for name, part in zip(LAYERS, layers.parts, strict=True)},
    )


def read(file: Path, inputs: int, outputs: int) -> Layers:
    """PolicyRefused: the file is not there, is no policy, or one for another task."""
    try:
        with np.load(file, allow_pickle=False) as stored:
            parts: Mapping[str, Array] = {name: stored[name] for name in LAYERS}
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise PolicyRefused(f"{file} is no policy: {error}") from None
    layers = Layers(**parts)
    hidden = layers.b1.shape[0] if layers.b1.ndim == 1 else 0
    shapes = [
        (inputs, hidden),
        (hidden,),
        (hidden, hidden),
        (hidden,),
        (hidden, outputs),
        (outputs,),
    ]
    for name, part, shape in zip(LAYERS, layers.parts, shapes, strict=True):
        if part.shape != shape:
            raise PolicyRefused(f"{file}: {name} is {part.shape}, not {shape}")
        if not np.isfinite(part).all():
            raise PolicyRefused(f"{file}: {name} has what is no number")
    return layers
