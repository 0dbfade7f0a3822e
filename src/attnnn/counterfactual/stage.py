"""The counterfactual stage: permuted attention, per-instance adversaries, divergence from the base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnnn.counterfactual.divergence import divergence_columns
from attnnn.counterfactual.exact import ExactAdversary, exact_adversary
from attnnn.counterfactual.multiclass.permutation import class_changes
from attnnn.counterfactual.multiclass.table import class_columns
from attnnn.counterfactual.outcome import Outcome, best_of
from attnnn.counterfactual.permutation import absolute_changes, logit_moments, permuted_logits
from attnnn.dag.layout import Layout
from attnnn.errors import UserError
from attnnn.machine import set_up_torch
from attnnn.readout.decoder import ClassDecoder
from attnnn.readout.predictions import Predictions, read_predictions, read_test_predictions
from attnnn.study import design, identity
from attnnn.study.config import Study
from attnnn.study.design import Run
from attnnn.tables import schemas
from attnnn.tables.ragged import concatenate
from attnnn.tables.store import write_table

# Keeps these draws apart from other uses of a run's seed.
_PERMUTATION_STREAM = 1


def permute(study: Study, run: Run) -> None:
    """Write what random permutations of the attention do to the predictions of the test split.

    Raises:
        UserError: a file that it needs is missing.
    """
    layout = Layout(study.results_dir)
    predictions, decoder = read_test_predictions(layout.predictions_of(run))
    attention, generator = (
        predictions.attention,
        np.random.default_rng([run.seed, _PERMUTATION_STREAM]),
    )
    mean: list[float] | list[None]
    std: list[float] | list[None]
    if isinstance(decoder, ClassDecoder):
        changes = class_changes(
            attention, decoder, permutations=study.permutations, generator=generator
        )
        mean = std = [None] * len(attention)
    else:
        logits = permuted_logits(
            attention, decoder, permutations=study.permutations, generator=generator
        )
        changes = absolute_changes(attention, decoder, logits)
        moments = logit_moments(attention, decoder)
        mean, std = moments.mean.tolist(), moments.std.tolist()
    write_table(
        layout.analysis_of("permutation", run),
        schemas.PERMUTATION,
        {
            "document": predictions.document,
            "predicted": predictions.predicted,
            "max_attention": attention.maxima(),
            "median_change": np.median(changes, axis=1),
            "mean_change": changes.mean(axis=1),
            "logit_mean": mean,
            "logit_std": std,
        },
        made_by={"corpus": run.corpus, "identity": identity.of_permutation(study, run)},
    )


def search(study: Study, run: Run, *, device: str, threads: int) -> None:
    """Write the searched adversary of every document of the test split, for every ε of the study.

    Args:
        study: the configuration.
        run: whose attention is attacked.
        device: ``cpu`` or ``cuda``.
        threads: CPU threads; results are equal to the byte for the same number.

    Raises:
        UserError: a file that it needs is missing.
    """
    from attnnn.counterfactual.searched import search_adversaries

    set_up_torch(threads)
    layout, protocol = Layout(study.results_dir), study.protocol_of(run.corpus)
    predictions, decoder = read_test_predictions(layout.predictions_of(run))
    own = predictions.attention
    keeps_best = protocol.adv_iterate == "best_feasible"
    found = search_adversaries(
        predictions.document,
        own,
        decoder,
        study.searched_adversary,
        cross_jsd_weight=protocol.cross_jsd_weight,
        class_hinge=protocol.class_hinge,
        epsilons=study.epsilons if keeps_best else [],
        seed=run.seed,
        device=device,
    )
    candidates = [Outcome.of(attention, own, decoder) for attention in found.last]
    unchanged = Outcome.of(own, own, decoder)
    outcomes = {
        epsilon: (Outcome.of(found.best[epsilon], own, decoder), found.feasible[epsilon])
        if keeps_best
        else best_of(candidates, unchanged, epsilon)
        for epsilon in study.epsilons
    }
    made_by = {"corpus": run.corpus, "identity": identity.of_search(study, run)}
    write_table(
        layout.analysis_of("searched_candidates", run),
        schemas.SEARCHED_CANDIDATES,
        _candidate_columns(predictions.document, candidates),
        made_by=made_by,
    )
    write_table(
        layout.analysis_of("searched_adversary", run),
        schemas.SEARCHED_ADVERSARY,
        _adversary_columns(predictions.document, outcomes),
        made_by=made_by,
    )


def solve(study: Study, run: Run) -> None:
    """Write the exact adversary of every document of the test split, for every ε of the study.

    Of several classes that is the best known attention and a bound; the searched adversary is needed then, as
    what is known is no less.

    Raises:
        UserError: a file that it needs is missing, or is about other documents.
    """
    layout = Layout(study.results_dir)
    predictions, decoder = read_test_predictions(layout.predictions_of(run))
    path = layout.analysis_of("exact_adversary", run)
    made_by = {"corpus": run.corpus, "identity": identity.of_exact(study, run)}
    if isinstance(decoder, ClassDecoder):
        searched = layout.analysis_of("searched_adversary", run)
        columns = class_columns(predictions, decoder, searched, study.epsilons)
        write_table(path, schemas.CLASS_ADVERSARY, columns, made_by=made_by)
        return
    solved = {e: exact_adversary(predictions.attention, decoder, e) for e in study.epsilons}
    columns = _exact_columns(predictions.document, solved)
    write_table(path, schemas.EXACT_ADVERSARY, columns, made_by=made_by)


def diverge(study: Study, runs: Sequence[Run]) -> None:
    """Write how far runs of a corpus are from its base model, for every document of every split.

    Raises:
        UserError: a file that it needs is missing, or a run is of other documents than the base model.
    """
    base_path = Layout(study.results_dir).predictions_of(design.base_run(study, runs[0].corpus))
    base = read_predictions(base_path)
    for run in runs:
        _diverge(study, run, base, base_path)


def _diverge(study: Study, run: Run, base: Predictions, base_path: str) -> None:
    layout = Layout(study.results_dir)
    path = layout.predictions_of(run)
    predictions = read_predictions(path)
    if not np.array_equal(predictions.document, base.document):
        raise UserError(
            f"{path}: its documents are not those of {base_path}; delete both and run again"
        )
    write_table(
        layout.analysis_of("divergence", run),
        schemas.DIVERGENCE,
        divergence_columns(predictions, base),
        made_by={"corpus": run.corpus, "identity": identity.of_comparison(study, run)},
    )


def _candidate_columns(document: NDArray[np.int64], candidates: list[Outcome]) -> dict[str, Any]:
    return {
        "document": np.tile(document, len(candidates)),
        "candidate": np.repeat(np.arange(len(candidates)), len(document)),
        "jsd": np.concatenate([candidate.jsd for candidate in candidates]),
        "change": np.concatenate([candidate.change for candidate in candidates]),
    }


def _exact_columns(
    document: NDArray[np.int64], solved: dict[float, ExactAdversary]
) -> dict[str, Any]:
    columns = {
        field.name: np.concatenate([getattr(answer, field.name) for answer in solved.values()])
        for field in fields(ExactAdversary)
    }
    alone = columns["token_b"] < 0
    return {
        "document": np.tile(document, len(solved)),
        "epsilon": np.repeat(list(solved), len(document)),
        **columns,
        "token_b": [
            None if one else int(b) for one, b in zip(alone, columns["token_b"], strict=True)
        ],
    }


def _adversary_columns(
    document: NDArray[np.int64], outcomes: dict[float, tuple[Outcome, NDArray[np.bool_]]]
) -> dict[str, Any]:
    chosen = [outcome for outcome, _ in outcomes.values()]
    return {
        "document": np.tile(document, len(outcomes)),
        "epsilon": np.repeat(list(outcomes), len(document)),
        "jsd": np.concatenate([outcome.jsd for outcome in chosen]),
        "probability": np.concatenate([outcome.probability for outcome in chosen]),
        "change": np.concatenate([outcome.change for outcome in chosen]),
        "found": np.concatenate([found for _, found in outcomes.values()]),
        "attention": concatenate([outcome.attention for outcome in chosen]),
    }
