"""The importance stage: token importance of a run's test split, and its correlation with attention."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from attnnn.dag.layout import IMPORTANCE_METHODS, Layout
from attnnn.errors import UserError
from attnnn.importance.correlation import correlate_pairs
from attnnn.machine import set_up_torch
from attnnn.readout.predictions import read_test_predictions
from attnnn.study import identity
from attnnn.study.config import Study
from attnnn.study.design import Run
from attnnn.tables import schemas
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table, write_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from attnnn.importance.scores import Importance
    from attnnn.models.classifier import Classifier
    from attnnn.models.documents import Documents

    # Importance of every token, and what is known of its error.
    Measured = tuple[Importance, dict[str, Any]]

# Keeps these draws apart from other uses of a run's seed.
_SHUFFLE_STREAM = 3


def measure(study: Study, run: Run, *, device: str, threads: int) -> None:
    """Write the importance of every token of the test split, by each of `layout.IMPORTANCE_METHODS`.

    Args:
        study: the configuration.
        run: whose predictions are explained.
        device: ``cpu`` or ``cuda``.
        threads: CPU threads; results are equal to the byte for the same number.

    Raises:
        UserError: a file that it needs is missing.
    """
    from attnnn.models.material import read_material
    from attnnn.models.persistence import load_classifier

    set_up_torch(threads)
    layout = Layout(study.results_dir)
    material = read_material(study, run).of_split("test")
    documents = material.documents
    folder = Path(layout.model(run.corpus, run.model.name, run.seed, "model.json")).parent
    classifier = load_classifier(folder, device=device)
    imposed = material.imposed if run.model.given else None
    for method in IMPORTANCE_METHODS:
        found, facts = _METHODS[method](study, run, classifier, documents, imposed)
        write_table(
            layout.importance_of(run, method),
            schemas.IMPORTANCE,
            {
                "document": documents.document,
                "importance": found.magnitude,
                "signed": found.signed,
            },
            made_by={
                "corpus": run.corpus,
                "identity": identity.of_importance(study, run, method),
                **facts,
            },
        )


def _gradient(
    study: Study, run: Run, classifier: Classifier, documents: Documents, imposed: Ragged | None
) -> Measured:
    from attnnn.importance.gradient import gradient

    found = gradient(
        classifier,
        documents.tokens,
        imposed=imposed,
        asked=documents.asked,
        through_attention=study.protocol_of(run.corpus).grad_through_attention,
    )
    return found, {}


def _leave_one_out(
    study: Study, run: Run, classifier: Classifier, documents: Documents, imposed: Ragged | None
) -> Measured:
    from attnnn.importance.leave_one_out import leave_one_out
    from attnnn.importance.rejoining import check_rejoining

    settings = study.leave_one_out
    found = leave_one_out(
        classifier,
        documents.tokens,
        imposed=imposed,
        asked=documents.asked,
        rejoin_from=settings.rejoin_from,
        tolerance=settings.rejoin_tolerance,
    )
    checked = check_rejoining(
        classifier,
        documents.tokens,
        found.signed,
        rejoin_from=settings.rejoin_from,
        deletions=settings.checked_deletions,
        rng=np.random.default_rng(run.seed),
        imposed=imposed,
        asked=documents.asked,
    )
    return found, {"rejoining": asdict(checked)} if checked.documents else {}


_METHODS: dict[str, Callable[[Study, Run, Classifier, Documents, Ragged | None], Measured]] = {
    "gradient": _gradient,
    "leave_one_out": _leave_one_out,
}


def correlate(study: Study, run: Run) -> None:
    """Write Kendall's τ-b between attention and importance for every document of the test split.

    Raises:
        UserError: a file that it needs is missing.
    """
    layout = Layout(study.results_dir)
    predictions, _ = read_test_predictions(layout.predictions_of(run))
    per_token = {"attention": predictions.attention}
    for method in IMPORTANCE_METHODS:
        path = layout.importance_of(run, method)
        table = read_table(path, schemas.IMPORTANCE)
        if not np.array_equal(table["document"].to_numpy(), predictions.document):
            raise UserError(
                f"{path}: its documents are not those of {layout.predictions_of(run)}; "
                "delete it and run again"
            )
        per_token[method] = Ragged.from_arrow(table["importance"])
    write_table(
        layout.analysis_of("correlation", run),
        schemas.CORRELATION,
        correlate_pairs(
            predictions.document,
            predictions.predicted,
            per_token,
            generator=np.random.default_rng([run.seed, _SHUFFLE_STREAM]),
        ),
        made_by={"corpus": run.corpus, "identity": identity.of_comparison(study, run)},
    )
