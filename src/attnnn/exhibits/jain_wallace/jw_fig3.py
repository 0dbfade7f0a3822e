"""Figure 3 of Jain & Wallace 2019."""

from attnnn.dag.exhibit import FigureExhibit
from attnnn.exhibits import needs

EXHIBIT = FigureExhibit(
    papers=("jain-wallace",),
    question="Do gradients and leave-one-out agree with each other more than attention does with leave-"
    "one-out?",
    caption="Mean over test documents of τ-b between gradients and leave-one-out minus τ-b between "
    "attention and leave-one-out, by corpus and predicted class, for the BiLSTM. Lines are 95 % "
    "percentile bootstrap intervals over the n documents in which both are defined; the paper "
    "drew its error bars from synthetic samples of the stored mean and deviation. The dotted line"
    " is the mean over corpora that the paper's caption gives. More than three classes are drawn "
    "together.",
    needs=needs.correlation,
    settings=frozenset({"base_seed", "bootstrap"}),
    draw="differences:beside_leave_one_out",
)
