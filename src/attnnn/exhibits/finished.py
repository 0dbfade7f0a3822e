"""What tables and figures read: the study's finished tables, each read once and only when asked for.

Every table comes sorted by document, so that columns of two runs of a corpus stand row beside row.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from attnnn.dag.stage import Artifact, Stage
from attnnn.errors import UserError
from attnnn.measures import jensen_shannon_divergence, predicted_class, total_variation_distance
from attnnn.readout.predictions import read_test_predictions
from attnnn.stages.correlate import STAGE as CORRELATE
from attnnn.stages.correlate import predicted_scores
from attnnn.stages.erase import STAGE as ERASE
from attnnn.stages.measure import STAGE as MEASURE
from attnnn.stages.permute import STAGE as PERMUTE
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.stages.replace import STAGE as REPLACE
from attnnn.stages.search import STAGE as SEARCH
from attnnn.stages.solve import STAGE as SOLVE
from attnnn.stages.train import STAGE as TRAIN
from attnnn.stages.weigh import STAGE as WEIGH
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.runs import base_run
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# What readouts need and exhibits do not: for more than two classes many numbers per token.
_UNREAD = {"projected", "offset", "contribution", "logit"}


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
        """Predicted class of a table of predictions: for two classes 1 where its probability is over .5."""
        if "predicted" in self.arrow.column_names:
            return self.ints("predicted")
        return predicted_class(self.floats("probability"))

    @cached_property
    def probability(self) -> Floats:
        """Of class 1 in a table of predictions; for more than two classes of the predicted one."""
        if "probability" in self.arrow.column_names:
            return self.floats("probability")
        listed = self.ragged("probabilities")
        chosen = listed.offsets[:-1] + self.predicted
        return np.asarray(listed.values[chosen], dtype=np.float64)


class Results:
    """The finished tables of a study that an exhibit declares.

    Args:
        study: as the exhibit may see it.
        root: the results folder.
        declared: what the exhibit declares that it reads.
    """

    def __init__(self, study: Study, root: Path, declared: Collection[Artifact]) -> None:
        self.study = study
        self._root, self._declared = root, frozenset(declared)
        self._read = lru_cache(maxsize=32)(self._sorted_table)
        self._diverging = lru_cache(maxsize=64)(self._divergence)

    def description(self, corpus: str) -> dict[str, Any]:
        """What is known of a prepared corpus: sizes, lengths, what was left out.

        Raises:
            UserError: the file is missing.
        """
        path = self._path(PREPARE.made("description", corpus))
        try:
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserError(
                f"{path}: no such file; run the rule that prepares {corpus} first"
            ) from None
        return content

    def documents(self, corpus: str, split: str = "test") -> Table:
        """Tokens, labels and planted truth of one split."""
        return self._read(PREPARE.made("documents", corpus), split)

    def predictions(self, run: Run, split: str = "test") -> Table:
        """Predictions and attention of a run on one split."""
        return self._read(TRAIN.made("predictions", run), split)

    def divergence(self, run: Run, split: str = "test") -> Table:
        """How far a run is from the base model on one split, document by document."""
        return self._diverging(run, split)

    def importance(self, run: Run, method: str) -> Table:
        """Importance of every token of the test documents."""
        return self._read(MEASURE.made(method, run))

    def predicted_scores(self, run: Run) -> dict[str, Ragged | None]:
        """Scores of every token of the test documents about the class that a run predicts.

        Those of `stages.correlate.CLASS_SCORES`, signed; None where the run's readout does not define one.
        """
        path = self._path(TRAIN.made("predictions", run))
        predictions, readout = read_test_predictions(path)
        order = np.argsort(predictions.document)
        found = predicted_scores(predictions, readout)
        return {name: None if score is None else score.take(order) for name, score in found.items()}

    def correlation(self, run: Run) -> Table:
        """Kendall's τ of every test document and pair of token scores."""
        return self._read(CORRELATE.made("correlation", run))

    def permutation(self, corpus: str, *, run: Run | None = None) -> Table:
        """Change of a run's predictions, or the base model's, when its attention is permuted."""
        return self._read(PERMUTE.made("permutation", run or base_run(self.study, corpus)))

    def searched(
        self, corpus: str, epsilon: float | None = None, *, run: Run | None = None
    ) -> Table:
        """The searched adversary of every test document, at one ε or at the corpus's headline ε.

        Against a run; None: against the base model.
        """
        return self._adversary(SEARCH, corpus, epsilon, run)

    def exact(self, corpus: str, epsilon: float | None = None, *, run: Run | None = None) -> Table:
        """The exact adversary of every test document, at one ε or at the corpus's headline ε.

        For more than two classes the best known one, with the columns `bound` and `exact`. Against a run;
        None: against the base model.
        """
        return self._adversary(SOLVE, corpus, epsilon, run)

    def adversaries(self, corpus: str) -> tuple[Table, Table, Table]:
        """The base model's predictions, and its searched and its exact adversaries, at the headline ε."""
        tables = (
            self.predictions(base_run(self.study, corpus)),
            self.searched(corpus),
            self.exact(corpus),
        )
        require_same_documents(*tables)
        return tables

    def candidates(self, corpus: str, *, run: Run | None = None) -> Table:
        """All K candidates of the search against a run or the base model, feasible or not."""
        return self._read(SEARCH.made("candidates", run or base_run(self.study, corpus)))

    def erased(self, run: Run) -> Table:
        """What erasing one attention weight of every test document does, by every rule."""
        return self._read(ERASE.made("erased", run))

    def ranked(self, run: Run) -> Table:
        """How many weights of every test document must go before the decision changes, by every ranking."""
        return self._read(ERASE.made("ranked", run))

    def replacement(self, corpus: str) -> Table:
        """The base model under log-odds attention and with substituted words, on the test split."""
        return self._read(REPLACE.made("replacement", base_run(self.study, corpus)))

    def log_odds(self, corpus: str) -> Table:
        """The words of a corpus with their log-odds, in the order of their ids."""
        made = WEIGH.made("log_odds", corpus)
        return Table(read_table_of(self._path(made), made.schemas))

    def multiclass(self, corpus: str) -> bool:
        """Whether a corpus has more than two classes, so that F1 of class 1 and ROC-AUC do not apply."""
        return not self.study.corpora[corpus].source.two_classes

    def _adversary(
        self, stage: Stage[Any], corpus: str, epsilon: float | None, run: Run | None
    ) -> Table:
        chosen = self.study.protocol_of(corpus).epsilon_select if epsilon is None else epsilon
        made = stage.made("adversary", run or base_run(self.study, corpus))
        return self._read(made).where("epsilon", chosen)

    def _divergence(self, run: Run, split: str) -> Table:
        base = self.predictions(base_run(self.study, run.corpus), split)
        other = self.predictions(run, split)
        require_same_documents(base, other)
        return divergence(other, base)

    def _path(self, made: Artifact) -> Path:
        if made not in self._declared:
            raise RuntimeError(f"an exhibit reads {made.path}, which it does not declare")
        return self._root / made.path

    def _sorted_table(self, made: Artifact, split: str | None = None) -> Table:
        wanted = {c for schema in made.schemas for c in schema.columns if c not in _UNREAD}
        rows = None if split is None else ("split", split)
        arrow = read_table_of(self._path(made), made.schemas, columns=wanted, where=rows)
        return Table(arrow.take(pc.sort_indices(arrow, sort_keys=[("document", "ascending")])))


def divergence(run: Table, base: Table) -> Table:
    """How far a run is from the base model, from their predictions of the same documents.

    Returns:
        A row per document: its number; ``jsd`` between the run's and the base model's attention, nats;
        ``tvd``, |Δp|; and ``tvd_half``, which is what Wiegreffe & Pinter's code counts.
    """
    tvd = total_variation_distance(
        run.arrow["probability"].to_numpy(), base.arrow["probability"].to_numpy()
    )
    columns = {
        "document": base.ints("document"),
        "jsd": jensen_shannon_divergence(run.ragged("attention"), base.ragged("attention")),
        "tvd": tvd,
        "tvd_half": tvd / 2,
    }
    return Table(pa.table(columns))


def require_same_documents(*tables: Table) -> None:
    """Refuse to set side by side tables that are not about the same documents.

    Raises:
        ValueError: they are not; a stage before this one is at fault.
    """
    first = tables[0].ints("document")
    for table in tables[1:]:
        if not np.array_equal(first, table.ints("document")):
            raise ValueError("tables to be compared hold different documents")
