"""What a paper is to a study: what it is about, and the runs that it tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnnn.study.sources.base import SourceModel

if TYPE_CHECKING:
    from attnnn.study.config import Study
    from attnnn.study.model import Run

RunsOf = Callable[["Study", str], Sequence["Run"]]


def no_runs(study: Study, corpus: str) -> Sequence[Run]:
    """None."""
    return ()


@dataclass(frozen=True)
class Paper:
    """A paper whose experiments a study runs.

    Attributes:
        name: in configurations, and with underscores the folder of its exhibits.
        authors: as captions name them.
        citation: the reference, in one line.
        about: whether its experiments are about a corpus of such a source.
        restriction: in words, what its experiments are about, for a corpus that is not.
        explained: the runs of a corpus whose attention it compares with other scores of tokens.
        attacked: the runs of a corpus whose attention it permutes and replaces, document by document.
        erased: the runs of a corpus whose attention weights it erases.
    """

    name: str
    authors: str
    citation: str
    about: Callable[[SourceModel], bool]
    restriction: str
    explained: RunsOf
    attacked: RunsOf
    erased: RunsOf = no_runs
