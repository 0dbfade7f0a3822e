"""The protocols: `clean`, and presets that keep what was published, defects included.

Every field is one switch. A preset names the switches in which it departs from `clean`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

ProtocolName = Literal[
    "clean", "jain-wallace", "jain-wallace-dev", "wiegreffe-pinter", "serrano-smith"
]


class Protocol(BaseModel):
    """Every decision in which the papers' released code and good practice differ.

    The defaults are the clean protocol.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    select_split: Literal["dev", "test"] = Field(
        "dev",
        description="Split on which the epoch of a model is selected. `test` reproduces both papers' "
        "published numbers and leaks the test set.",
    )
    first_epoch_saveable: bool = Field(
        True, description="Whether the first epoch may be the selected one (Jain & Wallace: no)."
    )
    vocab_fit: Literal["train", "all"] = Field(
        "train",
        description="Documents that the vocabulary is counted on: `train`, or `all` splits.",
    )
    train_part: Literal["minus_dev", "undivided"] = Field(
        "minus_dev",
        description="What becomes of a corpus without a dev split: `minus_dev` carves one out of train, "
        "`undivided` trains on all of train and has no dev split.",
    )
    strict_length_filter: bool = Field(
        False,
        description="True: keep a document only if min_length < n < max_length, both strict, a missing "
        "bound being the split's own extreme. False: keep min_length <= n <= max_length, and a "
        "missing bound drops nothing.",
    )
    l2_mode: Literal["coupled", "decoupled", "none"] = Field(
        "coupled",
        description="Weight decay: `coupled` adds it to the gradient of every parameter, rows of unseen "
        "words included (Adam with L2); `decoupled` is AdamW.",
    )
    loss_reduction: Literal["sum", "mean"] = Field(
        "sum", description="How instance losses of a batch become one number."
    )
    epsilon_select: float = Field(
        0.01,
        gt=0,
        description="The ε of the headline ε-max JSD: the largest allowed change of the prediction. Jain & "
        "Wallace's text says 0.01 for classification, the code used 0.05.",
    )
    cross_jsd_weight: Literal["paper", "code"] = Field(
        "paper",
        description="Weight of the diversity term of the searched adversary: 1/(k(k-1)) over unordered "
        "pairs (`paper`), or 2/k² (`code`, 1.6 times as much at k = 5).",
    )
    adv_iterate: Literal["best_feasible", "last"] = Field(
        "best_feasible",
        description="Iterate of the search that counts: the best one met so far that satisfies ε, or the "
        "last one, feasible or not.",
    )
    class_hinge: Literal["tvd", "l1"] = Field(
        "tvd",
        description="Change of a prediction among more than two classes in the hinge of the searched "
        "adversary: total variation distance (`tvd`), or twice that, Σ|Δp|, as in Jain & Wallace's code.",
    )
    tvd_scale: Literal["full", "half_scalar"] = Field(
        "full",
        description="Total variation distance in the loss of the trained adversary and in the headline "
        "columns: |Δp|, or half of it as Wiegreffe & Pinter's code computes it.",
    )
    adv_batch_weight: Literal["none", "code"] = Field(
        "none",
        description="`code` multiplies each batch loss of the trained adversary by the summed class weights "
        "of its gold labels.",
    )
    adv_select: Literal["dev_loss", "train_loss", "test_loss"] = Field(
        "dev_loss", description="Loss that selects the epoch of a trained adversary."
    )
    adv_epochs: int = Field(40, ge=1, description="Epochs of a trained adversary, at most.")
    adv_patience: int | None = Field(
        None,
        ge=1,
        description="Stop after this many epochs without a lower selecting loss; null: never.",
    )
    adv_seed: Literal["same", "different", "both"] = Field(
        "both",
        description="Seed of the trained adversaries: the base model's (same initial weights and batch "
        "order), the first other seed, or both.",
    )
    lambda_select: Literal["dev", "test"] = Field(
        "dev", description="Split on which the λ of Table 4 (best F1 with JSD >= .4) is chosen."
    )
    cnn_width: Literal["single", "double"] = Field(
        "single",
        description="Width of a CNN's states: hidden_size, or twice that, as in the runs behind Jain & "
        "Wallace's published tables.",
    )
    logit_dropout: Literal["input", "logits"] = Field(
        "input",
        description="What the last dropout of Serrano & Smith's models is of: the `input` of the last layer, "
        "or its `logits`, as in their code.",
    )
    gru_bias: Literal["zero", "lstm_init"] = Field(
        "zero",
        description="Hidden biases of Serrano & Smith's GRUs at the start: `zero`, or 1 where an LSTM would "
        "have its forget gate (`lstm_init`, in their code), which in a GRU is half of either gate.",
    )
    random_r: Literal["others", "positions"] = Field(
        "others",
        description="The random item that the highest weight is compared with: drawn from all `others`, "
        "or a raw position from the second to the last, which may be the item itself, as in Serrano & "
        "Smith's code.",
    )
    count_full_erasure: bool = Field(
        False,
        description="Whether a decision that changes only once the last weight is erased, leaving the bias, "
        "counts as changed (Serrano & Smith's code), or as never changing.",
    )
    per_ranking_subset: bool = Field(
        False,
        description="Whether each ranking is summarised over the documents that it flips (Serrano & Smith), "
        "or all rankings over those that every one of them flips.",
    )
    grad_through_attention: bool = Field(
        False,
        description="Let the gradient importance flow through the attention weights too. The papers hold "
        "them constant.",
    )
    nan_policy: Literal["exclude", "propagate"] = Field(
        "exclude",
        description="Documents whose τ is undefined (a constant vector): counted and left out of the mean, "
        "or left in, which makes the mean NaN.",
    )

    @property
    def selecting_on_dev(self) -> list[str]:
        """The switches that select something on the dev split."""
        return [switch for switch, value in _ON_DEV.items() if getattr(self, switch) == value]


# The switches that select something on the dev split, and the value with which they do.
_ON_DEV = {"select_split": "dev", "lambda_select": "dev", "adv_select": "dev_loss"}

# What both generations of Jain & Wallace's runs share.
_JAIN_WALLACE: dict[str, Any] = {
    "first_epoch_saveable": False,
    "strict_length_filter": True,
    "epsilon_select": 0.05,
    "cross_jsd_weight": "code",
    "adv_iterate": "last",
    "class_hinge": "l1",
    "nan_policy": "propagate",
}

PRESETS: dict[ProtocolName, dict[str, Any]] = {
    "clean": {},
    # The runs behind the published tables.
    "jain-wallace": {
        **_JAIN_WALLACE,
        "select_split": "test",
        "vocab_fit": "all",
        "train_part": "undivided",
        "cnn_width": "double",
        # Trained adversaries are not theirs; without a dev split, none can be selected on it either.
        "adv_select": "train_loss",
        "lambda_select": "test",
    },
    # The later runs that their repository keeps, selected on dev.
    "jain-wallace-dev": _JAIN_WALLACE,
    "wiegreffe-pinter": {
        "select_split": "test",
        "train_part": "undivided",
        "strict_length_filter": True,
        "epsilon_select": 0.05,
        "cross_jsd_weight": "code",
        "adv_iterate": "last",
        "tvd_scale": "half_scalar",
        "adv_batch_weight": "code",
        "adv_select": "train_loss",
        "adv_epochs": 80,
        "adv_patience": 10,
        "adv_seed": "same",
        "lambda_select": "test",
        "nan_policy": "propagate",
    },
    "serrano-smith": {
        "logit_dropout": "logits",
        "gru_bias": "lstm_init",
        "random_r": "positions",
        "count_full_erasure": True,
        "per_ranking_subset": True,
    },
}


def resolve(name: ProtocolName, switches: dict[str, Any]) -> Protocol:
    """The preset `name` with single switches overridden.

    Raises:
        ValueError: an unknown switch or an impossible value.
    """
    try:
        return Protocol.model_validate({**PRESETS[name], **switches})
    except ValidationError as error:
        faults = [f"switches.{item['loc'][0]}: {item['msg']}" for item in error.errors()]
        raise ValueError(
            f"{'; '.join(faults)}; the switches are {', '.join(Protocol.model_fields)}"
        ) from None
