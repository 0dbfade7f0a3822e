"""Figure 2 of Wiegreffe & Pinter 2019: three attention maps of one document."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from attnnn.exhibits.drawing.document import (
    WIDEST,
    ShownDocument,
    shade_bar,
    shortened,
    shown_document,
)
from attnnn.exhibits.drawing.style import PAGE, PALE, new_figure, write_beside
from attnnn.exhibits.finished import Floats, Results
from attnnn.study.runs import guide_runs, guiding_run

_FEWEST = 12  # columns that a panel has room for at least
_LONGEST_WORD = 14  # characters
_ROWS = ("base model", "searched adv.", "trained adv.")


def maps_of(results: Results, corpus: str) -> ShownDocument:
    """The three maps of the chosen document of a corpus, the last one of a trained adversary."""
    study = results.study
    guide = guiding_run(study.base_seed, guide_runs(study, corpus)["adversary"])
    assert guide is not None
    return shown_document(results, corpus, results.predictions(guide))


def excerpt(attention: Floats) -> slice:
    """The `WIDEST` neighbouring tokens that hold the most weight, all maps together."""
    n = attention.shape[1]
    if n <= WIDEST:
        return slice(0, n)
    mass = np.convolve(attention.sum(axis=0), np.ones(WIDEST), mode="valid")
    start = int(np.argmax(mass))
    return slice(start, start + WIDEST)


def attention_maps(results: Results) -> Figure:
    """One panel per corpus: tokens from left to right, one line per model."""
    corpora = list(results.study.corpora)
    figure = new_figure(PAGE, 1.32 * len(corpora) + 0.45)
    axes = figure.subplots(len(corpora), 1, squeeze=False).ravel()
    maps = [maps_of(results, corpus) for corpus in corpora]
    # Columns are equally wide in every panel, so that documents of any length look alike.
    columns = max(_FEWEST, *(len(one.tokens[excerpt(one.attention)]) for one in maps))
    for axis, corpus, one in zip(axes, corpora, maps, strict=True):
        image = _panel(axis, corpus, one, columns)
    shade_bar(figure, axes, image, "the panel")
    return figure


def _panel(axis: Axes, corpus: str, maps: ShownDocument, columns: int) -> QuadMesh:
    shown = excerpt(maps.attention)
    weights, tokens = maps.attention[:, shown], maps.tokens[shown]
    relative = weights / maps.attention.max()
    image = axis.pcolormesh(relative, cmap="Blues", vmin=0, vmax=1, edgecolors=PALE, linewidth=0.4)
    axis.set_xlim(0, columns)
    axis.set_ylim(3, 0)
    axis.set_xticks(
        np.arange(len(tokens)) + 0.5, [shortened(token, _LONGEST_WORD) for token in tokens]
    )
    axis.tick_params(axis="x", rotation=55, length=0, pad=1)
    for label in axis.get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")
    axis.set_yticks([0.5, 1.5, 2.5], _ROWS)
    axis.tick_params(axis="y", length=0)
    axis.spines[:].set_visible(False)
    _heading(axis, corpus, maps, shown)
    _figures_beside(axis, maps, shown)
    return image


def _heading(axis: Axes, corpus: str, maps: ShownDocument, shown: slice) -> None:
    n = len(maps.tokens)
    text = f"{corpus}, document {maps.document}, {maps.answer}"
    if shown.stop - shown.start < n:
        text += f": tokens {shown.start + 1}–{shown.stop} of {n}"
    if not maps.found:
        text += " (no adversary found for any document: its row is the base model's)"
    axis.set_title(text, loc="left")


def _figures_beside(axis: Axes, maps: ShownDocument, shown: slice) -> None:
    """Columns at the right: probability of class 1, JSD to base, largest weight, share of weight shown."""
    largest, mass = maps.attention.max(axis=1), maps.attention[:, shown].sum(axis=1)
    columns = {
        "p": [f"{value:.2f}" for value in maps.probability],
        "JSD": ["–", *(f"{value:.2f}" for value in maps.jsd[1:])],
        "max α": [f"{value:.2f}" for value in largest],
    }
    if shown.stop - shown.start < len(maps.tokens):
        columns["shown"] = [f"{100 * value:.0f} %" for value in mass]
    for place, (name, cells) in enumerate(columns.items()):
        for row, cell in [(-0.35, name), *((row + 0.5, cell) for row, cell in enumerate(cells))]:
            write_beside(axis, row, cell, points=24 + 29 * place, align="right")
