"""All of a study's configuration that a trained model depends on, resolved for one run."""

from __future__ import annotations

from typing import Literal

from attnnn.study.settings import Embedding
from attnnn.study.sources.base import Strict


class Imitating(Strict):
    """How a trained adversary imitates and diverges (Wiegreffe & Pinter 2019, section 4).

    Attributes:
        tvd_scale: of the imitation in its loss; see `study.protocol`, as are the others.
        batch_weight: whether gold labels weigh batches.
        select: the loss that selects its epoch.
    """

    tvd_scale: Literal["full", "half_scalar"]
    batch_weight: Literal["none", "code"]
    select: Literal["dev_loss", "train_loss", "test_loss"]


class Regime(Strict):
    """What Serrano & Smith (2019) do in training, and Jain & Wallace do not.

    Besides, labels have no class weights, the score that selects the epoch is accuracy, and every epoch
    without a better one halves the learning rate.

    Attributes:
        word_dropout: share of the elements of word vectors; this and the others in training alone.
        sentence_dropout: of those of sentence vectors, in a hierarchical model.
        output_dropout: of those of what the last layer reads.
        logit_dropout: whether the last one is of its ``input``, or of the ``logits``.
        gru_bias: what the hidden biases of GRUs start with; see `study.protocol`, as is the one before.
        amsgrad: whether Adam is with AMSGrad.
        clip_norm: largest norm of all gradients together; None: any.
        clip_value: largest magnitude of an element of a gradient; None: any.
        samples_per_batch: bound on the padded length of a batch (in a hierarchical model, that of its
            sentences) times its documents; None: any.
    """

    word_dropout: float
    sentence_dropout: float
    output_dropout: float
    logit_dropout: Literal["input", "logits"]
    gru_bias: Literal["zero", "lstm_init"]
    amsgrad: bool
    clip_norm: float | None
    clip_value: float | None
    samples_per_batch: int | None


class TrainSettings(Strict):
    """How one run is trained, given its corpus and its guide.

    Attributes:
        embedding: where word vectors come from.
        hidden_size: with switch cnn_width counted in.
        epochs: passes over the training split, of an adversary at most.
        batch_size: documents per batch.
        learning_rate: of Adam-AMSGrad, or of what the regime says.
        weight_decay: L2.
        l2_mode: how it is applied.
        loss_reduction: how the losses of a batch become one number.
        select_split: the split that selects the epoch; None for a trained adversary.
        first_epoch_saveable: whether the first epoch may be selected.
        patience: epochs without improvement after which a training ends; None: it never ends early.
        imitating: of a trained adversary alone.
        divergence_weight: of a model drawn to log-odds attention alone.
        regime: of Serrano & Smith's models alone.
    """

    embedding: Embedding
    hidden_size: int
    epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    l2_mode: Literal["coupled", "decoupled", "none"]
    loss_reduction: Literal["sum", "mean"]
    select_split: Literal["dev", "test"] | None
    first_epoch_saveable: bool
    patience: int | None = None
    imitating: Imitating | None = None
    divergence_weight: float | None = None
    regime: Regime | None = None
