"""How large the corpora of a study are, known or estimated before anything has been prepared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import partial
from math import ceil
from pathlib import Path
from statistics import NormalDist

import numpy as np

from attnnn.corpora import vocabulary
from attnnn.corpora.lengths import kept_documents
from attnnn.corpora.readers import read_source
from attnnn.corpora.texts import SPLITS, naming
from attnnn.corpora.tokenize import tokenize
from attnnn.dag.work import CorpusSize, Lengths
from attnnn.errors import UserError
from attnnn.stages.prepare import STAGE as PREPARE
from attnnn.study.config import Study
from attnnn.study.papers.published import published
from attnnn.tables.ragged import Ragged
from attnnn.tables.store import read_table_of

# Spread of the logarithm of document lengths, where only their mean is known: as in IMDb.
_SPREAD = 0.55
# Texts that are tokenised, at even distances; at most twice as many.
_TOKENISED = 5000
_MARK = re.compile(r"[^\w\s']")


def sizes_of(study: Study) -> tuple[dict[str, CorpusSize], list[str]]:
    """The size of every corpus whose size can be known, and in words which are left out.

    A prepared corpus is measured, a planted one is generated, and files of texts are read; where there
    is no file, the papers' Table 1 stands in for a corpus of theirs (key `published`).

    Raises:
        UserError: nothing is known of a corpus, and the study would refuse it too.
    """
    found: dict[str, CorpusSize] = {}
    left_out: list[str] = []
    for corpus in study.corpora:
        reason = _uncounted(study, corpus)
        with naming(f"corpus {corpus}"):
            size = _prepared(study, corpus) or (
                _published(study, corpus, reason) if reason else _read(study, corpus)
            )
        if size is not None:
            found[corpus] = size
        elif study.missing_corpora == "leave_out":
            left_out.append(f"{corpus}: {reason}")
        else:
            raise UserError(
                f"corpus {corpus}: {reason}, so nothing is known of its size; set corpora_dir, or "
                "`published` to plan with the size that the papers print, or prepare it first"
            )
    if not found:
        raise UserError(f"no corpus was found: {'; '.join(left_out)}; set corpora_dir")
    return found, left_out


def _uncounted(study: Study, corpus: str) -> str | None:
    """Why a source tells nothing: no file, or clinical notes, too many to read; None where it does."""
    source, folder = study.corpora[corpus].source, Path(study.corpora_dir)
    place = folder / (source.place or ".")
    missing = source.missing(folder) or (place if source.place and not place.exists() else None)
    if missing is not None:
        return f"{missing} does not exist"
    return "its kind of source, mimic, is not counted" if source.kind == "mimic" else None


def _prepared(study: Study, corpus: str) -> CorpusSize | None:
    """Of prepared documents, unless they were prepared under other settings."""
    job = PREPARE.job(study, corpus)
    if not (job.path("description").is_file() and job.path("documents").is_file()):
        return None
    description = json.loads(job.path("description").read_text(encoding="utf-8"))
    if description.get("settings") != job.settings.model_dump(mode="json"):
        return None
    kinds = job.outputs["documents"].schemas
    table = read_table_of(job.path("documents"), kinds, columns={"split", "token_ids"})
    lengths, split = Ragged.from_arrow(table["token_ids"]).lengths, table["split"].to_numpy()
    dropped = sum(item["count"] for item in description["dropped"])
    read = float(lengths.sum() * (1 + dropped / len(lengths)))
    splits = {name: lengths[split == name] for name in SPLITS}
    return CorpusSize(splits, description["vocabulary"]["size"], read, "prepared")


def _read(study: Study, corpus: str) -> CorpusSize:
    """Of texts read as they will be, and tokenised roughly; of very many, some tell of the others."""
    settings = PREPARE.settings(study, corpus)
    documents = read_source(settings, Path(study.corpora_dir))
    step = max(1, len(documents) // _TOKENISED)
    sample = documents.take(np.arange(0, len(documents), step))
    questions = [] if sample.questions is None else sample.questions.texts
    tokens = tokenize(_roughly([*sample.texts, *questions], settings.tokenizer), "whitespace")
    tokenised, asked = np.split(tokens.numbers.lengths, [len(sample)])
    # Every text is as long as those tokenised of its size in characters.
    characters = np.array([len(text) for text in documents.texts])
    per_character = tokenised.sum() / max(1, characters[::step].sum())
    lengths = np.rint(characters * per_character).astype(np.int64)
    lengths[::step] = tokenised
    lengths = np.maximum(lengths, 1)  # whether a text has no token at all, `prepare` will tell
    pairs = np.repeat(asked, step)[: len(documents)] if len(asked) else None
    low, high, strict = settings.min_length, settings.max_length, settings.strict_length_filter
    keep, _ = kept_documents(
        documents, lengths, pairs, min_length=low, max_length=high, strict=strict
    )
    fitted_on = (sample.splits == "train") | (settings.vocab_fit == "all")
    fitted_on = np.resize(fitted_on, len(tokens.numbers))  # questions are texts of their own
    words = vocabulary.fit(tokens, fitted_on, min_df=ceil(settings.min_df / step))
    splits = {split: lengths[keep & (documents.splits == split)] for split in SPLITS}
    some = f"{len(sample)} of its {len(documents)} texts"
    origin = "the configuration" if settings.source.place is None else some
    return CorpusSize(splits, len(words), float(lengths.sum()), origin)


def _roughly(texts: Iterable[str], tokenizer: str) -> Iterable[str]:
    """Texts that white space splits into about the tokens of a tokenizer, which takes seconds to load."""
    if tokenizer == "whitespace":
        return texts
    mark = r" \g<0> " if tokenizer == "papers" else " "
    return (_MARK.sub(mark, text.lower()) for text in texts)


def _published(study: Study, corpus: str, reason: str) -> CorpusSize | None:
    """The papers' Table 1, whose sizes are those after their length filter."""
    settings = study.corpora[corpus]
    printed = partial(published, settings.published)
    words = printed(paper="jain_wallace_2019", table="release", metric="vocabulary")
    if words is None:
        return None
    documents = {
        split: round(sum(printed(table="1", class_=c, metric=f"{split}_size") or 0 for c in "01"))
        for split in ("train", "test")
    }
    if study.protocol_of(corpus).train_part == "minus_dev":
        documents["dev"] = round(getattr(settings.source, "dev_share", 0.15) * documents["train"])
        documents["train"] -= documents["dev"]
    mean = printed(table="1", metric="avg_length_tokens") or 0
    splits = {split: spread(mean, size) for split, size in documents.items()}
    read = float(sum(lengths.sum() for lengths in splits.values()))
    return CorpusSize(splits, int(words), read, f"the papers' Table 1, as {reason}")


def spread(mean: float, documents: int) -> Lengths:
    """Lengths of a corpus of which only the mean is known: evenly spaced log-normal quantiles."""
    normal = NormalDist(-(_SPREAD**2) / 2, _SPREAD)
    shares = np.array([normal.inv_cdf((rank + 0.5) / 200) for rank in range(200)])
    lengths = np.maximum(np.rint(mean * np.exp(shares)), 1).astype(np.int64)
    return np.asarray(lengths[np.arange(documents) * 200 // max(1, documents)])
