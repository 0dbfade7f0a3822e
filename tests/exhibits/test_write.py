"""Every exhibit from the files and keys that it declares and from nothing else."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from attnnn.dag import catalogue
from attnnn.dag.exhibit import FIGURE_FORMATS, TABLE_FORMATS, view
from attnnn.errors import UserError
from attnnn.exhibits.finished import Results
from attnnn.exhibits.write import write
from attnnn.study.runs import base_run, seed_runs
from tests.exhibits import synthetic
from tests.support import Layout


@pytest.fixture(scope="session")
def publish(finished, tmp_path_factory):
    """Write one exhibit in a folder that holds only what it says it needs."""

    def publish(name):
        folder = tmp_path_factory.mktemp(name) / "results"
        for made in catalogue.exhibit(name).inputs(finished):
            copy = folder / made.path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(finished.results_dir) / made.path, copy)
        write(finished.model_copy(update={"results_dir": str(folder)}), name)
        return Layout(str(folder))

    return publish


def named(kind):
    """Exhibits of a kind with the name of their files."""
    return [
        pytest.param(name, name.removesuffix(f"_{kind}"), id=name)
        for name in catalogue.exhibits(kind=kind)
    ]


@pytest.mark.parametrize(("name", "file"), named("table"))
def test_table(publish, name, file):
    first, second = publish(name), publish(name)
    for form in TABLE_FORMATS:
        assert (
            Path(first.table(file, form)).read_bytes()
            == Path(second.table(file, form)).read_bytes()
        )
    rows = Path(first.table(file, "csv")).read_text(encoding="utf-8").splitlines()
    assert rows[0] == "corpus,setting,metric,value,low,high,n,published"
    assert len(rows) > 1
    assert "Protocol clean." in Path(first.table(file, "md")).read_text(encoding="utf-8")
    _check_latex(Path(first.table(file, "tex")).read_text(encoding="utf-8"))


def _check_latex(text):
    """Braces and environments in balance, every row as wide as the header, nothing left unescaped."""
    bare = re.sub(r"\\[\\_%&#${}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert "_" not in bare
    assert not re.search(r"%.+", bare)
    assert text.isascii()
    assert Counter(re.findall(r"\\begin\{(\w+)\}", text)) == Counter(
        re.findall(r"\\end\{(\w+)\}", text)
    )
    width = len(re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)[1])
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {width}


@pytest.mark.parametrize(("name", "file"), named("figure"))
def test_figure(publish, name, file):
    first, second = publish(name), publish(name)
    for form in FIGURE_FORMATS:
        content = Path(first.figure(file, form)).read_bytes()
        assert content == Path(second.figure(file, form)).read_bytes()
    pdf = Path(first.figure(file, "pdf")).read_bytes()
    assert b"/CIDFontType2" in pdf
    assert b"/Type3" not in pdf
    assert b"/CreationDate" not in pdf


def test_an_exhibit_that_has_nothing_to_show_is_not_made(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    made = catalogue.exhibits(study)
    assert "table2" in made
    for name, missing in (("planted_truth", "a planted corpus"), ("jw_log_odds", "log_odds")):
        assert name not in made
        with pytest.raises(UserError, match=f"{name}: no corpus .* {missing}"):
            write(study, name)


def test_what_is_not_declared_cannot_be_read(finished):
    exhibit = catalogue.exhibit("jw_table1")
    seen = view(finished, exhibit)
    assert seen.base_seed == finished.base_seed
    with pytest.raises(AttributeError, match="epsilons"):
        _ = seen.epsilons
    results = Results(seen, Path(finished.results_dir), exhibit.inputs(finished))
    assert len(results.predictions(base_run(finished, "sst")))
    with pytest.raises(RuntimeError, match=r"predictions\.parquet, which it does not declare"):
        results.predictions(seed_runs(finished, "sst")[0])


def test_every_exhibit_stands_alone():
    for name, exhibit in catalogue.exhibits().items():
        assert exhibit.question.endswith(("?", ".")), name
        assert exhibit.caption.endswith("."), name
        assert len(exhibit.caption) > 30, name
