"""The papers' own outputs: Jain & Wallace's code run on SST, everything it computed stored."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
import torch

from attnnn.models.classifier import Classifier
from attnnn.tables.ragged import Ragged

FILE = "sst_bilstm_additive.npz"
SYMBOLS = 1  # one start and one end symbol around the real tokens


@dataclass(frozen=True)
class Reference:
    """The stored arrays; per-token ones without the start and end symbols."""

    arrays: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def per_token(self, name: str) -> Ragged:
        whole = Ragged(self.arrays[name], self.arrays["offsets"])
        length = whole.lengths[whole.documents]
        real = (whole.positions >= SYMBOLS) & (whole.positions < length - SYMBOLS)
        return Ragged.from_lengths(whole.values[real], whole.lengths - 2 * SYMBOLS)

    @cached_property
    def tokens(self) -> Ragged:
        return self.per_token("token_ids")

    @cached_property
    def classifier(self) -> Classifier:
        """Our classifier with the stored weights."""
        weights = {
            name.removeprefix("weight."): torch.from_numpy(array)
            for name, array in self.arrays.items()
            if name.startswith("weight.")
        }
        vocabulary, dimension = weights["embedding"].shape
        hidden_size = weights["lstm_forward_weight_hh"].shape[1]
        classifier = Classifier(
            encoder="bilstm",
            attention="additive",
            vocabulary=vocabulary,
            dimension=dimension,
            hidden_size=hidden_size,
        )
        state = {
            "embedding.weight": weights["embedding"],
            "attention.hidden.weight": weights["attention_hidden_weight"],
            "attention.hidden.bias": weights["attention_hidden_bias"],
            "attention.score.weight": weights["attention_score_weight"],
            "decoder.weight": weights["output_weight"],
            "decoder.bias": weights["output_bias"],
        }
        for ours, theirs in [("left_to_right", "forward"), ("right_to_left", "backward")]:
            for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                state[f"encoder.{ours}.{part}_l0"] = weights[f"lstm_{theirs}_{part}"]
        classifier.load_state_dict(state)
        return classifier.eval()


@pytest.fixture(scope="session")
def reference() -> Reference:
    folder = os.environ.get("ATTNNN_REFERENCE")
    if not folder:
        pytest.skip("ATTNNN_REFERENCE names no folder")
    with np.load(Path(folder) / FILE) as stored:
        return Reference(dict(stored))
