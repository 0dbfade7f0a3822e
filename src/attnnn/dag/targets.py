"""What each table and figure is made from, and the list of everything that a study makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attnnn.dag import layout
from attnnn.study import design
from attnnn.study.config import Study
from attnnn.study.design import Run

Needs = Callable[[Study, layout.Layout, str], list[str]]


def needs(study: Study, name: str) -> list[str]:
    """The files that one table or figure reads, without repetition.

    Raises:
        KeyError: no table or figure has that name.
    """
    paths = layout.Layout(study.results_dir)
    maker = _NEEDS[name]
    found = [path for corpus in corpora_of(study, name) for path in maker(study, paths, corpus)]
    return list(dict.fromkeys(found))


def corpora_of(study: Study, name: str) -> list[str]:
    """The corpora that one table or figure shows: those that its experiments are run on."""
    showing = {
        paper
        for shown in (layout.TABLES_OF, layout.FIGURES_OF)
        for paper, names in shown.items()
        if name in names
    }
    return [
        corpus
        for corpus in study.corpora
        if showing & set(design.papers_of(study, corpus))
        and (name != layout.LOG_ODDS or design.has_log_odds(study, corpus))
    ]


def all_targets(study: Study) -> list[str]:
    """Every table and figure of the study's papers in every format, where any corpus has it."""
    paths = layout.Layout(study.results_dir)
    tables = [
        paths.table(name, form)
        for paper in study.papers
        for name in layout.TABLES_OF[paper]
        if corpora_of(study, name)
        for form in layout.TABLE_FORMATS
    ]
    figures = [
        paths.figure(name, form)
        for paper in study.papers
        for name in layout.FIGURES_OF[paper]
        if corpora_of(study, name)
        for form in layout.FIGURE_FORMATS
    ]
    return list(dict.fromkeys(tables + figures))


def guides(study: Study, runs: Iterable[Run]) -> list[str]:
    """The files that runs learn from beside documents and vectors, without repetition."""
    paths = layout.Layout(study.results_dir)
    found: dict[str, None] = {}
    for run in runs:
        guide = design.guiding_run(study, run)
        if guide is not None:
            found[paths.predictions_of(guide)] = None
        if run.model.uses_log_odds:
            found[paths.corpus(run.corpus, "log_odds.parquet")] = None
    return list(found)


def _documents(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return [paths.corpus(corpus, "documents.parquet"), paths.corpus(corpus, "description.json")]


def _classification(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    runs = [
        design.base_run(study, corpus),
        design.uniform_run(study, corpus),
        *design.seed_runs(study, corpus),
    ]
    return [paths.predictions_of(run) for run in runs]


def _guides(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return [paths.predictions_of(run) for run in design.guide_runs(study, corpus).values()]


def _sweep(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    runs = design.swept_runs(study, corpus)
    return [
        path
        for run in runs
        for path in (paths.predictions_of(run), paths.analysis_of("divergence", run))
    ]


def _correlation(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return [paths.analysis_of("correlation", run) for run in design.explained_runs(study, corpus)]


def _permutation(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return [paths.analysis_of("permutation", design.base_run(study, corpus))]


def _planted_truth(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    if study.corpora[corpus].source.kind != "planted":
        return []
    base, uniform = design.base_run(study, corpus), design.uniform_run(study, corpus)
    runs = [base, uniform] if "wiegreffe-pinter" in study.papers else [base]
    return [
        *_documents(study, paths, corpus),
        *(paths.predictions_of(run) for run in runs),
        *(paths.importance_of(base, method) for method in layout.IMPORTANCE_METHODS),
    ]


def _searched(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    base = design.base_run(study, corpus)
    return [
        paths.analysis_of("searched_adversary", base),
        paths.analysis_of("searched_candidates", base),
    ]


def _adversaries(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    base = design.base_run(study, corpus)
    return [
        paths.predictions_of(base),
        *_searched(study, paths, corpus),
        paths.analysis_of("exact_adversary", base),
    ]


def _maps(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    guide = design.guiding_run(study, design.guide_runs(study, corpus)["adversary"])
    assert guide is not None
    return [
        *_documents(study, paths, corpus),
        paths.predictions_of(design.base_run(study, corpus)),
        paths.predictions_of(guide),
        *_searched(study, paths, corpus)[:1],
    ]


def _seeds(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return [paths.analysis_of("divergence", run) for run in design.seed_runs(study, corpus)]


def _violins(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return _seeds(study, paths, corpus) + _adversaries(study, paths, corpus)


def _plane(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return [
        *_sweep(study, paths, corpus),
        *_seeds(study, paths, corpus),
        paths.analysis_of("divergence", design.uniform_run(study, corpus)),
        *_adversaries(study, paths, corpus),
    ]


def _characteristics(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    base = design.base_run(study, corpus)
    return [paths.corpus(corpus, "description.json"), paths.predictions_of(base)]


def _first_correlations(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    runs = design.base_run(study, corpus), design.average_run(study, corpus)
    return [paths.analysis_of("correlation", run) for run in runs]


def _correlation_of_base(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return [paths.analysis_of("correlation", design.base_run(study, corpus))]


def _adversary_maps(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return [*_documents(study, paths, corpus), *_adversaries(study, paths, corpus)]


def _grid(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    analyses = ("correlation", "permutation", "searched_adversary", "exact_adversary")
    grid, vanilla = design.grid_runs(study, corpus), design.vanilla_runs(study, corpus)
    return [
        *(paths.predictions_of(run) for run in (*grid, *vanilla)),
        *(paths.analysis_of(analysis, run) for run in grid for analysis in analyses),
    ]


def _evidence(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    if not study.corpora[corpus].source.evidence:
        return []
    runs = design.explained_runs(study, corpus)
    return [
        paths.corpus(corpus, "documents.parquet"),
        *(paths.predictions_of(run) for run in runs),
        *(paths.importance_of(run, method) for run in runs for method in layout.IMPORTANCE_METHODS),
    ]


def _log_odds(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    base, runs = design.base_run(study, corpus), design.log_odds_runs(study, corpus)
    return [
        paths.corpus(corpus, "log_odds.parquet"),
        *(paths.predictions_of(run) for run in (base, *runs)),
        *(paths.analysis_of("divergence", run) for run in runs),
        paths.analysis_of("replacement", base),
    ]


def _nothing(study: Study, paths: layout.Layout, corpus: str) -> list[str]:
    return []


_NEEDS: dict[str, Needs] = {
    "table1": _documents,
    "table2": _classification,
    "table3": _guides,
    "table4": _sweep,
    "table5": _sweep,
    "correlation": _correlation,
    "permutation": _permutation,
    "per_instance_adversary": _adversaries,
    "planted_truth": _planted_truth,
    "fig5_convexity": _sweep,
    "jw_table1": _characteristics,
    "jw_table2": _first_correlations,
    "jw_grid": _grid,
    "jw_evidence": _evidence,
    "jw_fig1": _adversary_maps,
    "jw_fig2": _first_correlations,
    "jw_fig3": _correlation_of_base,
    "jw_fig4": _correlation_of_base,
    "jw_fig5": _correlation_of_base,
    "jw_fig6": _permutation,
    "jw_fig7": _adversaries,
    "jw_fig8": _adversaries,
    layout.LOG_ODDS: _log_odds,
    "fig1": _nothing,
    "fig2": _maps,
    "fig3": _violins,
    "fig4": _nothing,
    "fig5": _plane,
    "fig6": _plane,
}
