"""Figure 2 of Wiegreffe & Pinter 2019: three attention maps of one document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from attnnn.exhibits.drawing.style import PAGE, PALE, new_figure
from attnnn.exhibits.finished import Floats, Results, require_same_documents
from attnnn.measures import jensen_shannon_divergence
from attnnn.study.runs import base_run, guide_runs, guiding_run
from attnnn.tables.ragged import Ragged

WIDEST = 25  # tokens that fit a line of print
_FEWEST = 12  # columns that a panel has room for at least
_LONGEST_WORD = 14  # characters
_ROWS = ("base model", "searched adv.", "trained adv.")


@dataclass(frozen=True)
class Maps:
    """The attention that three models pay to one document.

    Attributes:
        document: its number.
        label: gold class, which the base model predicts too wherever it gets any document right.
        tokens: all n of them.
        attention: base, searched adversary, trained adversary; shape (3, n).
        probability: of class 1, shape (3,).
        jsd: of the base model's attention, nats, shape (3,).
        found: whether the search found an adversary for this document.
    """

    document: int
    label: int
    tokens: list[str]
    attention: Floats
    probability: Floats
    jsd: Floats
    found: bool


def choose_document(results: Results, corpus: str) -> int:
    """The row of the test document to show.

    Of the documents that the base model gets right and that the search found an adversary for, and of
    these, where there are any, those of at most `WIDEST` tokens: the one of the length nearest to the
    median test document's; of several, the first. A condition that no document meets is waived.
    """
    base = results.predictions(base_run(results.study, corpus))
    lengths = base.ragged("attention").lengths
    eligible = np.ones(len(base), dtype=np.bool_)
    for condition in (
        base.predicted == base.ints("label"),
        results.searched(corpus).flags("found"),
        lengths <= WIDEST,
    ):
        if (eligible & condition).any():
            eligible &= condition
    distance = np.where(eligible, np.abs(lengths - np.median(lengths)), np.inf)
    return int(np.argmin(distance))


def maps_of(results: Results, corpus: str) -> Maps:
    """The three maps of the chosen document of a corpus."""
    study = results.study
    guide = guiding_run(study.base_seed, guide_runs(study, corpus)["adversary"])
    assert guide is not None
    base = results.predictions(base_run(study, corpus))
    searched, trained = results.searched(corpus), results.predictions(guide)
    documents = results.documents(corpus)
    require_same_documents(base, searched, trained, documents)
    row = choose_document(results, corpus)
    tables = (base, searched, trained)
    attention = np.stack([table.ragged("attention")[row] for table in tables]).astype(np.float64)
    three = Ragged.from_lists(attention)
    own = Ragged.from_lists([attention[0]] * len(tables))
    return Maps(
        document=int(base.ints("document")[row]),
        label=int(base.ints("label")[row]),
        tokens=documents.texts("tokens")[row],
        attention=attention,
        probability=np.array([table.floats("probability")[row] for table in tables]),
        jsd=jensen_shannon_divergence(three, own),
        found=bool(searched.flags("found")[row]),
    )


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
    bar = figure.colorbar(
        image, ax=axes, location="bottom", shrink=0.35, aspect=30, pad=0.02, fraction=0.05
    )
    bar.set_label("attention weight, relative to the largest of the panel")
    bar.outline.set_linewidth(0.4)
    return figure


def _panel(axis: Axes, corpus: str, maps: Maps, columns: int) -> QuadMesh:
    shown = excerpt(maps.attention)
    weights, tokens = maps.attention[:, shown], maps.tokens[shown]
    relative = weights / maps.attention.max()
    image = axis.pcolormesh(relative, cmap="Blues", vmin=0, vmax=1, edgecolors=PALE, linewidth=0.4)
    axis.set_xlim(0, columns)
    axis.set_ylim(3, 0)
    axis.set_xticks(np.arange(len(tokens)) + 0.5, [_shortened(token) for token in tokens])
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


def _heading(axis: Axes, corpus: str, maps: Maps, shown: slice) -> None:
    n = len(maps.tokens)
    text = f"{corpus}, document {maps.document}, class {maps.label}"
    if shown.stop - shown.start < n:
        text += f": tokens {shown.start + 1}–{shown.stop} of {n}"
    if not maps.found:
        text += " (no adversary found for any document: its row is the base model's)"
    axis.set_title(text, loc="left")


def _figures_beside(axis: Axes, maps: Maps, shown: slice) -> None:
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
        # In points from the edge of the panel: the layout then knows how much room they take.
        for row, cell in [(-0.35, name), *((row + 0.5, cell) for row, cell in enumerate(cells))]:
            axis.annotate(
                cell,
                (1, row),
                xycoords=("axes fraction", "data"),
                xytext=(24 + 29 * place, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=7,
            )


def _shortened(token: str) -> str:
    return token if len(token) <= _LONGEST_WORD else token[: _LONGEST_WORD - 1] + "…"
