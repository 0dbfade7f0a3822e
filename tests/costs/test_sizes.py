"""Sizes of corpora: prepared, configured, counted, or printed in the papers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnnn.costs import sizes
from attnnn.costs.sizes import sizes_of, spread
from attnnn.dag.work import CorpusSize
from attnnn.errors import UserError
from attnnn.study.config import Study
from tests.costs.conftest import MakeStudy
from tests.support import do
from tests.workflow.test_pairs import write_stories

PLANTED = {"kind": "planted", "regime": "context", "train": 40, "dev": 20, "test": 21}


def size_of(study: Study) -> CorpusSize:
    return sizes_of(study)[0]["toy"]


def assert_equal(found: CorpusSize, planned: CorpusSize) -> None:
    assert found.vocabulary == planned.vocabulary
    for split in ("train", "dev", "test"):
        assert sorted(found.lengths(split)) == sorted(planned.lengths(split))


def table(folder: Path, rows: list[dict[str, str]]) -> dict[str, Any]:
    with (folder / "texts.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return {"kind": "table", "path": "texts.csv"}


def test_a_planted_corpus_has_the_documents_it_is_configured_to_have(make_study: MakeStudy):
    found = size_of(make_study({"source": {**PLANTED, "min_tokens": 10, "max_tokens": 13}}))
    assert {split: len(lengths) for split, lengths in found.splits.items()} == {
        "train": 40,
        "dev": 20,
        "test": 21,
    }
    assert {*found.lengths("train")} == {10, 11, 12, 13}
    assert found.origin == "the configuration"


def test_a_prepared_corpus_is_measured(make_study: MakeStudy):
    study = make_study({"source": PLANTED})
    planned = size_of(study)
    do(study, "prepare", "toy")
    found = size_of(study)
    assert found.origin == "prepared"
    assert len(found.lengths("test")) == 21
    assert_equal(found, planned)


def test_a_corpus_prepared_under_other_settings_is_not_looked_at(make_study: MakeStudy):
    do(make_study({"source": PLANTED}), "prepare", "toy")
    other = make_study({"source": {**PLANTED, "train": 50}})
    assert size_of(other).origin == "the configuration"


def test_trees_are_counted_without_neutral_ones_and_punctuation(
    make_study: MakeStudy, tmp_path: Path
):
    tree = "(3 (2 A) (4 (3 good) (3 (2 film) (2 .))))"
    texts = {
        "train": [tree, tree, "(2 Neutral)"],
        "dev": [tree],
        "test": ["(1 (1 Dull) (2 ,))"],
    }
    for split, lines in texts.items():
        (tmp_path / f"{split}.txt").write_text("\n".join(lines) + "\n")
    found = size_of(make_study({"source": {"kind": "sst", "path": "."}, "tokenizer": "sst"}))
    assert found.lengths("train").tolist() == [3, 3]
    assert found.lengths("dev").tolist() == [3]
    assert found.lengths("test").tolist() == [1]
    assert found.vocabulary == 4 + 3
    long = make_study({"source": {"kind": "sst", "path": "."}, "tokenizer": "sst", "min_length": 2})
    assert len(size_of(long).lengths("test")) == 0


def test_a_table_is_counted_split_by_split(make_study: MakeStudy, tmp_path: Path):
    texts = {"train": ["a b c", "a b"], "validation": ["a"], "test": ["a b c d"], "no": ["x y"]}
    rows = [
        {"text": text, "label": str(label), "split": split}
        for split, all_ in texts.items()
        for label, text in enumerate(all_)
    ]
    source = table(tmp_path, rows) | {"split": "split", "drop_splits": ["no"]}
    found = size_of(make_study({"source": source}))
    assert {split: lengths.tolist() for split, lengths in found.splits.items()} == {
        "train": [3, 2],
        "dev": [1],
        "test": [4],
    }
    assert found.vocabulary == 4 + 3
    assert size_of(make_study({"source": source, "min_df": 2})).vocabulary == 4 + 2
    bounded = make_study({"source": source, "max_length": 2, "min_length": 2})
    assert size_of(bounded).lengths("train").tolist() == [2]


def test_splits_that_will_be_made_are_carved_out(make_study: MakeStudy, tmp_path: Path):
    source = table(tmp_path, [{"text": "a b", "label": str(row % 2)} for row in range(100)])
    found = size_of(make_study({"source": {**source, "test_share": 0.2, "dev_share": 0.25}}))
    assert {split: len(lengths) for split, lengths in found.splits.items()} == {
        "train": 60,
        "dev": 20,
        "test": 20,
    }
    sampled = size_of(make_study({"source": {**source, "rows": {"train": 7}}}))
    assert len(sampled.lengths("train")) == 7


@pytest.mark.parametrize("tokenizer", ["whitespace", "papers", "sst", "20news", "keras"])
def test_counts_are_near_what_is_prepared(make_study: MakeStudy, tmp_path: Path, tokenizer: str):
    rng = np.random.default_rng(0)
    words = [f"w{''.join(map(chr, rng.integers(97, 123, 5)))}" for _ in range(200)]
    rows = []
    for row in range(300):
        chosen = rng.choice(words, rng.integers(5, 40))
        ends = rng.choice(["", ",", "."], len(chosen), p=[0.8, 0.1, 0.1])
        text = " ".join(word + end for word, end in zip(chosen, ends, strict=True))
        rows.append({"text": text, "label": str(row % 2)})
    study = make_study({"source": table(tmp_path, rows), "tokenizer": tokenizer, "min_df": 3})
    counted = size_of(study)
    do(study, "prepare", "toy")
    prepared = size_of(study)
    assert counted.all_lengths.sum() == pytest.approx(prepared.all_lengths.sum(), rel=0.12)
    assert counted.vocabulary == pytest.approx(prepared.vocabulary, rel=0.12)
    if tokenizer == "whitespace":
        assert_equal(counted, prepared)


def test_of_many_texts_some_tell_the_lengths_of_the_others(
    make_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sizes, "_TOKENISED", 100)
    rng = np.random.default_rng(0)
    counts = rng.integers(5, 40, 600)
    rows = [
        {"text": " ".join(f"w{word}" for word in rng.integers(0, 30, count)), "label": str(row % 2)}
        for row, count in enumerate(counts)
    ]
    study = make_study({"source": table(tmp_path, rows), "tokenizer": "whitespace", "min_df": 6})
    counted = size_of(study)
    assert counted.origin == "100 of its 600 texts"
    assert len(counted.all_lengths) == 600
    assert counted.all_lengths.sum() == pytest.approx(counts.sum(), rel=0.02)
    assert counted.vocabulary == 4 + 30


def test_a_text_without_words_is_planned_with(make_study: MakeStudy, tmp_path: Path):
    rows = [{"text": text, "label": str(row % 2)} for row, text in enumerate(["a", "..."] * 10)]
    study = make_study({"source": table(tmp_path, rows), "tokenizer": "20news"})
    assert {*size_of(study).all_lengths} == {1}


@pytest.mark.parametrize("protocol", ["clean", "jain-wallace"])
def test_stories_are_counted_up_to_their_questions(
    make_study: MakeStudy, tmp_path: Path, protocol: str
):
    rng = np.random.default_rng(0)
    for split, stories in {"train": 20, "test": 5}.items():
        write_stories(tmp_path / f"qa1_single-supporting-fact_{split}.txt", stories, rng)
    source = {"kind": "babi", "task": 1, "answer_tasks": [1], "path": "."}
    study = make_study(
        {"source": source, "protocol": protocol, "switches": {"strict_length_filter": False}},
        papers=["jain-wallace"],
        training={"hidden_size": 4},
    )
    counted = size_of(study)
    do(study, "prepare", "toy")
    prepared = size_of(study)
    assert prepared.origin == "prepared"
    assert_equal(counted, prepared)


def test_premises_and_passages_are_counted(make_study: MakeStudy, tmp_path: Path):
    pair = {"gold_label": "neutral", "sentence1": "a b c", "sentence2": "d"}
    record = "who is @entity1\n@entity1\n@entity1 is one of them\n\n"
    for split, pairs in {"train": 6, "dev": 2, "test": 3}.items():
        (tmp_path / f"snli_1.0_{split}.jsonl").write_text((json.dumps(pair) + "\n") * pairs)
        (tmp_path / f"{split}.txt").write_text(record * pairs)
    for kind, tokens, words in (("snli", 3, 4), ("cnn", 5, 6)):
        found = size_of(
            make_study(
                {"source": {"kind": kind, "path": "."}},
                papers=["jain-wallace"],
                training={"hidden_size": 4},
            )
        )
        assert {split: lengths.tolist() for split, lengths in found.splits.items()} == {
            "train": [tokens] * 6,
            "dev": [tokens] * 2,
            "test": [tokens] * 3,
        }
        assert found.vocabulary == 4 + words


def test_pairs_that_are_not_there_are_left_out_or_refused(make_study: MakeStudy):
    nowhere = {"source": {"kind": "babi", "task": 1, "path": "nowhere"}, "published": "bAbI 1"}
    settings = {"papers": ["jain-wallace"], "training": {"hidden_size": 4}}
    with pytest.raises(UserError, match="nowhere does not exist"):
        sizes_of(make_study(nowhere, **settings))
    both = {"toy": nowhere, "other": {"source": PLANTED}}
    found, left_out = sizes_of(make_study(corpora=both, missing_corpora="leave_out", **settings))
    assert (list(found), len(left_out)) == (["other"], 1)


def test_the_papers_table_1_stands_in_for_a_missing_file(make_study: MakeStudy):
    source = {"kind": "sst", "path": "nowhere"}
    clean = size_of(make_study({"source": source, "published": "SST"}))
    assert len(clean.lengths("train")) + len(clean.lengths("dev")) == 3034 + 3321
    assert len(clean.lengths("test")) == 863 + 862
    assert clean.all_lengths.mean() == pytest.approx(19, rel=0.02)
    assert "Table 1" in clean.origin
    assert "nowhere" in clean.origin
    imdb = {"kind": "imdb", "path": "nowhere", "dev_share": 0.25}
    assert len(size_of(make_study({"source": imdb, "published": "IMDb"})).lengths("dev")) == 6250
    published = {"source": source, "published": "SST", "protocol": "wiegreffe-pinter"}
    assert len(size_of(make_study(published)).lengths("dev")) == 0


def test_a_corpus_of_unknown_size_is_refused_or_left_out(make_study: MakeStudy):
    unknown = {"source": {"kind": "table", "path": "nowhere.csv"}}
    with pytest.raises(UserError, match=r"toy: .*nowhere\.csv does not exist, so nothing is known"):
        sizes_of(make_study(unknown))
    planted = {"source": PLANTED}
    both = make_study(missing_corpora="leave_out", corpora={"toy": unknown, "other": planted})
    found, left_out = sizes_of(both)
    assert list(found) == ["other"]
    assert len(left_out) == 1
    assert "nowhere.csv" in left_out[0]
    with pytest.raises(UserError, match="no corpus was found"):
        sizes_of(make_study(unknown, missing_corpora="leave_out"))


def test_lengths_of_which_only_the_mean_is_known_keep_it():
    lengths = spread(100.0, 5000)
    assert len(lengths) == 5000
    assert lengths.mean() == pytest.approx(100, rel=0.02)
    assert lengths.min() >= 1
    assert lengths.std() > 30
