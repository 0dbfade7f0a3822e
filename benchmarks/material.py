"""Generated inputs: documents of real lengths, words by Zipf's law, and a model like a trained one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from attnnn.models.classifier import Classifier, build
from attnnn.models.documents import SPECIAL_SYMBOLS
from attnnn.models.inputs import Inputs
from attnnn.models.prediction import Predicted, predict
from attnnn.readout.readout import Readout
from attnnn.tables.ragged import Ragged

SizeName = Literal["sst", "imdb", "long", "quick"]


@dataclass(frozen=True)
class Size:
    """Shape of a corpus and of the model that reads it.

    Attributes:
        train: training documents.
        test: test documents.
        shortest: fewest tokens of a document, start and end symbols not counted.
        longest: most tokens.
        shape: the two parameters of the Beta distribution of lengths between these.
        vocabulary: number of ids.
        dimension: of a word vector.
        hidden: states of each LSTM direction.
    """

    train: int
    test: int
    shortest: int
    longest: int
    shape: tuple[float, float] = (1.0, 1.0)
    vocabulary: int = 13_826
    dimension: int = 300
    hidden: int = 128


# Documents, lengths and vocabularies are those of the papers' SST and IMDb after their filters.
SIZES: dict[SizeName, Size] = {
    "sst": Size(train=6_355, test=1_725, shortest=6, longest=47, shape=(1.43, 3.2)),
    "imdb": Size(17_195, 4_341, shortest=7, longest=399, shape=(2.3, 2.9), vocabulary=12_573),
    "long": Size(train=64, test=32, shortest=2_000, longest=2_000, vocabulary=12_573),
    "quick": Size(64, 40, shortest=3, longest=12, vocabulary=60, dimension=8, hidden=4),
}

# Spread of word vectors, log attention and w·h, and mean forget bias, as in a model trained on SST by
# the papers' code, so that searches, pruning and forgetting have the work they have in a study.
_VECTOR_SCALE = 0.24
_LOG_ATTENTION_SPREAD = 1.0
_CONTRIBUTION_SPREAD = 2.0
_FORGET_BIAS = 1.25


@dataclass(frozen=True)
class Material:
    """One generated corpus and its classifier.

    Attributes:
        train: token ids of training documents.
        label: their classes.
        test: token ids of test documents, shortest first, as the papers' code has them.
        classifier: with weights drawn at random, scaled like trained ones.
    """

    train: Ragged
    label: NDArray[np.int64]
    test: Ragged
    classifier: Classifier

    @cached_property
    def predictions(self) -> Predicted:
        """The classifier's predictions of the test documents."""
        return predict(self.classifier, Inputs(self.test))

    @property
    def readout(self) -> Readout:
        """What follows the states of the test documents."""
        contribution = self.predictions.contribution
        projected = contribution.with_values(contribution.values[:, None])
        return Readout(projected, np.array([self.classifier.bias]))

    @property
    def device(self) -> torch.device:
        """Where the classifier is."""
        return self.classifier.device


def generate(size: Size, *, device: str, seed: int = 0) -> Material:
    """Draw a corpus and a classifier; the same for the same arguments.

    Args:
        size: how large.
        device: ``cpu`` or ``cuda``, where the classifier is put.
        seed: of all random numbers.
    """
    rng = np.random.default_rng(seed)
    train = _documents(size.train, size, rng)
    test = _documents(size.test, size, rng)
    test = test.take(np.argsort(test.lengths, kind="stable"))
    classifier = build(
        encoder="bilstm",
        attention="additive",
        vocabulary=size.vocabulary,
        dimension=size.dimension,
        hidden_size=size.hidden,
        seed=seed,
        scale=_VECTOR_SCALE,
    ).eval()
    _scale_like_trained(classifier, test.take(np.linspace(0, size.test - 1, 32).astype(int)))
    label = rng.integers(0, 2, size=size.train)
    label[:2] = 0, 1  # both classes, however few documents
    return Material(train, label, test, classifier.to(device))


def _documents(count: int, size: Size, rng: np.random.Generator) -> Ragged:
    spread = size.longest - size.shortest
    lengths = size.shortest + np.rint(spread * rng.beta(*size.shape, size=count)).astype(np.int64)
    rank = np.arange(1, size.vocabulary - SPECIAL_SYMBOLS + 1)
    words = rng.choice(len(rank), size=int(lengths.sum()), p=(1 / rank) / (1 / rank).sum())
    return Ragged.from_lengths((words + SPECIAL_SYMBOLS).astype(np.int32), lengths)


@torch.no_grad()
def _scale_like_trained(classifier: Classifier, documents: Ragged) -> None:
    hidden = classifier.encoder.width // 2
    for name, parameter in classifier.encoder.named_parameters():
        if "bias_hh" in name:
            parameter[hidden : 2 * hidden] += _FORGET_BIAS  # gates stand in the order i, f, g, o
    seen = predict(classifier, Inputs(documents))
    scores = seen.attention.with_values(np.log(seen.attention.values))
    score = classifier.get_parameter("attention.score.weight")
    score.mul_(_LOG_ATTENTION_SPREAD / _spread_within(scores))
    classifier.get_parameter("decoder.weight").mul_(
        _CONTRIBUTION_SPREAD / _spread_within(seen.contribution)
    )


def _spread_within(values: Ragged) -> float:
    centred = values.values.astype(np.float64) - values.means()[values.documents]
    return float(np.sqrt(np.mean(centred**2)))
