"""Correlate attention with the importance of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attnnn.dag import work
from attnnn.dag.stage import Artifact, Job, Output, Stage
from attnnn.errors import UserError
from attnnn.stages.measure import METHODS
from attnnn.stages.measure import STAGE as MEASURE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.sources.base import Strict
from attnnn.tables import analyses
from attnnn.tables.ragged import Ragged, blocks

if TYPE_CHECKING:
    from attnnn.readout.predictions import Predictions
    from attnnn.readout.readout import Readout

# Scores about a class, which follow from attention and what follows the states.
CLASS_SCORES = ("attention_gradient", "contribution")
# If more classes may be the answer, the table has the predicted one alone (see `analyses.CORRELATION`).
MOST_CLASSES = 20
# Numbers held in one array of scores, which bounds memory.
_HELD = 1 << 21
# Keeps these draws apart from other uses of a run's seed.
_SHUFFLE_STREAM = 3


class CorrelateSettings(Strict):
    """Nothing of the configuration changes a correlation."""


def correlate(job: Job[CorrelateSettings]) -> None:
    """Correlate attention with the importance of tokens (Kendall's τ-b), and these with one another."""
    from attnnn.importance.correlated import correlate_classes, correlate_pairs, joined
    from attnnn.measures import top_k_of
    from attnnn.readout.predictions import read_test_predictions

    predictions, readout = read_test_predictions(job.path("predictions"))
    scores = {"attention": predictions.attention}
    for method in METHODS:
        table = job.read(method)
        if not np.array_equal(table["document"].to_numpy(), predictions.document):
            raise UserError(
                f"{job.path(method)}: its documents are not those of {job.path('predictions')}; "
                "delete it and run again"
            )
        scores[method] = Ragged.from_arrow(table["importance"])
    generator = np.random.default_rng([job.run.seed, _SHUFFLE_STREAM])
    columns = correlate_pairs(
        predictions.document, predictions.predicted, scores, generator=generator
    )
    parts, k = [columns], top_k_of(predictions.attention.lengths)
    kept = kept_classes(predictions, readout)
    for rows, by_class in class_scores(predictions, readout):
        parts.append(
            correlate_classes(
                predictions.document[rows],
                predictions.predicted[rows],
                {name: score.take(rows) for name, score in scores.items()},
                by_class,
                kept[rows],
                k=k,
                generator=generator,
            )
        )
    job.write("correlation", joined(parts))


def class_scores(
    predictions: Predictions, readout: Readout | None
) -> Iterator[tuple[NDArray[np.int64], dict[str, Ragged]]]:
    """The scores of `CLASS_SCORES`, of some documents at a time: which, and by name.

    - ``attention_gradient``, α_t·∂p_c/∂α_t: what the probability of class c loses to first order when the
      token's weight goes;
    - ``contribution``, α_t (s_t^c − mean of the other classes): what the token adds to the logit of class c
      against the others.

    Both are signed, above 0 where a token supports the class. With two classes the first is p(1−p) times the
    second, so that they rank the tokens of a document alike; with more they differ.

    Args:
        predictions: of the test split.
        readout: of the same documents; None: nothing is known but attention and probabilities.

    Yields:
        Scores of shape (tokens, classes), NaN where they are not defined: contributions in models of pairs,
        whose logits are no sum over tokens, and both without a readout.

    Source: Serrano & Smith 2019, section 5.1 (attention × gradient, of the predicted class); the
    contributions are beyond the paper.
    """
    from attnnn.erasure.class_scores import class_contributions, class_gradients, weighted

    attention = predictions.attention
    classes = _classes(predictions, readout)
    width = classes if readout is None else max(classes, readout.projected.values.shape[1])
    for cut in blocks(attention.lengths, max(1, _HELD // width)):
        rows = np.arange(cut.start, cut.stop)
        own = attention.take(rows)
        unknown = own.with_values(np.full((len(own.values), classes), np.nan))
        found = dict.fromkeys(CLASS_SCORES, unknown)
        if readout is not None:
            part = readout.take(rows)
            found["attention_gradient"] = weighted(own, class_gradients(own, part))
            if part.linear:
                found["contribution"] = weighted(own, class_contributions(part))
        yield rows, found


def predicted_scores(predictions: Predictions, readout: Readout | None) -> dict[str, Ragged | None]:
    """The scores of `CLASS_SCORES` about the predicted class, one for every token; None where undefined."""
    from attnnn.erasure.class_scores import of_class

    parts = [
        {name: of_class(score, predictions.predicted[rows]) for name, score in of_all.items()}
        for rows, of_all in class_scores(predictions, readout)
    ]
    found = {}
    for name in CLASS_SCORES:
        values = np.concatenate([np.zeros(0), *(part[name].values for part in parts)])
        defined = not np.isnan(values).all()
        found[name] = predictions.attention.with_values(values) if defined else None
    return found


def kept_classes(predictions: Predictions, readout: Readout | None) -> NDArray[np.bool_]:
    """The classes that the table has scores about, shape (documents, classes).

    All that may be the answer, if no document has more than `MOST_CLASSES` of them; else, and without a
    readout, the predicted one.
    """
    documents, classes = len(predictions.document), _classes(predictions, readout)
    if readout is not None:
        allowed = np.ones((documents, classes), np.bool_)
        if readout.allowed is not None:
            allowed = readout.allowed
        if allowed.sum(axis=1).max(initial=0) <= MOST_CLASSES:
            return allowed
    return np.asarray(predictions.predicted[:, None] == np.arange(classes))


def _classes(predictions: Predictions, readout: Readout | None) -> int:
    if readout is None:
        return int(predictions.predicted.max(initial=0)) + 1
    return readout.classes


def _compared(study: Study, run: Run) -> int:
    """Rows of the table for each document."""
    classes = work.classes_of(study, run)
    return 3 + 3 * len(CLASS_SCORES) * (classes if classes <= MOST_CLASSES else 1)


def _reads(study: Study, run: Run) -> dict[str, Artifact]:
    importance = {method: MEASURE.made(method, run) for method in METHODS}
    return {"predictions": TRAIN.made("predictions", run), **importance}


STAGE = Stage(
    verb="correlate",
    about="run",
    does=correlate,
    writes={
        "correlation": Output(
            "correlation/{corpus}/{model}/seed-{seed}.parquet", (analyses.CORRELATION,)
        )
    },
    settings=lambda study, run: CorrelateSettings(),
    reads=_reads,
    after=(TRAIN, MEASURE),
    group="analyses",
    # Rates are those of three pairs.
    work=lambda study, run, size: {
        "starts": 1.0,
        "documents": _compared(study, run) / 3 * len(size.lengths("test")) / 1e6,
        "tokens": _compared(study, run) / 3 * float(size.lengths("test").sum()) / 1e6,
    },
    size=lambda study, run, size: (
        work.FOOTER + 20.0 * _compared(study, run) * len(size.lengths("test"))
    ),
)
