"""What tables and figures read: the study's finished tables, each read once and only when asked for.

Every table comes sorted by document, so that columns of two runs of a corpus stand row beside row.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from attnnn.dag.layout import Layout
from attnnn.errors import UserError
from attnnn.measures import predicted_class
from attnnn.study import design
from attnnn.study.config import Study
from attnnn.study.design import Run
from attnnn.tables import schemas, store
from attnnn.tables.ragged import Ragged

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Corpora of pairs, and models of several classes, have tables of their own kind.
_OF_DOCUMENTS = (schemas.DOCUMENTS, schemas.PAIRS)
_OF_PREDICTIONS = (schemas.PREDICTIONS, schemas.CLASS_PREDICTIONS)
_OF_EXACT = (schemas.EXACT_ADVERSARY, schemas.CLASS_ADVERSARY)
# What decoders need and tables do not: of several classes many numbers a token.
_UNREAD = {"pieces", "offset", "contribution", "logit"}
_SCHEMAS = {
    schema.name: (schema,)
    for schema in (
        schemas.DIVERGENCE,
        schemas.IMPORTANCE,
        schemas.CORRELATION,
        schemas.PERMUTATION,
        schemas.SEARCHED_ADVERSARY,
        schemas.SEARCHED_CANDIDATES,
        schemas.REPLACEMENT,
    )
} | {
    "documents": _OF_DOCUMENTS,
    "predictions": _OF_PREDICTIONS,
    "exact_adversary": _OF_EXACT,
}


@dataclass(frozen=True)
class Table:
    """A table of the study, its columns as arrays."""

    arrow: pa.Table

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def floats(self, name: str) -> Floats:
        """A column of numbers, NaN where null."""
        return np.asarray(self.arrow[name].to_numpy(), dtype=np.float64)

    def ints(self, name: str) -> Ints:
        """A column of whole numbers."""
        return np.asarray(self.arrow[name].to_numpy(), dtype=np.int64)

    def flags(self, name: str) -> NDArray[np.bool_]:
        """A column of truth values."""
        return np.asarray(self.arrow[name].to_numpy(), dtype=np.bool_)

    def texts(self, name: str) -> list[Any]:
        """A column of texts, or of lists of them; None where null."""
        return list(self.arrow[name].to_pylist())

    def ragged(self, name: str) -> Ragged:
        """A list column of numbers."""
        return Ragged.from_arrow(self.arrow[name])

    def where(self, name: str, value: Any) -> Table:
        """The rows in which a column holds a value."""
        return Table(self.arrow.filter(pc.equal(self.arrow[name], value)))

    def take(self, rows: NDArray[Any]) -> Table:
        """Chosen rows (indices or a boolean mask), in the order given."""
        chosen = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Table(self.arrow.take(pa.array(chosen)))

    @cached_property
    def predicted(self) -> Ints:
        """Predicted class of a predictions table; of two classes 1 where its probability is over one half."""
        if "predicted" in self.arrow.column_names:
            return self.ints("predicted")
        return predicted_class(self.floats("probability"))

    @cached_property
    def probability(self) -> Floats:
        """Of class 1 in a predictions table; of several classes of the predicted one, test split only."""
        if "probability" in self.arrow.column_names:
            return self.floats("probability")
        listed = self.ragged("probabilities")
        chosen = listed.offsets[:-1] + self.predicted
        return np.asarray(listed.values[chosen], dtype=np.float64)


class Results:
    """The finished tables of a study."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._paths = Layout(study.results_dir)
        self._read = lru_cache(maxsize=16)(_sorted_table)

    def description(self, corpus: str) -> dict[str, Any]:
        """What the corpus room says of a corpus: sizes, lengths, what was left out.

        Raises:
            UserError: the file is missing.
        """
        path = Path(self._paths.corpus(corpus, "description.json"))
        try:
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserError(
                f"{path}: no such file; run the rule that prepares {corpus} first"
            ) from None
        return content

    def documents(self, corpus: str, split: str = "test") -> Table:
        """Tokens, labels and planted truth of one split."""
        path = self._paths.corpus(corpus, "documents.parquet")
        return self._read(path, "documents", split)

    def predictions(self, run: Run, split: str = "test") -> Table:
        """Predictions and attention of a run on one split."""
        return self._read(self._paths.predictions_of(run), "predictions", split)

    def divergence(self, run: Run, split: str = "test") -> Table:
        """JSD and TVD between a run and its base model, document by document."""
        path = self._paths.analysis_of("divergence", run)
        return self._read(path, schemas.DIVERGENCE.name, split)

    def importance(self, run: Run, method: str) -> Table:
        """Importance of every token of the test documents."""
        return self._read(self._paths.importance_of(run, method), schemas.IMPORTANCE.name)

    def correlation(self, run: Run) -> Table:
        """Kendall's τ of every test document and pair of token scores."""
        return self._read(self._paths.analysis_of("correlation", run), schemas.CORRELATION.name)

    def permutation(self, corpus: str, *, run: Run | None = None) -> Table:
        """Change of a run's predictions, or the base model's, when its attention is permuted."""
        return self._analysis(schemas.PERMUTATION.name, corpus, run)

    def searched(
        self, corpus: str, epsilon: float | None = None, *, run: Run | None = None
    ) -> Table:
        """The searched adversary of every test document, at one ε or at the corpus's headline ε.

        Of a run; None: of the base model.
        """
        return self._adversary(schemas.SEARCHED_ADVERSARY.name, corpus, epsilon, run)

    def exact(self, corpus: str, epsilon: float | None = None, *, run: Run | None = None) -> Table:
        """The exact adversary of every test document, at one ε or at the corpus's headline ε.

        Of several classes the best known one, with the columns `bound` and `exact`. Of a run; None: of the
        base model.
        """
        return self._adversary(schemas.EXACT_ADVERSARY.name, corpus, epsilon, run)

    def replacement(self, corpus: str) -> Table:
        """The base model under log-odds attention and with substituted words, on the test split."""
        return self._analysis(schemas.REPLACEMENT.name, corpus, None)

    def log_odds(self, corpus: str) -> Table:
        """The words of a corpus with their log-odds, in the order of their ids."""
        path = self._paths.corpus(corpus, "log_odds.parquet")
        return Table(store.read_table(path, schemas.LOG_ODDS))

    def several_classes(self, corpus: str) -> bool:
        """Whether a corpus has more than two classes, so that F1 of class 1 and ROC-AUC say nothing of it."""
        return not self.study.corpora[corpus].source.two_classes

    def candidates(self, corpus: str, *, run: Run | None = None) -> Table:
        """All K candidates of the search against a run or the base model, feasible or not."""
        return self._analysis(schemas.SEARCHED_CANDIDATES.name, corpus, run)

    def _analysis(self, stage: str, corpus: str, run: Run | None) -> Table:
        about = run or design.base_run(self.study, corpus)
        return self._read(self._paths.analysis_of(stage, about), stage)

    def _adversary(self, stage: str, corpus: str, epsilon: float | None, run: Run | None) -> Table:
        chosen = self.study.protocol_of(corpus).epsilon_select if epsilon is None else epsilon
        return self._analysis(stage, corpus, run).where("epsilon", chosen)


def require_same_documents(*tables: Table) -> None:
    """Refuse to set side by side tables that are not about the same documents.

    Raises:
        ValueError: they are not; a stage before this one is at fault.
    """
    first = tables[0].ints("document")
    for table in tables[1:]:
        if not np.array_equal(first, table.ints("document")):
            raise ValueError("tables to be compared hold different documents")


def _sorted_table(path: str, name: str, split: str | None = None) -> Table:
    kinds = _SCHEMAS[name]
    wanted = {column for kind in kinds for column in kind.columns if column not in _UNREAD}
    rows = None if split is None else ("split", split)
    arrow = store.read_table_of(path, kinds, columns=wanted, where=rows)
    return Table(arrow.take(pc.sort_indices(arrow, sort_keys=[("document", "ascending")])))
