"""Find the sentences of every document of a corpus."""

from __future__ import annotations

from attnnn.dag import work
from attnnn.dag.stage import Job, Output, Stage
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.study.sources.base import Strict
from attnnn.tables import schemas


class SegmentSettings(Strict):
    """Nothing of the configuration changes where a sentence ends."""


def segment(job: Job[SegmentSettings]) -> None:
    """Find the sentences of every document of a corpus."""
    from attnnn.corpora.sentences import sentence_lengths

    table = job.read("documents", columns=("document", "split", "tokens"))
    sentences = sentence_lengths(table["tokens"].to_pylist())
    columns = {"document": table["document"], "split": table["split"], "sentences": sentences}
    job.write("sentences", columns)


STAGE = Stage(
    verb="segment",
    about="corpus",
    does=segment,
    writes={"sentences": Output("corpora/{corpus}/sentences.parquet", (schemas.SENTENCES,))},
    settings=lambda study, corpus: SegmentSettings(),
    reads=lambda study, corpus: {"documents": PREPARE.made("documents", corpus)},
    after=(PREPARE,),
    refuses=lambda study, corpus: (
        "sentences are of single texts, and this corpus has pairs"
        if study.corpora[corpus].source.pairs
        else None
    ),
    memory=4000,
    work=lambda study, corpus, size: {
        "starts": 1.0,
        "spacy_starts": 1.0,
        "spacy_tokens": float(size.all_lengths.sum()) / 1e6,
    },
    size=lambda study, corpus, size: work.FOOTER + 0.2 * float(size.all_lengths.sum()),
)
