"""Figure 1 of Jain & Wallace 2019: a text under the model's own attention and under adversarial attention."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from attnnn.exhibits.drawing.document import (
    ShownDocument,
    shade_bar,
    shortened,
    shown_document,
)
from attnnn.exhibits.drawing.style import BLACK, PAGE, new_figure
from attnnn.exhibits.finished import Floats, Results

# Of a text; the latter beside more than six other corpora's, and of questions.
MOST_TOKENS, MOST_TOKENS_OF_MANY = 40, 20
_NAMES = ("original attention", "searched adversary", "{known} adversary")
_CHARACTERS, _GAP = 35, 4  # characters of a line of one text, and between two texts
_LINE, _NARROW_LINE = 0.15, 0.125  # inches from line to line; the latter with many corpora
_LONGEST_WORD = 20  # characters
_NEIGHBOURS = 2  # tokens shown on either side of an attended one
_ELLIPSIS = -1
_COLOURS = colormaps["Reds"]
_DARK = 0.6  # share of the largest weight from which white is read better than black


def document_of(results: Results, corpus: str) -> ShownDocument:
    """The document of a corpus that is shown, under the exact adversary too unless it is a pair of texts."""
    pairs = results.study.corpora[corpus].source.pairs
    return shown_document(results, corpus, None if pairs else results.exact(corpus))


def chosen_tokens(attention: Floats, most: int = MOST_TOKENS) -> NDArray[np.int64]:
    """Positions of the tokens to show: all of a short text, else the most attended ones with neighbours.

    Tokens of a long text are taken in the order of their largest share of any vector's largest weight, each
    with `_NEIGHBOURS` tokens on either side, while there is room.

    Args:
        attention: shape (vectors, n).
        most: room, in tokens.

    Returns:
        Ascending.
    """
    n = attention.shape[1]
    if n <= most:
        return np.arange(n)
    shares = (attention / attention.max(axis=1, keepdims=True)).max(axis=0)
    chosen: set[int] = set()
    for token in np.argsort(-shares, kind="stable").tolist():
        more = chosen | set(range(max(token - _NEIGHBOURS, 0), min(token + _NEIGHBOURS + 1, n)))
        if len(more) > most:
            break
        chosen = more
    return np.array(sorted(chosen))


def laid_out(tokens: list[str], width: int) -> list[tuple[int, int]]:
    """Line and first character of each token in lines of `width` characters, one space between tokens."""
    places: list[tuple[int, int]] = []
    line, column = 0, 0
    for token in tokens:
        if column and column + len(token) > width:
            line, column = line + 1, 0
        places.append((line, column))
        column += len(token) + 1
    return places


def opening(results: Results) -> Figure:
    """One document per corpus, its text once for each vector: the model's own and adversarial attention."""
    corpora = list(results.study.corpora)
    many = len(corpora) > 6
    most, line = (MOST_TOKENS_OF_MANY, _NARROW_LINE) if many else (MOST_TOKENS, _LINE)
    readings = [document_of(results, corpus) for corpus in corpora]
    shown = [_shown(reading, most) for reading in readings]
    heights = [
        line * (_lines(words, _question_words(reading)) + 4)
        for (_, words), reading in zip(shown, readings, strict=True)
    ]
    figure = new_figure(PAGE, sum(heights) + 0.75)
    axes = figure.subplots(
        len(corpora), 1, squeeze=False, gridspec_kw={"height_ratios": heights}
    ).ravel()
    for axis, corpus, reading, (positions, words) in zip(
        axes, corpora, readings, shown, strict=True
    ):
        _panel(axis, corpus, reading, positions, words)
    shades = ScalarMappable(cmap=_COLOURS)
    shades.set_clim(0, 1)
    shade_bar(figure, axes, shades, "its text")
    return figure


def _shown(reading: ShownDocument, most: int) -> tuple[list[int], list[str]]:
    """Positions and words to show, `_ELLIPSIS` where tokens between are left out."""
    positions: list[int] = []
    for position in chosen_tokens(reading.attention, most).tolist():
        if position != (positions[-1] + 1 if positions else 0):
            positions.append(_ELLIPSIS)
        positions.append(position)
    if positions[-1] != len(reading.tokens) - 1:
        positions.append(_ELLIPSIS)
    return positions, [
        "…" if position == _ELLIPSIS else shortened(reading.tokens[position], _LONGEST_WORD)
        for position in positions
    ]


def _lines(*texts: list[str]) -> int:
    """Lines that the longest of some texts takes."""
    return max(laid_out(words, _CHARACTERS)[-1][0] + 1 for words in texts if words)


def _question_words(reading: ShownDocument) -> list[str]:
    """Words of the question to show: all, or the first of a long one."""
    words = [shortened(word, _LONGEST_WORD) for word in reading.question or []]
    return words if len(words) <= MOST_TOKENS_OF_MANY else [*words[:MOST_TOKENS_OF_MANY], "…"]


def _panel(
    axis: Axes, corpus: str, reading: ShownDocument, positions: list[int], words: list[str]
) -> None:
    places, lines = laid_out(words, _CHARACTERS), _lines(words, _question_words(reading))
    axis.set_xlim(0, 3 * _CHARACTERS + 2 * _GAP)
    axis.set_ylim(lines + 0.6, -2.2)
    axis.set_axis_off()
    axis.set_title(_heading(corpus, reading, positions), loc="left")
    for which, name in enumerate(_NAMES[: len(reading.attention)]):
        left = which * (_CHARACTERS + _GAP)
        relative = reading.attention[which] / reading.attention[which].max()
        axis.text(
            left,
            -1.6,
            name.format(known=reading.known),
            va="center",
            fontsize=7.5,
            fontweight="bold",
        )
        axis.text(left, -0.55, _numbers(reading, which, positions), va="center", fontsize=7)
        for (line, column), word, position in zip(places, words, positions, strict=True):
            share = None if position == _ELLIPSIS else float(relative[position])
            _word(axis, left + column, line, word, share)
    if reading.question is not None:
        left, question = 2 * (_CHARACTERS + _GAP), _question_words(reading)
        axis.text(left, -1.6, "asked of this text", va="center", fontsize=7.5, fontweight="bold")
        for (line, column), word in zip(laid_out(question, _CHARACTERS), question, strict=True):
            _word(axis, left + column, line, word, None)


def _word(axis: Axes, x: float, line: int, word: str, share: float | None) -> None:
    """A word on its shade; a word left out has none."""
    if share is not None:
        corner, width = (x - 0.35, line + 0.08), len(word) + 0.7
        axis.add_patch(Rectangle(corner, width, 0.84, facecolor=_COLOURS(share), edgecolor="none"))
    axis.text(
        x + len(word) / 2,
        line + 0.5,
        word,
        ha="center",
        va="center",
        fontsize=7,
        family="DejaVu Sans Mono",
        color="white" if share is not None and share > _DARK else BLACK,
    )


def _heading(corpus: str, reading: ShownDocument, positions: list[int]) -> str:
    n, shown = len(reading.tokens), sum(position != _ELLIPSIS for position in positions)
    answer = reading.answer if reading.question is None else f"answer: {reading.answer}"
    text = f"{corpus}, document {reading.document}, {answer}, ε = {reading.epsilon:g}"
    if shown < n:
        text += f": {shown} of {n} tokens"
    if not reading.found:
        text += " (the search found nothing: its text has the model's own attention)"
    return text


def _numbers(reading: ShownDocument, which: int, positions: list[int]) -> str:
    parts = [f"p {reading.probability[which]:.2f}"]
    if which:
        parts.append(f"JSD {reading.jsd[which]:.2f}")
    parts.append(f"max α {reading.attention[which].max():.2f}")
    kept = [position for position in positions if position != _ELLIPSIS]
    if len(kept) < len(reading.tokens):
        parts.append(f"shown {100 * reading.attention[which, kept].sum():.0f} %")
    return ", ".join(parts)
