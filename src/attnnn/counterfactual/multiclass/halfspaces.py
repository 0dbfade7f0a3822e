"""Half-spaces of attention vectors that hold every attention within ε, of any readout of K classes.

A slab (see `slabs`) bounds Σ_c m_c logit_c from both sides. Where logits are linear in the attention
its two sides are half-spaces. The readout of pairs has a tanh layer between: logit = W tanh(z) + b with
z = Σ_t attention_t · projected_t + offset. Each z_j stays between its lowest and highest value over
the tokens, and there tanh lies between two lines: a chord or a tangent, whichever bounds it. With these
lines in place of tanh, each side of a slab becomes a half-space again, larger than what it stands for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.multiclass.points import MulticlassDocuments
from attnnn.counterfactual.multiclass.slabs import class_slabs

Values = NDArray[np.float64]

# Halvings that find where a tangent meets the other end of its range; whatever they leave is made up for.
_HALVINGS = 40


def half_spaces(documents: MulticlassDocuments, epsilon: float) -> tuple[Values, Values]:
    """Directions and bounds of half-spaces (or slabs) of the sums of projected states.

    Returns:
        Directions, shape (documents, spaces, width), and lowest and highest value of direction · sum of
        projected states, shape (documents, spaces, 2), one of them infinite for a half-space.
    """
    readout = documents.readout
    weights, bounds = class_slabs(documents.own, epsilon, readout.allowed)
    bounds = bounds - (weights @ readout.bias)[..., None]
    if readout.layer is None:
        return weights, bounds
    lowest, highest = (extremes + readout.layer.offset for extremes in documents.ranges())
    through = documents.context + readout.layer.offset
    lines = _upper_line(lowest, highest, through), _lower_line(lowest, highest, through)
    units = weights @ readout.layer.weight
    below, at_most = _side(units, lines, readout.layer.offset, bounds[..., 1])
    above, at_least = _side(-units, lines, readout.layer.offset, -bounds[..., 0])
    nothing = np.full_like(at_most, -np.inf)
    return (
        np.concatenate([below, above], axis=1),
        np.concatenate(
            [np.stack([nothing, at_most], axis=-1), np.stack([nothing, at_least], axis=-1)], axis=1
        ),
    )


def _side(
    units: Values, lines: tuple[tuple[Values, Values], ...], offset: Values, bound: Values
) -> tuple[Values, Values]:
    """Σ_j u_j tanh(z_j) ≤ bound, a line below each term: direction · projected sum ≤ what is left."""
    (up, up_at), (low, low_at) = lines
    rising = units > 0
    slope = np.where(rising, low[:, None], up[:, None]) * units
    height = np.where(rising, low_at[:, None], up_at[:, None]) * units
    return slope, bound - height.sum(axis=-1) - (slope @ offset[..., None])[..., 0]


def _upper_line(lowest: Values, highest: Values, through: Values) -> tuple[Values, Values]:
    """Slope and height at 0 of a line above tanh between two values, near it at a third where it can be.

    Above 0 tanh is concave, so a tangent is above it; so is a tangent further left as long as it has not
    met the curve below 0 again. Where no tangent does that, the chord is above.
    """
    touch = np.maximum(lowest, 0.0)
    far = np.maximum(highest, touch)
    for _ in range(_HALVINGS):
        middle = (touch + far) / 2
        meets = _tangent(middle, lowest) < np.tanh(lowest)
        touch, far = np.where(meets, middle, touch), np.where(meets, far, middle)
    # `far` is on the safe side; at the very end of the range it may not be safe, and the chord is.
    far = np.where(lowest >= 0, lowest, far)
    safe = (_tangent(far, lowest) >= np.tanh(lowest)) & (highest > 0)
    at = np.clip(through, far, np.maximum(highest, far))
    width = np.where(highest > lowest, highest - lowest, 1.0)
    chord = np.where(highest > lowest, (np.tanh(highest) - np.tanh(lowest)) / width, 0.0)
    slope = np.where(safe, 1 - np.tanh(at) ** 2, chord)
    return slope, np.where(safe, np.tanh(at) - slope * at, np.tanh(highest) - slope * highest)


def _lower_line(lowest: Values, highest: Values, through: Values) -> tuple[Values, Values]:
    """The same below it: tanh is odd."""
    slope, height = _upper_line(-highest, -lowest, -through)
    return slope, -height


def _tangent(at: Values, place: Values) -> Values:
    """The height at `place` of the tangent to tanh at `at`."""
    value = np.tanh(at)
    return np.asarray(value + (1 - value**2) * (place - at))
