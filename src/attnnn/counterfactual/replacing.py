"""The replacing stage: a run under the attention, and with the words, that a bag of words names."""

from __future__ import annotations

from pathlib import Path

from attnnn.counterfactual.outcome import Outcome
from attnnn.counterfactual.substitution import substitute
from attnnn.dag.layout import Layout
from attnnn.errors import UserError
from attnnn.machine import set_up_torch
from attnnn.measures import total_variation_distance
from attnnn.readout.decoder import Decoder
from attnnn.readout.predictions import read_test_predictions
from attnnn.study import identity
from attnnn.study.config import Study
from attnnn.study.design import Run
from attnnn.tables import schemas
from attnnn.tables.store import write_table


def replace(study: Study, run: Run, *, device: str, threads: int) -> None:
    """Write what log-odds attention, and substituted words, do to the predictions of the test split.

    Args:
        study: the configuration.
        run: whose attention and whose most attended words are replaced.
        device: ``cpu`` or ``cuda``.
        threads: CPU threads; results are equal to the byte for the same number.

    Raises:
        UserError: a file that it needs is missing, or the run is of pairs of texts.
    """
    from attnnn.models.documents import read_documents
    from attnnn.models.log_odds import read_word_weights
    from attnnn.models.persistence import load_classifier
    from attnnn.models.prediction import predict

    set_up_torch(threads)
    layout = Layout(study.results_dir)
    predictions, decoder = read_test_predictions(layout.predictions_of(run))
    if not isinstance(decoder, Decoder):
        raise UserError(
            f"{run.corpus}: a bag of words is of single texts and two classes; leave this corpus out of "
            "the command"
        )
    tokens = read_documents(layout.corpus(run.corpus, "documents.parquet")).of_split("test").tokens
    words = read_word_weights(layout.corpus(run.corpus, "log_odds.parquet"))
    imposed = Outcome.of(words.attention(tokens), predictions.attention, decoder)
    strongest = [words.strongest(class_, study.log_odds.substituted_words) for class_ in (0, 1)]
    other, count = substitute(tokens, predictions.attention, predictions.predicted, strongest)
    folder = Path(layout.predictions_of(run)).parent
    read_again = predict(load_classifier(folder, device=device), other, pieces=False)
    write_table(
        layout.analysis_of("replacement", run),
        schemas.REPLACEMENT,
        {
            "document": predictions.document,
            "predicted": predictions.predicted,
            "counted_words": words.counted(tokens),
            "jsd": imposed.jsd,
            "imposed_probability": imposed.probability,
            "imposed_change": imposed.change,
            "substituted_words": count,
            "substituted_probability": read_again.probability,
            "substituted_change": total_variation_distance(
                read_again.probability, predictions.probability
            ),
        },
        made_by={"corpus": run.corpus, "identity": identity.of_replacement(study, run)},
    )
