"""Tables for people: the same cells as Markdown and as LaTeX (booktabs)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from attnnn.exhibits.facts import Fact
from attnnn.study.config import Study
from attnnn.study.protocol import PRESETS


@dataclass(frozen=True)
class Cell:
    """Text of one cell, in plain characters (λ, τ, ±), and whether it is the best of its kind."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table laid out for people.

    Attributes:
        caption: what it shows, under which protocol, on how many documents.
        columns: the header.
        rows: cells, as many a row as there are columns; an empty row is a rule between groups.
        text_columns: how many of the first columns hold text; the others are set to the right.
        notes: sentences under the table.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    text_columns: int = 1
    notes: Sequence[str] = field(default_factory=tuple)

    def markdown(self) -> str:
        """The table for a page."""
        aligned = ["---"] * self.text_columns + ["---:"] * (len(self.columns) - self.text_columns)
        body = [[_markdown(cell) for cell in row] for row in self.rows if row]
        lines = [_piped(row) for row in [[_escape_pipe(c) for c in self.columns], aligned, *body]]
        text = [self.caption, "", *lines]
        for note in self.notes:
            text += ["", note]
        return "\n".join(text) + "\n"

    def latex(self, name: str) -> str:
        """The table for a paper, shrunk to the line where it is wider; needs booktabs and graphicx.

        One of more rows than fit a page goes on in a further table, from the next group of rows on.

        Args:
            name: of the table, which its label is made of.
        """
        notes = " ".join(latex_text(note) for note in self.notes)
        caption = latex_text(self.caption)
        label = f"tab:{name.replace('_', '-')}"
        tables = []
        for place, rows in enumerate(_pages(self.rows)):
            above = (
                rf"\caption{{{caption}{' ' + notes if notes else ''}}}"
                + "\n"
                + rf"\label{{{label}}}"
            )
            if place:
                above = rf"Table~\ref{{{label}}}, continued.\par\smallskip"
            tables.append(self._latex_table(above, rows))
        return "\n".join(tables)

    def _latex_table(self, above: str, rows: Sequence[Sequence[Cell | str]]) -> str:
        alignment = "l" * self.text_columns + "r" * (len(self.columns) - self.text_columns)
        body = [
            " & ".join(_latex(cell) for cell in row) + r" \\" if row else r"\midrule"
            for row in rows
        ]
        return "\n".join(
            [
                r"\begin{table}[t]",
                r"\centering\small",
                above,
                r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
                rf"\begin{{tabular}}{{{alignment}}}",
                r"\toprule",
                " & ".join(latex_text(name) for name in self.columns) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}%",
                "}",
                r"\end{table}",
                "",
            ]
        )


_ROWS_A_PAGE = 48


def _pages(rows: Sequence[Sequence[Cell | str]]) -> list[list[Sequence[Cell | str]]]:
    """The rows of each page; a group is divided only if it fills more than a page by itself."""
    groups: list[list[Sequence[Cell | str]]] = [[]]
    for row in rows:
        if row and len(groups[-1]) < _ROWS_A_PAGE:
            groups[-1].append(row)
        else:
            groups.append([row] if row else [])
    pages = [groups[0]]
    for group in groups[1:]:
        if len(pages[-1]) + 1 + len(group) <= _ROWS_A_PAGE:
            pages[-1] += [[], *group]
        else:
            pages.append(group)
    return pages


_LATEX = {
    "\\": r"\textbackslash{}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "λ": r"$\lambda$",
    "τ": r"$\tau$",
    "ε": r"$\varepsilon$",
    "α": r"$\alpha$",
    "Δ": r"$\Delta$",
    "Σ": r"$\Sigma$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "−": r"$-$",
    "∞": r"$\infty$",
    "½": r"$\frac{1}{2}$",
    "→": r"$\to$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "|": r"$|$",
}


def latex_text(text: str) -> str:
    """Plain text with every character that LaTeX reads otherwise escaped."""
    return "".join(_LATEX.get(character, character) for character in text)


def _latex(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return latex_text(cell)
    return rf"\textbf{{{latex_text(cell.text)}}}" if cell.bold else latex_text(cell.text)


def _markdown(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return _escape_pipe(cell)
    return f"**{_escape_pipe(cell.text)}**" if cell.bold else _escape_pipe(cell.text)


def _escape_pipe(text: str) -> str:
    return text.replace("|", "\\|")


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def number(value: float | None, digits: int = 3) -> str:
    """A number for people: a dash where there is none."""
    if value is None:
        return "–"
    if math.isnan(value):
        return "NaN"
    shown = f"{value:.{digits}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown


def measured(
    fact: Fact | None, digits: int = 3, *, interval: bool = True, published: bool = True
) -> str:
    """A fact for people: value [low, high] (published), what there is of it."""
    if fact is None:
        return "–"
    parts = [number(fact.value, digits)]
    if interval and fact.low is not None and fact.high is not None:
        parts.append(f"[{number(fact.low, digits)}, {number(fact.high, digits)}]")
    if published and fact.published is not None:
        parts.append(f"({number(fact.published, digits)})")
    return " ".join(parts)


def best(facts: Sequence[Fact | None], digits: int = 3) -> list[Fact]:
    """The facts of the largest value, several where they print alike; none where there is no rival."""
    known = {
        fact: number(fact.value, digits)
        for fact in facts
        if fact is not None and fact.value is not None and not math.isnan(fact.value)
    }
    if len(known) < 2:
        return []
    largest = max(known.values(), key=float)
    return [fact for fact, printed in known.items() if printed == largest]


def protocol_phrase(study: Study) -> str:
    """Which protocol made the numbers, for captions: the preset and every switch that departs from it."""
    phrases = {name: _one_protocol(study, name) for name in study.corpora}
    distinct = list(dict.fromkeys(phrases.values()))
    if len(distinct) == 1:
        return f"Protocol {distinct[0]}."
    parts = [
        f"{', '.join(name for name in phrases if phrases[name] == phrase)}: {phrase}"
        for phrase in distinct
    ]
    return f"Protocols by corpus — {'; '.join(parts)}."


def _one_protocol(study: Study, corpus: str) -> str:
    name = study.protocol_name_of(corpus)
    set_here = {**study.switches, **study.corpora[corpus].switches}
    resolved = study.protocol_of(corpus)
    preset = resolved.model_validate(PRESETS[name])
    changed = [
        f"{switch} = {getattr(resolved, switch)}"
        for switch in set_here
        if getattr(resolved, switch) != getattr(preset, switch)
    ]
    return name + (f" with {', '.join(changed)}" if changed else "")
