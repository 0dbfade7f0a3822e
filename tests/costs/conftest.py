"""A study of one planted corpus whose amounts of work can be reckoned by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnnn.dag.work import CorpusSize
from attnnn.study.config import Study, validate

MakeStudy = Callable[..., Study]


@pytest.fixture
def make_study(tmp_path: Path) -> MakeStudy:
    def make(corpus: dict[str, Any] | None = None, **changes: Any) -> Study:
        planted = {
            "source": {"kind": "planted", "regime": "lexical"},
            "embedding": {"kind": "random", "dimension": 3},
        }
        content = {
            "results_dir": str(tmp_path / "results"),
            "corpora_dir": str(tmp_path),
            "device": "cpu",
            "corpora": {"toy": {**planted, **(corpus or {})}},
            "papers": ["wiegreffe-pinter"],
            "training": {"epochs": 2, "batch_size": 4, "hidden_size": 2},
            "switches": {"adv_epochs": 5, "adv_seed": "same"},
            "seeds": [50],
            "lambdas": [0, 0.001],
            **changes,
        }
        return validate(content, where="test")

    return make


@pytest.fixture
def size() -> CorpusSize:
    """Ten training documents of 6 tokens, three dev ones of 4, two test ones of 3 and 5."""
    splits = {"train": np.full(10, 6), "dev": np.full(3, 4), "test": np.array([3, 5])}
    return CorpusSize(splits, vocabulary=11, read=90.0, origin="by hand")
