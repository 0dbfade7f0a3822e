"""Entry points of the room: write one table or one figure in all its formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attnnn.dag import layout, targets
from attnnn.errors import UserError
from attnnn.exhibits.long_table import LongTable
from attnnn.exhibits.results import Results
from attnnn.exhibits.typeset import Sheet
from attnnn.study.config import Study
from attnnn.tables import store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Facts = Callable[[Results], LongTable]
_Layout = Callable[[Results, LongTable], Sheet]


def write_table(study: Study, name: str) -> None:
    """Write a table as csv (one long shape), md and tex (for people).

    Args:
        study: the study, whose `targets.needs` of this table are finished.
        name: one of `layout.TABLES`.

    Raises:
        UserError: a file it needs is missing or of another version, or the study has nothing to show in it.
        KeyError: no table has that name.
    """
    facts, laid_out = _tables()[name]
    results, paths = _results(study, name), layout.Layout(study.results_dir)
    table = facts(results)
    sheet = laid_out(results, table)
    for form, text in (("csv", table.csv()), ("md", sheet.markdown()), ("tex", sheet.latex())):
        store.write_text(paths.table(name, form), text)


def write_figure(study: Study, name: str) -> None:
    """Write a figure as pdf and png.

    Args:
        study: the study, whose `targets.needs` of this figure are finished.
        name: one of `layout.FIGURES`.

    Raises:
        UserError: a file it needs is missing or of another version, or the study has nothing to show in it.
        KeyError: no figure has that name.
    """
    from attnnn.exhibits.style import house_style, save, settle

    paths = layout.Layout(study.results_dir)
    with house_style():
        figure = _figures()[name](_results(study, name))
        settle(figure)
        for form in layout.FIGURE_FORMATS:
            save(figure, paths.figure(name, form), form)


def _results(study: Study, name: str) -> Results:
    """Of the corpora that the table or figure is about."""
    corpora = targets.corpora_of(study, name)
    if not corpora:
        also = ", log_odds: {run: true}" if name == layout.LOG_ODDS else ""
        raise UserError(
            f"{name}: no corpus of this study is shown in it; it wants its paper among papers{also}, and a "
            "corpus that these experiments are run on"
        )
    return Results(study.of_corpora(corpora))


def _tables() -> dict[str, tuple[_Facts, _Layout]]:
    from attnnn.exhibits import (
        table_adversary,
        table_corpora,
        table_correlation,
        table_jw_corpora,
        table_jw_correlation,
        table_jw_evidence,
        table_jw_grid,
        table_jw_log_odds,
        table_permutation,
        table_planted,
        tables_f1,
        tables_sweep,
    )

    return {
        "jw_table1": (table_jw_corpora.characteristics, table_jw_corpora.characteristics_sheet),
        "jw_table2": (
            table_jw_correlation.first_correlations,
            table_jw_correlation.first_correlations_sheet,
        ),
        "jw_evidence": (table_jw_evidence.evidence, table_jw_evidence.evidence_sheet),
        "jw_grid": (table_jw_grid.grid, table_jw_grid.grid_sheet),
        layout.LOG_ODDS: (table_jw_log_odds.log_odds, table_jw_log_odds.log_odds_sheet),
        "table1": (table_corpora.dataset_statistics, table_corpora.dataset_statistics_sheet),
        "table2": (tables_f1.lstm_f1, tables_f1.lstm_f1_sheet),
        "table3": (tables_f1.guided_f1, tables_f1.guided_f1_sheet),
        "table4": (tables_sweep.best_adversaries, tables_sweep.best_adversaries_sheet),
        "table5": (tables_sweep.sweep, tables_sweep.sweep_sheet),
        "correlation": (table_correlation.correlation, table_correlation.correlation_sheet),
        "permutation": (table_permutation.permutation, table_permutation.permutation_sheet),
        "per_instance_adversary": (
            table_adversary.per_instance_adversary,
            table_adversary.per_instance_adversary_sheet,
        ),
        "planted_truth": (table_planted.planted_truth, table_planted.planted_truth_sheet),
        "fig5_convexity": (tables_sweep.convexity, tables_sweep.convexity_sheet),
    }


def _figures() -> dict[str, Callable[[Results], Figure]]:
    from attnnn.exhibits import (
        figure_jw_differences,
        figure_jw_heatmap,
        figure_jw_histograms,
        figure_jw_log_odds,
        figure_jw_violins,
        figure_maps,
        figure_plane,
        figure_schematics,
        figure_violins,
    )

    return {
        "jw_fig1": figure_jw_heatmap.opening,
        "jw_fig2": figure_jw_histograms.gradient_correlations,
        "jw_fig3": figure_jw_differences.beside_leave_one_out,
        "jw_fig4": figure_jw_differences.beside_gradients,
        "jw_fig5": figure_jw_histograms.leave_one_out_correlations,
        "jw_fig6": figure_jw_violins.permuted,
        "jw_fig7": figure_jw_histograms.adversaries,
        "jw_fig8": figure_jw_violins.adversaries,
        layout.LOG_ODDS: figure_jw_log_odds.log_odds,
        "fig1": figure_schematics.experiments,
        "fig2": figure_maps.attention_maps,
        "fig3": figure_violins.attention_shift,
        "fig4": figure_schematics.guided_mlp,
        "fig5": figure_plane.prediction_against_attention,
        "fig6": figure_plane.prediction_against_attention_by_class,
    }
