"""Finished studies: a made-up one with all its tables, and handmade ones of a few documents."""

import pytest

from attnnn.exhibits.drawing.style import house_style
from tests.exhibits import synthetic


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A study of a corpus of the papers, a planted one and two of pairs, ready to be published."""
    folder = tmp_path_factory.mktemp("finished") / "results"
    study = synthetic.study(
        folder,
        ["sst", "needle", "babi", "snli"],
        lambdas=[0, 5e-4, 1e-3, 1e-2],
        papers=["jain-wallace", "wiegreffe-pinter", "serrano-smith"],
        log_odds={"run": True},
    )
    synthetic.write_study(study, test_size=40)
    return study


@pytest.fixture
def styled():
    with house_style():
        yield
