"""The panels of figures of erased attention weights: one per corpus and model."""

from __future__ import annotations

from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attnnn.exhibits.drawing.style import (
    COLUMN,
    PAGE,
    hide_unused,
    name_axes,
    new_figure,
    panel_grid,
)
from attnnn.exhibits.drawn_erasures import drawn_runs, label_of
from attnnn.exhibits.finished import Results
from attnnn.study.config import Study
from attnnn.study.model import Run

_ACROSS = 4  # panels in a row, at most
_LONGEST = 28  # characters of a title in one line
_TALLEST = 10.0  # inches that a figure tries to fit in
_LOWEST = 1.0  # inches of a row of panels, at least


def erasure_panels(
    results: Results, height: float, below: float = 0.55
) -> tuple[Figure, dict[Axes, Run]]:
    """A panel per corpus and model in the rows of `rows_of_runs`.

    Args:
        results: the study's tables.
        height: of a panel with its title, inches; less where a page has no room.
        below: inches under the panels.
    """
    rows = rows_of_runs(results.study)
    columns = max(len(row) for row in rows)
    height = max(_LOWEST, min(height, (_TALLEST - below) / len(rows)))
    figure = new_figure(COLUMN if columns == 1 else PAGE, height * len(rows) + below)
    grid = figure.subplots(len(rows), columns, squeeze=False)
    panels: dict[Axes, Run] = {}
    for axes, row in zip(grid, rows, strict=True):
        hide_unused(axes[len(row) :])
        panels |= dict(zip(axes, row, strict=False))
    return figure, panels


def rows_of_runs(study: Study) -> list[list[Run]]:
    """The drawn runs of all corpora as rows of panels.

    Where a corpus has more models than a row holds, those that attend to sentences and those that attend
    to tokens stand in rows of their own. Two corpora share no row, unless there is one model of each.
    """
    of_corpora = [drawn_runs(study, corpus) for corpus in study.corpora]
    most = _ACROSS
    if all(len(runs) == 1 for runs in of_corpora):
        rows = [[run for (run,) in of_corpora]]
        _, most = panel_grid(len(of_corpora))
    else:
        rows = [row for runs in of_corpora for row in _rows_of_one(runs)]
    return [row[start : start + most] for row in rows for start in range(0, len(row), most)]


def _rows_of_one(runs: list[Run]) -> list[list[Run]]:
    if len(runs) <= _ACROSS:
        return [runs]
    return [list(row) for _, row in groupby(sorted(runs, key=_to_tokens), key=_to_tokens)]


def _to_tokens(run: Run) -> bool:
    return not run.model.kind.hierarchical


def name_panels(panels: dict[Axes, Run], x: str, y: str) -> None:
    """Name the axes, and give numbers to those that are named."""
    name_axes(dict.fromkeys(panels, x), y)
    for axis in panels:
        place = axis.get_subplotspec()
        assert place is not None
        axis.tick_params(labelbottom=bool(axis.get_xlabel()), labelleft=place.is_first_col())


def title_of(run: Run) -> str:
    """Corpus and model, in two lines if one is too long."""
    names = run.corpus, label_of(run.model)
    text = ", ".join(names)
    return text if len(text) <= _LONGEST else "\n".join(names)
