"""20 Newsgroups, sorted by date (in the layout of 20news-bydate.tar.gz): baseball against hockey."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from attnnn.corpora.splits import carve, carve_dev
from attnnn.corpora.texts import ALL, Collector, Texts
from attnnn.study.sources import NewsgroupsSource

CLASSES = ["baseball", "hockey"]
GROUPS = ("rec.sport.baseball", "rec.sport.hockey")  # by class
PARTS = ("20news-bydate-train", "20news-bydate-test")

# A line that quotes, or that announces a quotation.
_QUOTING = re.compile(
    r"writes in|writes:|wrote:|says:|said:|^(?:In article|Quoted from|\||>)", re.ASCII
)


def read_newsgroups(path: Path, source: NewsgroupsSource, *, undivided: bool) -> Texts:
    """The messages without headers, footers and quotations; test and dev are drawn at random.

    The split by date is not used. Messages with nothing left are counted and left out before splits are
    drawn. Documents are in the order of scikit-learn's `fetch_20newsgroups`, from which the papers drew
    their splits (Jain & Wallace 2019, released preprocessing).

    Args:
        path: the folder.
        source: shares and seed of the splits.
        undivided: whether to leave train whole, without a dev split (switch train_part).
    """
    files, groups = _in_loader_order(path)
    found = Collector()
    for file, label in files:
        text = body(file.read_text(encoding="latin-1"))
        if text.strip():
            found.add(text, label=label, split="train", place=str(file))
        else:
            found.dropped[ALL, "empty without headers, footers and quotations"] += 1
    facts = {"kind": "20news", "folder": source.path, "messages": found.seen, "groups": groups}
    share, seed = source.test_share, source.seed
    documents = found.documents(CLASSES, facts)
    documents, rest = carve(documents, "test", share=share, seed=seed, stratify=True)
    return carve_dev(documents, source, undivided=undivided, stratify=True, among=rest)


def body(message: str) -> str:
    """A message without its header, quotations and signature.

    The header ends at the first empty line. Lines that quote or announce a quotation are removed. The
    signature is what follows the last line that has only hyphens or white space. These are the heuristics
    of scikit-learn's loader with ``remove=("headers", "footers", "quotes")``.
    """
    text = message.partition("\n\n")[2]
    lines = text.strip().split("\n")
    borders = [number for number, line in enumerate(lines) if not line.strip().strip("-")]
    if borders and borders[-1] > 0:
        text = "\n".join(lines[: borders[-1]])
    return "\n".join(line for line in text.split("\n") if not _QUOTING.search(line))


def _in_loader_order(path: Path) -> tuple[list[tuple[Path, int]], int]:
    """The files of the two groups with their classes in the loader's order, and the number of all groups.

    The loader sorts all groups and their files, shuffles each part (seed 0), joins the parts and
    shuffles again (seed 42); the papers then take baseball before hockey.
    """
    ordered: list[tuple[Path, str]] = []
    groups: set[str] = set()
    for part in PARTS:
        listed = [
            (file, group.name)
            for group in sorted((path / part).iterdir())
            if group.is_dir()
            for file in sorted(group.iterdir())
        ]
        groups.update(group for _, group in listed)
        order = np.arange(len(listed))
        np.random.RandomState(0).shuffle(order)
        ordered += [listed[number] for number in order]
    order = np.arange(len(ordered))
    np.random.RandomState(42).shuffle(order)
    shuffled = [ordered[number] for number in order]
    chosen = [
        (file, label)
        for label, wanted in enumerate(GROUPS)
        for file, group in shuffled
        if group == wanted
    ]
    return chosen, len(groups)
