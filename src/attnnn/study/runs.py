"""The runs of a study: which models of a corpus are trained with which seeds, and for which experiment."""

from __future__ import annotations

from attnnn.study.config import Study
from attnnn.study.model import (
    BASE,
    LOG_ODDS,
    TOWARDS_LOG_ODDS,
    TRAINED_MLP,
    UNIFORM,
    UNIFORM_MLP,
    Model,
    Run,
    adversary,
    guided_mlp,
)
from attnnn.study.papers import PAPERS
from attnnn.study.papers.paper import Paper


def papers_of(study: Study, corpus: str) -> list[Paper]:
    """The papers of a study whose experiments are about a corpus, in the order of `PAPERS`."""
    source = study.corpora[corpus].source
    return [p for name, p in PAPERS.items() if name in study.papers and p.about(source)]


def base_run(study: Study, corpus: str) -> Run:
    """The run that everything is compared with."""
    return Run(corpus, BASE, study.base_seed)


def uniform_run(study: Study, corpus: str) -> Run:
    """The BiLSTM with uniform attention (Wiegreffe & Pinter 2019, section 3.2)."""
    return Run(corpus, UNIFORM, study.base_seed)


def average_run(study: Study, corpus: str) -> Run:
    """Jain & Wallace's average encoder, which is Wiegreffe & Pinter's trained MLP."""
    return Run(corpus, TRAINED_MLP, study.base_seed)


def seed_runs(study: Study, corpus: str) -> list[Run]:
    """The base model with other seeds (Wiegreffe & Pinter 2019, section 3.3)."""
    return [Run(corpus, BASE, seed) for seed in study.seeds]


def adversary_seeds(study: Study, corpus: str) -> list[int]:
    """Seeds of the trained adversaries, the headline one first (switch adv_seed)."""
    choice = study.protocol_of(corpus).adv_seed
    same = [] if choice == "different" else [study.base_seed]
    return same if choice == "same" else [*same, study.adversary_seed]


def adversary_runs(study: Study, corpus: str, seed: int) -> list[Run]:
    """The λ sweep (Wiegreffe & Pinter 2019, section 4), λ ascending."""
    return [Run(corpus, adversary(value), seed) for value in study.lambdas_of(corpus)]


def swept_runs(study: Study, corpus: str) -> list[Run]:
    """All trained adversaries of a corpus, the headline seed first."""
    return [
        run
        for seed in adversary_seeds(study, corpus)
        for run in adversary_runs(study, corpus, seed)
    ]


def guide_runs(study: Study, corpus: str) -> dict[str, Run]:
    """The MLPs of Table 3 by the name of their guide (Wiegreffe & Pinter 2019, section 3.4)."""
    guide_seed = adversary_seeds(study, corpus)[0]
    return {
        "uniform": Run(corpus, UNIFORM_MLP, study.base_seed),
        "trained_mlp": Run(corpus, TRAINED_MLP, study.base_seed),
        "base_lstm": Run(corpus, guided_mlp(BASE), study.base_seed),
        "adversary": Run(corpus, guided_mlp(adversary(study.guide_lambda)), guide_seed),
    }


def guiding_run(base_seed: int, run: Run) -> Run | None:
    """The run whose attention (imposed) or whose predictions and attention (λ) a run learns from.

    Args:
        base_seed: seed of the base model.
        run: which.
    """
    if run.model.guide is not None:
        seed = base_seed if run.model.guide.lambda_ is None else run.seed
        return Run(run.corpus, run.model.guide, seed)
    return Run(run.corpus, BASE, base_seed) if run.model.lambda_ is not None else None


def has_log_odds(study: Study, corpus: str) -> bool:
    """Whether the experiments with log-odds of words are run on a corpus.

    A bag of words is of one text and tells two classes apart.
    """
    return study.log_odds.run and study.corpora[corpus].source.two_classes


def log_odds_runs(study: Study, corpus: str) -> list[Run]:
    """The runs trained with log-odds of words: with their attention imposed, and drawn to it."""
    if not has_log_odds(study, corpus):
        return []
    return [Run(corpus, model, study.base_seed) for model in (LOG_ODDS, TOWARDS_LOG_ODDS)]


def explained_runs(study: Study, corpus: str) -> list[Run]:
    """The runs whose attention is compared with gradient and leave-one-out importance."""
    papers = papers_of(study, corpus)
    return list(dict.fromkeys(run for p in papers for run in p.explained(study, corpus)))


def attacked_runs(study: Study, corpus: str) -> list[Run]:
    """The runs whose attention is permuted and replaced, document by document, searched and exactly."""
    papers = papers_of(study, corpus)
    return list(dict.fromkeys(run for p in papers for run in p.attacked(study, corpus)))


def network_runs(study: Study, corpus: str) -> list[Run]:
    """Serrano & Smith's flat and hierarchical networks (2019, section 3)."""
    models = map(Model.parse, study.serrano_smith_of(corpus).models)
    return [Run(corpus, model, study.base_seed) for model in models]


def erased_runs_of_others(study: Study, corpus: str) -> list[Run]:
    """Runs of the other papers of a study whose attention is erased too."""
    names = {paper.name for paper in papers_of(study, corpus)}
    found = list[Run]()
    if "jain-wallace" in names:
        found += grid_runs(study, corpus)
    if "wiegreffe-pinter" in names:
        headline = adversary_seeds(study, corpus)[0]
        found += [base_run(study, corpus), uniform_run(study, corpus), *seed_runs(study, corpus)]
        found += guide_runs(study, corpus).values()
        found.append(Run(corpus, adversary(study.guide_lambda), headline))
    return found


def erased_runs(study: Study, corpus: str) -> list[Run]:
    """The runs whose attention weights are erased, one by one and in the order of rankings."""
    papers = papers_of(study, corpus)
    return list(dict.fromkeys(run for p in papers for run in p.erased(study, corpus)))


def grid_runs(study: Study, corpus: str) -> list[Run]:
    """Every encoder with every attention (Jain & Wallace 2019, section 3), the base model first."""
    models = [Model.parse(name) for name in study.grid]
    return [Run(corpus, model, study.base_seed) for model in models if model.attends]


def vanilla_runs(study: Study, corpus: str) -> list[Run]:
    """The encoders without attention."""
    models = [Model.parse(name) for name in study.grid]
    return [Run(corpus, model, study.base_seed) for model in models if not model.attends]
