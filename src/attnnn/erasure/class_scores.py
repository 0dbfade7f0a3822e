"""What a token's attention weight does to each class: slopes, and contributions to logits. No torch here."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attnnn.readout.readout import Readout, Values, probabilities_of
from attnnn.tables.ragged import Ragged, blocks

# Numbers held in one array, which bounds memory.
_HELD = 1 << 21


def class_gradients(attention: Ragged, readout: Readout) -> Ragged:
    """Slope of every class's probability in each attention weight, the others held fixed.

    Args:
        attention: the model's own weights of the n tokens, used as they are.
        readout: of the same documents.

    Returns:
        ∂p_c/∂α_t, signed, shape (tokens, classes), with α taken as free numbers: no softmax, no
        renormalisation. Two classes have two columns, of opposite sign. Slopes of saturated probabilities
        keep their digits too, as long as they are above 1e-300.

    Source: Serrano & Smith 2019, section 5.1, for the predicted class.
    """
    found = np.empty((len(attention.values), readout.classes))
    for tokens, slopes, _ in _gradients(attention, readout):
        found[tokens] = slopes
    return attention.with_values(found)


def decision_gradient(attention: Ragged, readout: Readout) -> Ragged:
    """Slope of the predicted class's probability in each attention weight, shape (tokens,).

    Args:
        attention: the model's own weights of the n tokens.
        readout: of the same documents.

    Returns:
        ∂ max p / ∂α_t, one column of `class_gradients`.

    Source: Serrano & Smith 2019, section 5.1.
    """
    found = np.empty(len(attention.values))
    for tokens, slopes, predicted in _gradients(attention, readout):
        found[tokens] = _of_document(slopes, predicted)
    return attention.with_values(found)


def _gradients(
    attention: Ragged, readout: Readout
) -> Iterator[tuple[slice, Values, NDArray[np.int64]]]:
    """Some tokens at a time: which, the slopes of every class, the predicted class of their document."""
    for some, tokens in _parts(attention, readout):
        part, here = readout.take(some), attention.take(some)
        context = part.context(here)
        alone = part.projected.values.astype(np.float64)
        if part.layer is not None:
            steepness = 1.0 - np.tanh(context + part.layer.offset) ** 2
            alone = (alone * steepness[here.documents]) @ part.layer.weight.T
        logits, alone = two_columns(part.logits(context)), two_columns(alone)
        predicted = logits.argmax(axis=1)[here.documents]
        probability = probabilities_of(logits)[here.documents]
        # A sum of p_k (s^c − s^k) over the other classes does not cancel when c is nearly certain.
        alone = alone - _of_document(alone, predicted)[:, None]
        mean = (probability * alone).sum(axis=1, keepdims=True)
        yield tokens, probability * (alone - mean), predicted


def class_contributions(readout: Readout) -> Ragged:
    """What each token would add to the logit of every class, against the other classes, under full attention.

    With s_t^c the projected state, this is s_t^c − mean of s_t^k over the other classes k that may be the
    answer; times α_t it is the contribution to the prediction, as Σ α_t s_t^c is the logit but for the bias.
    The mean is subtracted because s_t^c alone is arbitrary: adding one number to all of a token's logits
    changes no probability, yet reorders tokens by s_t^c. The mean is the reference that favours no rival, and
    with two classes it gives s_t^1 − s_t^0, the log-odds, as a readout of one output has them: its two
    columns are −s_t and s_t.

    Args:
        readout: linear in the attention.

    Returns:
        Shape (tokens, classes). NaN for a class that may not be the answer, or is the only one.

    Raises:
        ValueError: the readout is that of a corpus of pairs, whose logits are no sum over tokens.
    """
    if not readout.linear:
        raise ValueError(
            "contributions to logits exist where these are linear in the attention; found a layer between"
        )
    found = np.empty((len(readout.projected.values), readout.classes))
    for some, tokens in _parts(readout.projected, readout):
        part = readout.take(some)
        alone = two_columns(part.projected.values.astype(np.float64), half=True)
        others = readout.classes - 1
        if part.allowed is not None:
            allowed = part.allowed[part.projected.documents]
            alone = np.where(allowed, alone, 0.0)
            others = allowed.sum(axis=1, keepdims=True) - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            against = (alone.sum(axis=1, keepdims=True) - alone) / others
        if part.allowed is not None:
            against = np.where(allowed, against, np.nan)
        found[tokens] = alone - against
    return readout.projected.with_values(found)


def weighted(attention: Ragged, score: Ragged) -> Ragged:
    """Attention × score: α·contribution, attention × gradient.

    Args:
        attention: weights of the n tokens.
        score: of the same tokens, shape (tokens,) or (tokens, classes).

    Returns:
        The shape of the score, float64.
    """
    weight = attention.values.astype(np.float64)
    wide = weight if score.values.ndim == 1 else weight[:, None]
    return score.with_values(wide * score.values.astype(np.float64))


def of_class(scores: Ragged, classes: NDArray[np.int64]) -> Ragged:
    """Of scores for every class, those of one class for each document.

    Args:
        scores: shape (tokens, classes).
        classes: shape (documents,).

    Returns:
        Shape (tokens,).
    """
    return scores.with_values(_of_document(scores.values, classes[scores.documents]))


def predicted_classes(attention: Ragged, readout: Readout) -> NDArray[np.int64]:
    """The predicted class in double precision, shape (documents,); of two equal ones the first."""
    logits: Values = two_columns(readout.logits(readout.context(attention)))
    return np.asarray(logits.argmax(axis=1))


def two_columns(logits: Values, *, half: bool = False) -> Values:
    """One output as the logits of two classes, (0, l), or (−l/2, l/2) if `half`; more as they are.

    Args:
        logits: shape (*, outputs).
        half: centre the two.

    Returns:
        Shape (*, classes).
    """
    if logits.shape[-1] > 1:
        return logits
    return np.concatenate([-logits / 2, logits / 2] if half else [logits * 0, logits], axis=-1)


def _of_document(values: NDArray[np.generic], column: NDArray[np.int64]) -> Values:
    return values[np.arange(len(values)), column].astype(np.float64)


def _parts(tokens: Ragged, readout: Readout) -> Iterator[tuple[NDArray[np.int64], slice]]:
    """Runs of documents whose numbers are held at a time, and where their tokens are."""
    width = max(readout.projected.values.shape[1], readout.classes)
    for cut in blocks(tokens.lengths, max(1, _HELD // width)):
        where = slice(tokens.offsets[cut.start], tokens.offsets[cut.stop])
        yield np.arange(cut.start, cut.stop), where
