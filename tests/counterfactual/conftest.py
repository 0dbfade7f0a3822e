"""A study with hand-made predictions of a base run and of one with another seed."""

import numpy as np
import pytest

from attnnn.study.config import validate
from attnnn.study.runs import base_run
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import write_blocks
from tests.support import Layout

LENGTHS = [4, 6, 5, 1, 8, 3, 2]
SPLITS = ["train", "test", "test", "test", "dev", "test", "test"]
BIAS = 0.25


def write_predictions(study, run, seed):
    """Random attention and contributions with the logits that follow from them."""
    rng = np.random.default_rng(seed)
    attention = Ragged.from_lists([rng.dirichlet(np.ones(n)) for n in LENGTHS], np.float32)
    contribution = attention.with_values(rng.normal(0, 2, sum(LENGTHS)).astype(np.float32))
    logit = attention.with_values(attention.values * contribution.values).sums() + BIAS
    columns = {
        "document": np.arange(len(LENGTHS)) + 100,
        "split": SPLITS,
        "label": np.zeros(len(LENGTHS), np.int64),
        "logit": logit.astype(np.float32),
        "probability": (1 / (1 + np.exp(-logit))).astype(np.float32),
        "attention": attention,
        "contribution": [
            row if split == "test" else None
            for row, split in zip(contribution, SPLITS, strict=True)
        ],
    }
    path = Layout(study.results_dir).predictions_of(run)
    arrays = {"bias": np.array([BIAS], np.float32)}
    write_blocks(path, schemas.PREDICTIONS, [columns], made_by={}, arrays=arrays)
    return columns


@pytest.fixture
def make_study(tmp_path):
    def make(**changes):
        content = {
            "results_dir": str(tmp_path),
            "corpora": {"tiny": {"source": {"kind": "planted", "regime": "lexical"}}},
            "searched_adversary": {"steps": 30},
            "epsilons": [0.01, 0.2],
            **changes,
        }
        return validate(content, where="test")

    return make


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def base(study):
    return write_predictions(study, base_run(study, "tiny"), seed=0)
