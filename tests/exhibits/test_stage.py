"""Every table and figure from the files it declares and from nothing else."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from attnnn.dag import layout, targets
from attnnn.exhibits.stage import write_figure, write_table
from tests.exhibits import synthetic


@pytest.fixture(scope="session")
def publish(finished, tmp_path_factory):
    """Publish one table or figure in a folder that holds only what it says it needs."""

    def publish(name, write):
        folder = tmp_path_factory.mktemp(name) / "results"
        for path in targets.needs(finished, name):
            copy = folder / Path(path).relative_to(finished.results_dir)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        study = finished.model_copy(update={"results_dir": str(folder)})
        write(study, name)
        return layout.Layout(str(folder))

    return publish


@pytest.mark.parametrize("name", layout.TABLES)
def test_table(publish, name):
    first, second = publish(name, write_table), publish(name, write_table)
    for form in layout.TABLE_FORMATS:
        assert (
            Path(first.table(name, form)).read_bytes()
            == Path(second.table(name, form)).read_bytes()
        )
    rows = Path(first.table(name, "csv")).read_text(encoding="utf-8").splitlines()
    assert rows[0] == "corpus,setting,metric,value,low,high,n,published"
    assert len(rows) > 1
    assert "Protocol clean." in Path(first.table(name, "md")).read_text(encoding="utf-8")
    _check_latex(Path(first.table(name, "tex")).read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("name", layout.FIGURES)
def test_figure(publish, name):
    first, second = publish(name, write_figure), publish(name, write_figure)
    for form in layout.FIGURE_FORMATS:
        content = Path(first.figure(name, form)).read_bytes()
        assert content == Path(second.figure(name, form)).read_bytes()
    pdf = Path(first.figure(name, "pdf")).read_bytes()
    assert b"/CIDFontType2" in pdf
    assert b"/Type3" not in pdf
    assert b"/CreationDate" not in pdf


def test_planted_table_of_a_study_without_planted_corpora(tmp_path):
    study = synthetic.study(tmp_path / "results", ["sst"])
    write_table(study, "planted_truth")
    paths = layout.Layout(study.results_dir)
    csv = Path(paths.table("planted_truth", "csv")).read_text(encoding="utf-8")
    assert csv == "corpus,setting,metric,value,low,high,n,published\n"
    markdown = Path(paths.table("planted_truth", "md")).read_text(encoding="utf-8")
    assert "No corpus of this study is planted" in markdown
