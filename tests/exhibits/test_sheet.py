import math

from attnnn.exhibits.facts import Fact
from attnnn.exhibits.sheet import Cell, Sheet, best, latex_text, measured, protocol_phrase
from attnnn.study.config import validate

SHEET = Sheet(
    caption="95 % of |Δp| & more.",
    columns=["corpus", "λ", "F1"],
    rows=[["ag_news", "5e-04", Cell("0.9", bold=True)], [], ["a|b", "1", "–"]],
    text_columns=1,
    notes=["Note 1."],
)


def test_markdown():
    assert SHEET.markdown().splitlines() == [
        "95 % of |Δp| & more.",
        "",
        "| corpus | λ | F1 |",
        "| --- | ---: | ---: |",
        "| ag_news | 5e-04 | **0.9** |",
        "| a\\|b | 1 | – |",
        "",
        "Note 1.",
    ]


def test_latex():
    lines = SHEET.latex("table_x").splitlines()
    assert r"\caption{95 \% of $|$$\Delta$p$|$ \& more. Note 1.}" in lines
    assert r"\begin{tabular}{lrr}" in lines
    assert r"ag\_news & 5e-04 & \textbf{0.9} \\" in lines
    assert lines.index(r"\midrule") < lines.index(r"a$|$b & 1 & -- \\")


def _pages(rows):
    sheet = Sheet(caption="Much.", columns=["corpus", "F1"], rows=rows)
    pages = sheet.latex("long_one").split(r"\begin{table}")[1:]
    return sheet, [[line for line in page.splitlines() if line.endswith(r"\\")] for page in pages]


def test_a_long_table_goes_on_at_a_group_of_rows():
    groups = [[[f"corpus{k}", str(row)] for row in range(20)] for k in range(3)]
    sheet, pages = _pages([*groups[0], [], *groups[1], [], *groups[2]])
    assert [len(page) for page in pages] == [1 + 40, 1 + 20]
    assert pages[1][0] == r"corpus & F1 \\"
    assert pages[1][1] == r"corpus2 & 0 \\"
    assert sheet.latex("long_one").count(r"\caption{Much.}") == 1
    assert r"Table~\ref{tab:long-one}, continued." in sheet.latex("long_one")


def test_a_group_of_more_rows_than_a_page_is_divided():
    sheet, pages = _pages([["one", str(row)] for row in range(120)])
    assert [len(page) - 1 for page in pages] == [48, 48, 24]
    assert sum(r"\midrule" in page for page in sheet.latex("long_one").split(r"\begin{table}")) == 3


def test_latex_escapes_what_latex_reads_otherwise():
    assert latex_text(r"a_b {50 %} #1 \x ~ ^ $") == (
        r"a\_b \{50 \%\} \#1 \textbackslash{}x \textasciitilde{} \textasciicircum{} \$"
    )


def test_measured_shows_what_there_is():
    fact = Fact("sst", "a", "f1", 0.8125, 0.75, 0.875, 99, 0.831)
    assert measured(fact) == "0.812 [0.750, 0.875] (0.831)"
    assert measured(Fact("sst", "a", "f1", None)) == "–"
    assert measured(Fact("sst", "a", "f1", math.nan)) == "NaN"
    assert measured(None) == "–"
    assert measured(Fact("sst", "a", "f1", -0.0004)) == "0.000"


def test_best_marks_all_that_print_alike_and_nothing_without_a_rival():
    facts = [
        Fact("sst", name, "f1", value) for name, value in {"a": 0.9, "b": 0.90001, "c": 0.8}.items()
    ]
    assert best(facts) == facts[:2]
    assert best([facts[0], None, Fact("sst", "d", "f1", math.nan)]) == []


def _study(**settings):
    planted = {"source": {"kind": "planted", "regime": "needle"}}
    other = {**planted, "protocol": "wiegreffe-pinter"}
    return validate({"corpora": {"one": planted, "two": other}, **settings}, where="test")


def test_caption_names_protocols_and_the_switches_that_depart_from_them():
    assert protocol_phrase(_study(switches={"tvd_scale": "half_scalar"})) == (
        "Protocols by corpus — one: clean with tvd_scale = half_scalar; two: wiegreffe-pinter."
    )
    assert protocol_phrase(_study(protocol="wiegreffe-pinter")) == "Protocol wiegreffe-pinter."
