"""The part of a study's configuration that a prepared corpus depends on."""

from __future__ import annotations

from typing import Literal

from attnnn.study.settings import TokenizerName
from attnnn.study.sources import Source
from attnnn.study.sources.base import Strict


class PrepareSettings(Strict):
    """How a corpus is prepared; see `study.settings.Corpus` and `study.protocol`."""

    source: Source
    tokenizer: TokenizerName
    min_df: int
    min_length: int | None
    max_length: int | None
    vocab_fit: Literal["train", "all"]
    train_part: Literal["minus_dev", "undivided"]
    strict_length_filter: bool
