"""λ beside the points of a sweep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attnnn.exhibits.drawing.labels import place_labels
from attnnn.exhibits.finished import Floats
from attnnn.study.model import format_lambda

_ONE_SPOT = 1.5  # points: marks this close cannot be told apart
_CORNERS = ((0.02, 0.98), (0.3, 0.98), (0.55, 0.98), (0.55, 0.5))  # in shares of the panel


def label_lambdas(
    axis: Axes,
    sweep: Floats,
    lambdas: Sequence[float],
    *,
    marks: Floats,
    lines: Sequence[Floats],
    colour: str,
) -> None:
    """Label the points of a sweep; those that print on one spot share a label.

    Args:
        axis: the panel, its layout final.
        sweep: shape (lambdas, 2), in data units.
        lambdas: ascending.
        marks: what labels must not cover, shape (marks, 2).
        lines: polylines that labels must not cover.
        colour: of the labels.
    """
    groups = coinciding(axis, sweep)
    texts = [_joint(lambdas[first : last + 1]) for first, last in groups]
    # The ends first: they are what a reader looks for.
    order = list(dict.fromkeys([0, len(groups) - 1, *range(len(groups))]))
    left_out = place_labels(
        axis,
        sweep[[groups[i][0] for i in order]],
        [texts[i] for i in order],
        marks=marks,
        lines=lines,
        colour=colour,
    )
    if left_out:
        _say_left_out(axis, [text for text in texts if text in left_out], marks)


def short(lambda_: float) -> str:
    """λ in few characters: 0, .001, 5e-4."""
    text = format_lambda(lambda_)
    if lambda_ and lambda_ < 1e-3:
        mantissa, _, exponent = f"{lambda_:e}".partition("e")
        text = f"{float(mantissa):g}e{int(exponent)}"
    return text.removeprefix("0") or "0"


def coinciding(axis: Axes, sweep: Floats) -> list[tuple[int, int]]:
    """First and last index of each run of points that print on one spot."""
    figure = axis.figure
    assert isinstance(figure, Figure)
    steps = np.diff(axis.transData.transform(sweep), axis=0)
    apart = np.hypot(*steps.T) > _ONE_SPOT * figure.dpi / 72
    starts = [0, *(int(i) + 1 for i in np.flatnonzero(apart))]
    return list(zip(starts, [*(start - 1 for start in starts[1:]), len(sweep) - 1], strict=True))


def _joint(lambdas: Sequence[float]) -> str:
    return "–".join(dict.fromkeys(short(value) for value in (lambdas[0], lambdas[-1])))


def _say_left_out(axis: Axes, texts: Sequence[str], marks: Floats) -> None:
    """Name the λ that found no room, far from all marks; table 5 has their numbers."""
    places = axis.transAxes.inverted().transform(axis.transData.transform(marks))
    centres = np.array(_CORNERS) + np.array([0.2, -0.08])
    distances = np.linalg.norm(places[None] - centres[:, None], axis=-1).min(axis=1)
    x, y = _CORNERS[int(np.argmax(distances))]
    note = f"no room to label\nλ = {', '.join(texts)}"
    axis.text(x, y, note, transform=axis.transAxes, fontsize=7, ha="left", va="top")
