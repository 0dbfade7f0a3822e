"""Tables of what is found out about a model: names, types, units, and what may be null."""

from __future__ import annotations

import pyarrow as pa

from attnnn.tables.store import Column, Schema

_DOCUMENT = Column(pa.int64(), "document's number, unique over all splits of the corpus")
_PER_TOKEN = pa.list_(pa.float32())

IMPORTANCE = Schema(
    "importance",
    {
        "document": _DOCUMENT,
        "importance": Column(_PER_TOKEN, "magnitude, at least 0; what rank correlations use"),
        "signed": Column(
            _PER_TOKEN,
            "gradient: e·∂p/∂e; leave-one-out: change of the probability of class 1 when the token goes",
        ),
    },
)

CORRELATION = Schema(
    "correlation",
    {
        "document": _DOCUMENT,
        "predicted": Column(pa.int64(), "predicted class"),
        "class": Column(
            pa.int64(),
            "class that the pair's second score is about: every class that may be the answer, or the "
            "predicted one alone in a corpus where a document has more than 20 of these; null in the "
            "first three pairs, of magnitudes that are about no class",
            nullable=True,
        ),
        "pair": Column(
            pa.string(),
            "attention~gradient, attention~leave_one_out or gradient~leave_one_out; or one of attention, "
            "gradient and leave_one_out ~ attention_gradient (α·∂p/∂α) or ~ contribution (α times what the "
            "token would add to the logit against the other classes), signed: above 0 for the class",
        ),
        "tokens": Column(pa.int64(), "n"),
        "tau": Column(pa.float64(), "Kendall's τ-b; null where it is undefined", nullable=True),
        "p_value": Column(pa.float64(), "two-sided; null where τ is", nullable=True),
        "tau_shuffled": Column(
            pa.float64(),
            "τ after the pair's second score has been shuffled within the document",
            nullable=True,
        ),
        "p_value_shuffled": Column(pa.float64(), "of that τ, two-sided", nullable=True),
        "top_k_distance": Column(
            pa.float64(),
            "Kendall's distance between the k highest tokens, 0 to 1; null of a single token",
            nullable=True,
        ),
        "excluded": Column(
            pa.string(),
            "why τ is undefined: one token, constant attention, …; undefined contribution in a model of "
            "pairs, whose logits are no sum over tokens, and in a run without projected states",
            nullable=True,
        ),
    },
)

PERMUTATION = Schema(
    "permutation",
    {
        "document": _DOCUMENT,
        "predicted": Column(pa.int64(), "predicted class"),
        "max_attention": Column(pa.float64(), "largest attention weight"),
        "median_change": Column(
            pa.float64(), "median over the permutations of |Δp|; more than two classes: of ½ Σ|Δp|"
        ),
        "mean_change": Column(pa.float64(), "mean over the permutations of the same"),
        "logit_mean": Column(
            pa.float64(),
            "exact mean of the logit over all n! permutations; null for more than two classes",
            nullable=True,
        ),
        "logit_std": Column(
            pa.float64(),
            "exact standard deviation of the logit over all of them; null for more than two classes",
            nullable=True,
        ),
    },
)

SEARCHED_ADVERSARY = Schema(
    "searched_adversary",
    {
        "document": _DOCUMENT,
        "epsilon": Column(pa.float64(), "largest allowed |Δp|"),
        "jsd": Column(pa.float64(), "ε-max JSD found, nats; 0 where nothing feasible was found"),
        "probability": Column(
            pa.float64(),
            "probability of class 1 under that attention; more than two classes: of the predicted one",
        ),
        "change": Column(pa.float64(), "|Δp|; more than two classes: ½ Σ|Δp|"),
        "found": Column(pa.bool_(), "whether any searched attention is feasible"),
        "attention": Column(_PER_TOKEN, "the attention; the model's own where nothing was found"),
    },
)

SEARCHED_CANDIDATES = Schema(
    "searched_candidates",
    {
        "document": _DOCUMENT,
        "candidate": Column(pa.int64(), "0 … K-1"),
        "jsd": Column(pa.float64(), "JSD to the model's attention after the last step, nats"),
        "change": Column(pa.float64(), "|Δp| after the last step"),
    },
)

EXACT_ADVERSARY = Schema(
    "exact_adversary",
    {
        "document": _DOCUMENT,
        "epsilon": Column(pa.float64(), "largest allowed |Δp|"),
        "jsd": Column(pa.float64(), "ε-max JSD, nats: the largest that any attention attains"),
        "token_a": Column(pa.int64(), "position of a token that has weight, 0-based"),
        "weight_a": Column(pa.float64(), "its weight"),
        "token_b": Column(
            pa.int64(), "position of the other one; null where one has it all", nullable=True
        ),
        "weight_b": Column(pa.float64(), "1 - weight_a"),
        "probability": Column(pa.float64(), "probability of class 1 under that attention"),
        "slack": Column(
            pa.float64(),
            "epsilon - |Δp|, at least 0; p itself being σ(Σ attention·contribution + bias) of predictions",
        ),
    },
)

REPLACEMENT = Schema(
    "replacement",
    {
        "document": _DOCUMENT,
        "predicted": Column(pa.int64(), "predicted class"),
        "counted_words": Column(
            pa.int64(),
            "tokens in the bag of words; where none is, the imposed attention is uniform",
        ),
        "jsd": Column(pa.float64(), "JSD between the log-odds' and the model's attention, nats"),
        "imposed_probability": Column(pa.float64(), "of class 1 under the log-odds' attention"),
        "imposed_change": Column(pa.float64(), "|Δp| under it"),
        "substituted_words": Column(
            pa.int64(), "most attended tokens that strong words of the other class replaced"
        ),
        "substituted_probability": Column(pa.float64(), "of class 1 after that"),
        "substituted_change": Column(pa.float64(), "|Δp| after that"),
    },
)

MULTICLASS_ADVERSARY = Schema(
    "multiclass_adversary",
    {
        "document": _DOCUMENT,
        "epsilon": Column(pa.float64(), "largest allowed ½ Σ|Δp|"),
        "jsd": Column(pa.float64(), "largest that any attention is known to attain, nats"),
        "bound": Column(pa.float64(), "no attention within epsilon exceeds this JSD, nats"),
        "exact": Column(
            pa.bool_(), "whether jsd is the ε-max JSD itself; bound is then equal to it"
        ),
        "tokens": Column(pa.list_(pa.int32()), "positions of the tokens that have weight, 0-based"),
        "weights": Column(pa.list_(pa.float64()), "their weights in that attention"),
        "probability": Column(
            pa.float64(),
            "of the predicted class under that attention, by the readout of predictions",
        ),
        "change": Column(pa.float64(), "½ Σ|Δp| under that attention"),
        "slack": Column(pa.float64(), "epsilon - change, at least 0"),
    },
)

_REASON = Column(pa.string(), "why there is no number; null where there is one", nullable=True)
_ITEMS = Column(pa.int64(), "tokens, or sentences of a hierarchical model, that attention is to")
_PREDICTED = Column(pa.int64(), "predicted class")

ERASED = Schema(
    "erased",
    {
        "document": _DOCUMENT,
        "predicted": _PREDICTED,
        "items": _ITEMS,
        "rule": Column(
            pa.string(),
            "which weight is erased: highest, second_highest, lowest, second_lowest, that of the highest "
            "gradient, attention_gradient or contribution, or a random other one than the highest (random)",
        ),
        "draw": Column(pa.int64(), "of the random item, from 0; 0 for the other rules"),
        "position": Column(pa.int64(), "of the erased item, 0-based; -1 where there is none"),
        "weight": Column(
            pa.float64(), "its attention; null where there is a reason", nullable=True
        ),
        "js": Column(
            pa.float64(),
            "Jensen-Shannon divergence between the class distributions before and after, nats",
            nullable=True,
        ),
        "flips": Column(pa.bool_(), "whether the decision changes; false where there is a reason"),
        "reason": _REASON,
    },
)

RANKED = Schema(
    "ranked",
    {
        "document": _DOCUMENT,
        "predicted": _PREDICTED,
        "items": _ITEMS,
        "ranking": Column(
            pa.string(),
            "the order of erasure: random, attention, gradient, attention_gradient, contribution, "
            "ascending_attention, leave_one_out, truth, or smallest for the smallest set that there is",
        ),
        "count": Column(
            pa.int64(), "items erased when the decision first changes; -1 where it never does"
        ),
        "fraction": Column(
            pa.float64(), "of all items; null where there is a reason", nullable=True
        ),
        "mass": Column(pa.float64(), "attention that the erased items had", nullable=True),
        "reason": _REASON,
    },
)
