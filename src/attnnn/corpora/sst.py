"""The Stanford Sentiment Treebank (Socher et al. 2013): PTB trees with a sentiment at each node."""

from __future__ import annotations

import re
from pathlib import Path

from attnnn.corpora.files import opened
from attnnn.corpora.texts import SPLITS, Collector, Texts
from attnnn.errors import UserError
from attnnn.study.sources import SstSource

CLASSES = ["negative", "positive"]
_NEUTRAL = 2
_SYMBOL = re.compile(r"[()]|[^ \t\r()]+")  # words such as 8½ hold no-break spaces


def read_sst(path: Path, source: SstSource, *, undivided: bool) -> Texts:
    """The sentences of ``train.txt``, ``dev.txt`` and ``test.txt``, one tree per line.

    A sentence is the leaves of its whole tree; phrases are not used. Root sentiments 0 and 1 are
    negative, 3 and 4 positive; neutral sentences are left out and counted (binary SST).

    Args:
        path: the folder.
        source: its name in the configuration.
        undivided: not used, as dev is given.

    Raises:
        UserError: a line that is not a tree.
    """
    found = Collector()
    for split in SPLITS:
        file = path / f"{split}.txt"
        with opened(file) as content:
            lines = content.read().rstrip("\n").split("\n")
        for number, line in enumerate(lines, start=1):
            place = f"{file}:{number}"
            sentiment, leaves = parse_tree(line, place=place)
            if sentiment == _NEUTRAL:
                found.dropped[split, f"neutral (root sentiment {_NEUTRAL})"] += 1
                continue
            label = int(sentiment > _NEUTRAL)
            found.add(" ".join(leaves), label=label, split=split, place=place)
    return found.documents(CLASSES, {"kind": "sst", "trees": found.seen, "folder": source.path})


def parse_tree(line: str, *, place: str) -> tuple[int, list[str]]:
    """The root's sentiment (0 to 4) and the leaves of a tree such as ``(3 (2 It) (4 shines))``.

    A node is a sentiment followed by one word or by further nodes.

    Raises:
        UserError: the line is not such a tree; `place` is named.
    """
    leaves: list[str] = []
    sentiments: list[int] = []
    content: list[str] = []  # of each open node: "nothing" so far, "word" or "nodes"
    symbols = _SYMBOL.findall(line)
    position = 0
    while position < len(symbols):
        symbol = symbols[position]
        if symbol == "(":
            position += 1
            sentiments.append(_sentiment(symbols, position, place))
            if content and content[-1] == "word":
                raise _unparsable(place, "a node beside a word")
            if not content and len(sentiments) > 1:
                raise _unparsable(place, "a second tree on the line")
            content[-1:] = [*(["nodes"] if content else []), "nothing"]
        elif not content:
            raise _unparsable(place, f"{symbol!r} outside the tree")
        elif symbol == ")":
            if content.pop() == "nothing":
                raise _unparsable(place, "a node with nothing in it")
        else:
            if content[-1] != "nothing":
                raise _unparsable(place, f"the word {symbol!r} beside a word or a node")
            content[-1] = "word"
            leaves.append(symbol)
        position += 1
    if content or not sentiments:
        raise _unparsable(place, f"{len(content)} brackets left open" if content else "nothing")
    return sentiments[0], leaves


def _sentiment(symbols: list[str], position: int, place: str) -> int:
    found = symbols[position] if position < len(symbols) else "the end of the line"
    if found not in ("0", "1", "2", "3", "4"):
        raise _unparsable(place, f"{found!r} for a sentiment of 0 to 4")
    return int(found)


def _unparsable(place: str, found: str) -> UserError:
    return UserError(
        f"{place}: expected a tree such as (3 (2 It) (4 shines)), found {found}; download the file again"
    )
