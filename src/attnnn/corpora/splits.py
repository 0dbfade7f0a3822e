"""Splits that a source lacks, samples, and what every split must hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attnnn.corpora.texts import SPLITS, Dropped, Texts
from attnnn.errors import UserError
from attnnn.study.sources import (
    AdrSource,
    AgNewsSource,
    BabiSource,
    ImdbSource,
    MimicSource,
    NewsgroupsSource,
)

UNSPLIT = ""  # the split of a document whose source gives none


def make_missing_splits(
    splits: NDArray[np.str_],
    labels: NDArray[np.int64],
    *,
    dev_share: float,
    test_share: float,
    undivided: bool,
    seed: int,
) -> tuple[NDArray[np.str_], str | None]:
    """Give every document a split; missing test and dev splits are carved out of train.

    Args:
        splits: shape (documents,): train, dev, test or, for all documents, `UNSPLIT`.
        labels: shape (documents,): the classes, by which the new splits are stratified.
        dev_share: the share of train that becomes dev, after test is carved out.
        test_share: the share of all documents that becomes test.
        undivided: whether to leave train whole, without a dev split (switch train_part).
        seed: of both draws.

    Returns:
        The splits, and in words which were made; None if none was.

    Raises:
        UserError: train is too small.
    """
    out = np.where(splits == UNSPLIT, "train", splits).astype("<U5")
    made = []
    wanted = [("test", test_share, len(out))]
    if not undivided:
        wanted.append(("dev", dev_share, 0))
    for split, share, of in wanted:
        if (out == split).any():
            continue
        train = np.flatnonzero(out == "train")
        size = round(share * (of or len(train)))
        chosen = _stratified(labels[train], size, seed, f"a {split} split of {size} documents")
        out[train[chosen]] = split
        made.append(f"{split} ({size} documents, {share:g} of {'all' if of else 'train'})")
    if not made:
        return out, None
    return out, f"made from train, stratified by class, seed {seed}: {' and '.join(made)}"


def carve(
    documents: Texts,
    into: str,
    *,
    share: float,
    seed: int,
    stratify: bool,
    among: NDArray[np.int64] | None = None,
) -> tuple[Texts, NDArray[np.int64]]:
    """Turn a share of the train documents into another split, document for document as the papers did.

    The draw is scikit-learn's `train_test_split`: the same documents in the same order with the same
    seed give the same split.

    Args:
        documents: of which some are in train.
        into: the new split.
        share: of the train documents; the size is rounded up.
        seed: of the draw.
        stratify: whether both parts keep the proportions of the classes.
        among: the train documents in the order in which they are drawn from; None: the order of the source.

    Returns:
        The documents, and the rest of train in the order in which the draw leaves it; for some corpora the
        papers draw from that order next.

    Raises:
        UserError: train is too small.
    """
    from sklearn.model_selection import train_test_split

    train = np.flatnonzero(documents.splits == "train") if among is None else among
    classes = documents.labels[train] if stratify else None
    try:
        rest, chosen = train_test_split(train, test_size=share, random_state=seed, stratify=classes)
    except ValueError as error:
        raise UserError(
            f"a {into} split of {share:g} of {len(train)} documents cannot be drawn "
            f"({' '.join(str(error).split())}); provide more documents or change the share"
        ) from None
    splits = documents.splits.astype("<U5")
    splits[chosen] = into
    how = "stratified by class" if stratify else "whatever the class"
    made = f"{into}: {len(chosen)} of {len(train)} train documents, {how}, seed {seed}"
    all_made = "; ".join(part for part in (documents.made_splits, made) if part)
    return replace(documents, splits=splits, made_splits=all_made), rest


def carve_dev(
    documents: Texts,
    source: AdrSource | AgNewsSource | BabiSource | ImdbSource | MimicSource | NewsgroupsSource,
    *,
    undivided: bool,
    stratify: bool = False,
    among: NDArray[np.int64] | None = None,
) -> Texts:
    """Carve the dev split that a source describes, unless train stays undivided (switch train_part)."""
    if undivided:
        return documents
    share, seed = source.dev_share, source.seed
    return carve(documents, "dev", share=share, seed=seed, stratify=stratify, among=among)[0]


def sample(documents: Texts, rows: Mapping[str, int], *, seed: int) -> Texts:
    """At most `rows[split]` documents of each named split, stratified by class, in source order."""
    keep = np.ones(len(documents), dtype=np.bool_)
    dropped = []
    for split, size in rows.items():
        members = np.flatnonzero(documents.splits == split)
        if len(members) <= size:
            continue
        what = f"a sample of {size} rows (key rows.{split})"
        keep[members] = False
        keep[members[_stratified(documents.labels[members], size, seed, what)]] = True
        reason = f"not in the sample (rows.{split} = {size}, stratified, seed {seed})"
        dropped.append(Dropped(split, reason, len(members) - size))
    return documents.take(np.flatnonzero(keep), dropped)


def _stratified(labels: NDArray[np.int64], size: int, seed: int, what: str) -> NDArray[np.int64]:
    """`size` indices into `labels`, ascending, each class in proportion."""
    from sklearn.model_selection import StratifiedShuffleSplit

    classes = Counter(labels.tolist())
    rest = len(labels) - size
    if min(classes.values(), default=0) < 2 or min(size, rest) < len(classes):
        raise UserError(
            f"{what} cannot be drawn from {len(labels)} documents with {sorted(classes.values())} of "
            "each class so that both parts hold every class; provide more documents or change the shares"
        )
    splitter = StratifiedShuffleSplit(1, train_size=rest, test_size=size, random_state=seed)
    _, chosen = next(splitter.split(np.zeros(len(labels)), labels))
    return np.sort(chosen).astype(np.int64)


def require_classes(documents: Texts, *, where: str) -> None:
    """Refuse a corpus without train or test documents, or with a split that lacks a class.

    If the classes are the possible answers to questions, a split need not hold them all.

    Args:
        documents: those that are kept.
        where: the source, as errors name it.

    Raises:
        UserError: the split and the class are named.
    """
    classes = documents.classes
    every_class = documents.questions is None or documents.questions.every_class
    for split in SPLITS:
        counts = np.bincount(documents.labels[documents.splits == split], minlength=len(classes))
        if not counts.any() and split == "dev":
            continue  # the protocol says whether dev is needed
        if not counts.any():
            shown = ", ".join(classes[:5]) + (", …" if len(classes) > 5 else "")
            raise UserError(
                f"{where}: split {split} is empty: expected documents of classes {shown}; "
                "check min_length, max_length and the splits of the source"
            )
        missing = [name for name, count in zip(classes, counts, strict=True) if count == 0]
        if missing and every_class:
            raise UserError(
                f"{where}: split {split} has no document of class {missing[0]!r} among its {counts.sum()}: "
                "expected every class in every split; check the splits and labels of the source"
            )


def require_dev(selecting: Sequence[str], has_dev: bool) -> None:
    """Refuse a protocol that selects on dev if there is no dev split.

    Args:
        selecting: the switches that select something on dev.
        has_dev: whether there is a dev split.

    Raises:
        UserError: the switches are named.
    """
    if selecting and not has_dev:
        raise UserError(
            f"expected a dev split to select on (switches: {', '.join(selecting)}), found none; set "
            "train_part: minus_dev to carve one out of train, or select on another split"
        )
