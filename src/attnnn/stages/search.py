"""Search adversarial attention for every test document, one by one (Jain & Wallace 2019, section 4.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attnnn.dag import work
from attnnn.dag.stage import Job, Output, Stage
from attnnn.stages.train import STAGE as TRAIN
from attnnn.study.config import Study
from attnnn.study.model import Run
from attnnn.study.settings import SearchedAdversary
from attnnn.study.sources.base import Strict
from attnnn.tables import analyses

if TYPE_CHECKING:
    from attnnn.dag.work import CorpusSize


class SearchSettings(Strict):
    """Of the search.

    Attributes:
        epsilons: every largest allowed |Δp|.
        search: its steps and weights.
        cross_jsd_weight: see `study.protocol`, as are the others.
    """

    epsilons: list[float]
    search: SearchedAdversary
    cross_jsd_weight: Literal["paper", "code"]
    adv_iterate: Literal["best_feasible", "last"]
    class_hinge: Literal["tvd", "l1"]


def search(job: Job[SearchSettings]) -> None:
    """Search adversarial attention for every test document, one by one."""
    from attnnn.counterfactual.searched import searched_columns
    from attnnn.machine import set_up_torch
    from attnnn.readout.predictions import read_explained

    set_up_torch(job.machine.threads)
    predictions, readout = read_explained(job.path("predictions"))
    adversaries, candidates = searched_columns(
        predictions,
        readout,
        job.settings.search,
        epsilons=job.settings.epsilons,
        cross_jsd_weight=job.settings.cross_jsd_weight,
        class_hinge=job.settings.class_hinge,
        keeps_best=job.settings.adv_iterate == "best_feasible",
        seed=job.run.seed,
        device=job.machine.device,
    )
    job.write("candidates", candidates)
    job.write("adversary", adversaries)


def _settings(study: Study, run: Run) -> SearchSettings:
    switches = study.protocol_of(run.corpus)
    return SearchSettings(
        epsilons=study.epsilons,
        search=study.searched_adversary,
        cross_jsd_weight=switches.cross_jsd_weight,
        adv_iterate=switches.adv_iterate,
        class_hinge=switches.class_hinge,
    )


def _work(study: Study, run: Run, size: CorpusSize) -> dict[str, float]:
    """Every step moves K attention vectors and compares each with the others."""
    k, steps = study.searched_adversary.adversaries, study.searched_adversary.steps
    tokens = float(size.lengths("test").sum())
    return {
        "starts": 1.0,
        "searched": steps * tokens * k * (k + 1) / 2 / 1e9,
        "search_steps": steps * max(1.0, tokens / 8192) / 1e3,
    }


def _size(study: Study, run: Run, size: CorpusSize) -> float:
    documents, tokens = len(size.lengths("test")), float(size.lengths("test").sum())
    candidates = 20.0 * study.searched_adversary.adversaries * documents
    adversaries = len(study.epsilons) * 35.0 * documents
    return 2 * work.FOOTER + candidates + adversaries + work.numbers(len(study.epsilons) * tokens)


STAGE = Stage(
    verb="search",
    about="run",
    does=search,
    writes={
        "adversary": Output(
            "searched_adversary/{corpus}/{model}/seed-{seed}.parquet",
            (analyses.SEARCHED_ADVERSARY,),
        ),
        "candidates": Output(
            "searched_candidates/{corpus}/{model}/seed-{seed}.parquet",
            (analyses.SEARCHED_CANDIDATES,),
        ),
    },
    settings=_settings,
    reads=lambda study, run: {"predictions": TRAIN.made("predictions", run)},
    after=(TRAIN,),
    on_device=True,
    memory=4000,
    minutes=360,
    work=_work,
    size=_size,
)
