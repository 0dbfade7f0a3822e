"""Writes one exhibit in all its formats."""

from __future__ import annotations

from pathlib import Path

from attnnn.dag import catalogue
from attnnn.dag.exhibit import FigureExhibit, TableExhibit, nothing_to_show, view
from attnnn.dag.layout import exhibit_path
from attnnn.errors import UserError
from attnnn.exhibits.finished import Results
from attnnn.study.config import Study
from attnnn.tables.store import write_text


def write(study: Study, name: str) -> None:
    """Write a table as csv (one long shape), md and tex (for people), or a figure as pdf and png.

    Args:
        study: the study, in whose results folder the exhibit's inputs are.
        name: of the exhibit.

    Raises:
        UserError: a file it needs is missing or of another version, or the study has nothing to show in it.
        KeyError: no exhibit has that name.
    """
    exhibit = catalogue.exhibit(name)
    if not exhibit.corpora(study):
        raise UserError(nothing_to_show(name, exhibit))
    root = Path(study.results_dir)
    results = Results(view(study, exhibit), root, exhibit.inputs(study))
    paths = {form: root / exhibit_path(name, exhibit, form) for form in exhibit.formats}
    if isinstance(exhibit, TableExhibit):
        facts = exhibit.facts(results)
        sheet = exhibit.sheet(results, facts)
        texts = {"csv": facts.csv(), "md": sheet.markdown(), "tex": sheet.latex(paths["tex"].stem)}
        for form, path in paths.items():
            write_text(path, texts[form])
    else:
        _draw(exhibit, results, paths)


def _draw(exhibit: FigureExhibit, results: Results, paths: dict[str, Path]) -> None:
    from attnnn.exhibits.drawing.style import house_style, save, settle

    with house_style():
        drawing = exhibit.drawn(results)
        settle(drawing)
        for form, path in paths.items():
            save(drawing, str(path), form)
