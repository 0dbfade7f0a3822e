"""What a result depends on: only settings that change it.

Snakemake reruns a job when its identity changes, and every table carries the identity it was made
by. Renaming, moving or adding corpora, seeds or figures never retrains a model.
"""

from __future__ import annotations

from typing import Any

from attnnn.study import design
from attnnn.study.config import Study
from attnnn.study.design import Run

Identity = dict[str, Any]

_PREPARING = ("vocab_fit", "train_part", "strict_length_filter")
_TRAINING = ("select_split", "first_epoch_saveable", "l2_mode", "loss_reduction")
_IMITATING = ("tvd_scale", "adv_batch_weight", "adv_select", "adv_epochs", "adv_patience")
_SEARCHING = ("cross_jsd_weight", "adv_iterate", "class_hinge")


def of_corpus(study: Study, corpus: str) -> Identity:
    """Of the prepared documents and vocabulary."""
    settings = study.corpora[corpus].model_dump(
        include={"source", "tokenizer", "min_df", "min_length", "max_length"}
    )
    return settings | _switches(study, corpus, _PREPARING)


def of_embedding(study: Study, corpus: str) -> Identity:
    """Of the word vectors that models start from."""
    return study.corpora[corpus].embedding.model_dump()


def of_log_odds(study: Study) -> Identity:
    """Of the log-odds of words, given their corpus."""
    return {"inverse_strength": study.log_odds.inverse_strength}


def of_run(study: Study, run: Run) -> Identity:
    """Of a trained model, given its corpus."""
    training = study.training_of(run.corpus).model_dump(exclude={"checkpoint_seconds"})
    identity = {
        "model": run.model.name,
        "seed": run.seed,
        "embedding": of_embedding(study, run.corpus),
        **training,
    }
    switches: tuple[str, ...] = _TRAINING
    if run.model.lambda_ is not None:
        switches = ("l2_mode", "loss_reduction", *_IMITATING)
        del identity["epochs"]
    if run.model.encoder == "cnn":
        switches += ("cnn_width",)
    if run.model.towards_log_odds:
        identity["divergence_weight"] = study.log_odds.divergence_weight
    return identity | _switches(study, run.corpus, switches)


def of_importance(study: Study, run: Run, method: str) -> Identity:
    """Of token importance by one method, given its model."""
    identity = {"model": run.model.name, "seed": run.seed, "method": method}
    if method == "gradient":
        identity |= _switches(study, run.corpus, ("grad_through_attention",))
    elif run.model.encoder == "bilstm":
        identity |= study.leave_one_out.model_dump()
    return identity


def of_permutation(study: Study, run: Run) -> Identity:
    """Of the permutation experiment, given its model."""
    return {"model": run.model.name, "seed": run.seed, "permutations": study.permutations}


def of_search(study: Study, run: Run) -> Identity:
    """Of the searched adversary, given its model."""
    identity = {"model": run.model.name, "seed": run.seed, "epsilons": study.epsilons}
    search = study.searched_adversary.model_dump()
    return identity | search | _switches(study, run.corpus, _SEARCHING)


def of_exact(study: Study, run: Run) -> Identity:
    """Of the exact adversary, given its model."""
    return {"model": run.model.name, "seed": run.seed, "epsilons": study.epsilons}


def of_replacement(study: Study, run: Run) -> Identity:
    """Of attention and words replaced by those of a bag of words, given the model and the log-odds."""
    words = study.log_odds.substituted_words
    return {"model": run.model.name, "seed": run.seed, "substituted_words": words}


def of_comparison(study: Study, run: Run) -> Identity:
    """Of a comparison of finished runs, given them."""
    base = design.base_run(study, run.corpus)
    return {"model": run.model.name, "seed": run.seed, "base_seed": base.seed}


def of_publication(study: Study) -> Identity:
    """Of tables and figures, given what they show."""
    shown = {"published", "protocol", "switches", "lambdas"}
    return {
        "bootstrap": study.bootstrap,
        "corpora": {
            name: corpus.model_dump(include=shown) for name, corpus in study.corpora.items()
        },
        "protocol": study.protocol,
        "switches": study.switches,
        "seeds": study.seeds,
        "lambdas": study.lambdas,
        "guide_lambda": study.guide_lambda,
        "epsilons": study.epsilons,
    }


def _switches(study: Study, corpus: str, names: tuple[str, ...]) -> Identity:
    return study.protocol_of(corpus).model_dump(include=set(names))
