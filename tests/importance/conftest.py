"""Small classifiers (in double precision unless attention is imposed) and a few short documents."""

import numpy as np
import pytest

from attnnn.models.classifier import build
from attnnn.tables.ragged import Ragged

LENGTHS = [3, 1, 7, 2, 12, 5, 7]


@pytest.fixture
def tokens():
    rng = np.random.default_rng(0)
    return Ragged.from_lengths(rng.integers(4, 20, sum(LENGTHS)), LENGTHS)


@pytest.fixture
def imposed(tokens):
    """Attention from outside; on the last document all of it on one token."""
    rng = np.random.default_rng(1)
    weights = Ragged.from_lengths(rng.random(len(tokens.values)), LENGTHS)
    weights.values[-7:] = [0, 0, 0, 1, 0, 0, 0]
    return weights.with_values(weights.values / weights.sums()[weights.documents])


@pytest.fixture
def make_classifier():
    def make(encoder, attention):
        classifier = build(
            encoder=encoder,
            attention=attention,
            vocabulary=20,
            dimension=6,
            hidden_size=4,
            seed=3,
        ).eval()
        return classifier if attention == "imposed" else classifier.double()

    return make
