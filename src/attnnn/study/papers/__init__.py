"""The papers: each brings its runs; its exhibits are in the folder of `exhibits` that has its name."""

from __future__ import annotations

from attnnn.study.papers.jain_wallace import JAIN_WALLACE
from attnnn.study.papers.paper import Paper
from attnnn.study.papers.serrano_smith import SERRANO_SMITH
from attnnn.study.papers.wiegreffe_pinter import WIEGREFFE_PINTER

PAPERS: dict[str, Paper] = {
    paper.name: paper for paper in (JAIN_WALLACE, WIEGREFFE_PINTER, SERRANO_SMITH)
}
