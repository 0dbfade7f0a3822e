"""What an exhibit is: a table or a figure, declared once with everything that others need to know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from attnnn.dag.stage import Artifact
from attnnn.study.config import Study
from attnnn.study.runs import papers_of

# Keys that only choose what an exhibit reads, so that its inputs tell of them.
_CHOOSING = {"papers", "grid", "base_seed", "adversary_seed", "lambdas", "guide_lambda"}
Needs = Callable[[Study, str], Iterable[Artifact]]
Key = str

TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("pdf", "png")


def _nothing(study: Study, corpus: str) -> Iterable[Artifact]:
    return ()


def _any(study: Study, corpus: str) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A table or a figure.

    Attributes:
        papers: whose experiments it shows; it is made where a study runs those of any.
        question: that it answers, as the README lists it.
        caption: what is shown, on which documents, what an interval is, what differs from the paper; it
            stands alone.
        needs: what it reads of one corpus; a drawing reads nothing.
        settings: the keys of the configuration that its maker may see beside the corpora that it shows;
            together they are the identity by which Snakemake makes it again.
        shows: whether it has anything to show of a corpus that its papers are about.
        requires: in words, what a study must have to show anything in it.
    """

    papers: tuple[str, ...]
    question: str
    caption: str
    needs: Needs = _nothing
    settings: frozenset[Key] = frozenset()
    shows: Callable[[Study, str], bool] = _any
    requires: str = ""

    def corpora(self, study: Study) -> list[str]:
        """The corpora of a study that it shows."""
        return [
            corpus
            for corpus in study.corpora
            if {paper.name for paper in papers_of(study, corpus)} & {*self.papers}
            and self.shows(study, corpus)
        ]

    def inputs(self, study: Study) -> list[Artifact]:
        """What it reads of all corpora that it shows, without repetition."""
        found = [made for corpus in self.corpora(study) for made in self.needs(study, corpus)]
        return list(dict.fromkeys(found))


@dataclass(frozen=True, kw_only=True)
class TableExhibit(Exhibit):
    """A table: facts for machines, and a sheet of them for people.

    Attributes:
        facts: makes `exhibits.facts.Facts` of `exhibits.finished.Results`.
        sheet: lays these facts out as an `exhibits.sheet.Sheet`.
        kind: as its files' folder is named.
        formats: that it is written in.
        size_per_corpus: bytes in all of these, for each corpus of the study.
    """

    facts: Callable[[Any], Any]
    sheet: Callable[[Any, Any], Any]
    kind: str = field(default="table", init=False)
    formats: tuple[str, ...] = field(default=TABLE_FORMATS, init=False)
    size_per_corpus: int = field(default=3_000, init=False)


@dataclass(frozen=True, kw_only=True)
class FigureExhibit(Exhibit):
    """A figure.

    Attributes:
        draw: what makes a matplotlib figure of `exhibits.finished.Results`, as ``module:function`` in
            `exhibits.drawing`; imported only to draw it, since matplotlib is slow to load.
        kind: as its files' folder is named.
        formats: that it is written in.
        size_per_corpus: bytes in all of these, for each corpus of the study.
    """

    draw: str
    kind: str = field(default="figure", init=False)
    formats: tuple[str, ...] = field(default=FIGURE_FORMATS, init=False)
    size_per_corpus: int = field(default=100_000, init=False)

    def drawn(self, results: Any) -> Any:
        """The matplotlib figure."""
        module, function = self.draw.split(":")
        return getattr(import_module(f"attnnn.exhibits.drawing.{module}"), function)(results)


AnyExhibit = TableExhibit | FigureExhibit


def view(study: Study, exhibit: Exhibit) -> Study:
    """The study as an exhibit's maker may see it: other keys are not there at all.

    Reading a key that is not declared raises AttributeError, so that a declaration cannot be too short.
    """
    corpora = {name: study.corpora[name] for name in exhibit.corpora(study)}
    seen = study.model_copy(update={"corpora": corpora})
    kept = {*exhibit.settings, "corpora", "protocol", "switches", "results_dir"}
    for key in set(Study.model_fields) - kept:
        seen.__dict__.pop(key, None)
    return seen


def identity(study: Study, exhibit: Exhibit) -> dict[str, Any]:
    """All that `view` shows of a study and that can change what is made from the same inputs."""
    if not exhibit.inputs(study):
        return {}  # a drawing of no study
    shown = {"published", "protocol", "switches", "source"}
    content = study.model_dump(mode="json", include=set(exhibit.settings) - _CHOOSING)
    return {
        **content,
        "protocol": study.protocol,
        "switches": study.switches,
        "corpora": {
            name: study.corpora[name].model_dump(mode="json", include=shown)
            for name in exhibit.corpora(study)
        },
    }


def nothing_to_show(name: str, one: AnyExhibit) -> str:
    """Why an exhibit of a study is not made, in one line."""
    papers = " or ".join(one.papers)
    also = f", {one.requires}" if one.requires else ""
    return (
        f"{name}: no corpus of this study is shown in it; it needs {papers} among papers{also}, and a corpus "
        "that these experiments are about"
    )
