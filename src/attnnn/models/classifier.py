"""The classifier: embedding → encoder → attention → one linear decoder.

A hierarchical one (Yang et al. 2016, Serrano & Smith 2019) makes a vector of every sentence first:
embedding → encoder and attention of words → encoder and attention of sentences → one linear decoder.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnnn.models.attention import ATTENTIONS, LOG_ZERO, QUESTION_ATTENTIONS, NoAttention
from attnnn.models.batches import Batch
from attnnn.models.decoders import LinearDecoder, PairDecoder, attended
from attnnn.models.documents import PADDING
from attnnn.models.dropout import Dropout
from attnnn.models.embedding import WordVectors
from attnnn.models.encoders import ENCODERS
from attnnn.models.gru import GruCells
from attnnn.models.word_level import WordLevel
from attnnn.study.model import ENCODERS as KINDS


class Classified(NamedTuple):
    """What a classifier says of a batch.

    Attributes:
        logits: of every class; for two classes the log-odds of class 1 alone.
        attention: weights of the items, which are tokens, or sentences of a hierarchical model; 0 elsewhere.
        log_attention: their logarithms; very large negative numbers where the weight is 0.
        projected: what the decoder makes of each state before they are summed; 0 outside the items, and
            everywhere in a model without attention, and in training with dropout, which needs none.
    """

    logits: Float[Tensor, "batch outputs"]
    attention: Float[Tensor, "batch length"]
    log_attention: Float[Tensor, "batch length"]
    projected: Float[Tensor, "batch length projection"]

    @property
    def logit(self) -> Float[Tensor, " batch"]:
        """Log-odds of class 1, for two classes."""
        return self.logits[:, 0]

    @property
    def contribution(self) -> Float[Tensor, "batch length"]:
        """w·h_t, so that logit = Σ_t attention_t · contribution_t + bias, for two classes."""
        return self.projected[..., 0]

    @property
    def probabilities(self) -> Float[Tensor, "batch outputs"]:
        """Of every class; for two classes that of class 1 alone."""
        return probabilities(self.logits)


def probabilities(logits: Float[Tensor, "*batch outputs"]) -> Float[Tensor, "*batch outputs"]:
    """Softmax over more than two classes; for two classes the sigmoid of the only logit."""
    return logits.sigmoid() if logits.shape[-1] == 1 else logits.softmax(dim=-1)


class Classifier(nn.Module):
    """A classifier of texts, or of texts with a question, by attention (Jain & Wallace 2019, section 3).

    What the decoder does to the weighted sum of states it does to each state first, as far as that is
    linear: for two classes every state is needed only through one number.

    Args:
        encoder: one of `encoders.ENCODERS`.
        attention: one of `attention.ATTENTIONS`.
        vocabulary: number of ids.
        dimension: width of a word vector.
        hidden_size: width of each LSTM direction, of the token-level layer, of all convolutions, or of both
            GRU directions.
        outputs: 1 for two classes, else the number of classes.
        with_question: whether every text comes with a question (or a hypothesis), which has word vectors and
            an encoder of its own.
    """

    def __init__(
        self,
        *,
        encoder: str,
        attention: str,
        vocabulary: int,
        dimension: int,
        hidden_size: int,
        outputs: int = 1,
        with_question: bool = False,
    ) -> None:
        super().__init__()
        self.hidden_size, self.outputs = hidden_size, outputs
        self.embedding = WordVectors(vocabulary, dimension)
        self.words = None
        if KINDS[encoder].hierarchical:
            self.words = WordLevel(
                encoder=encoder, attention=attention, dimension=dimension, hidden_size=hidden_size
            )
            dimension = self.words.width
        self.encoder = ENCODERS[encoder](dimension, hidden_size)
        width = self.encoder.width
        attentions = QUESTION_ATTENTIONS if with_question else ATTENTIONS
        self.attention = attentions[attention](width, self.encoder.scored)
        self.decoder = (
            PairDecoder(width, outputs) if with_question else LinearDecoder(width, outputs)
        )
        self.question_embedding = WordVectors(vocabulary, dimension) if with_question else None
        self.question_encoder = ENCODERS[encoder](dimension, hidden_size) if with_question else None
        if self.encoder.xavier_output and isinstance(self.decoder, LinearDecoder):
            nn.init.xavier_uniform_(self.decoder.weight)
            nn.init.zeros_(self.decoder.bias)

    def forward(
        self,
        batch: Batch,
        *,
        embedded: Float[Tensor, "batch length dimension"] | None = None,
        detach_attention: bool = False,
        query: Float[Tensor, "batch width"] | None = None,
        dropout: Dropout | None = None,
    ) -> Classified:
        """Classify a batch.

        Args:
            batch: the documents.
            embedded: vectors to use instead of those of `embed`, for gradients.
            detach_attention: hold the attention constant under differentiation.
            query: what `read_questions` made of the batch; None: do it here.
            dropout: of a step of training; None: nothing is dropped.
        """
        if embedded is None:
            embedded = self.embed(batch, dropout)
        if query is None:
            query = self.read_questions(batch)
        states = self.encoder(embedded, batch.lengths)
        real = batch.real
        log_attention = self.attention(states, real, batch.imposed, query)
        if detach_attention:
            log_attention = log_attention.detach()
        attention = log_attention.exp()
        if dropout is not None:
            return self._output_with(dropout, states, log_attention, batch)
        if self.attends:
            projected = self.decoder.project(states).masked_fill(~real[..., None], 0.0)
            context = attended(attention, projected)
        else:
            projected = torch.zeros_like(attention)[..., None]
            context = self.decoder.project(self.encoder.last(states, batch.lengths)[:, None])[:, 0]
        logits = self.decoder.logits(context, query)
        if batch.candidates is not None:
            logits = logits.masked_fill(~batch.candidates, LOG_ZERO)
        return Classified(logits, attention, log_attention, projected)

    def _output_with(
        self,
        dropout: Dropout,
        states: Float[Tensor, "batch length width"],
        log_attention: Float[Tensor, "batch length"],
        batch: Batch,
    ) -> Classified:
        """The output of a step of training: one dropped context a document instead of projected states."""
        assert isinstance(self.decoder, LinearDecoder), "dropout is of single texts"
        attention = log_attention.exp()
        context = (
            attended(attention, states)
            if self.attends
            else self.encoder.last(states, batch.lengths)
        )
        logits = dropout.logits(self.decoder(dropout.context(context)))
        return Classified(logits, attention, log_attention, torch.zeros_like(attention)[..., None])

    def embed(
        self, batch: Batch, dropout: Dropout | None = None
    ) -> Float[Tensor, "batch length dimension"]:
        """The vectors that the encoder reads: of words, or in a hierarchical model of sentences.

        Args:
            batch: the documents.
            dropout: of a step of training; None: nothing is dropped.
        """
        further = self.encoder.input_dropout
        if self.words is not None:
            sentences: Tensor = self.words(batch, self.embedding, dropout)
            return sentences if dropout is None else dropout.sentences(sentences, further)
        words: Tensor = self.embedding(batch.token_ids)
        return words if dropout is None else dropout.words(words, further)

    def decide(
        self,
        context: Float[Tensor, "rows projection"],
        batch: Batch,
        query: Float[Tensor, "batch width"] | None,
        rows: Int[Tensor, " rows"],
    ) -> Float[Tensor, "rows outputs"]:
        """Probabilities, in double precision, of other sums of projected than the attended ones.

        Args:
            context: the sums.
            batch: documents.
            query: what `read_questions` made of them.
            rows: the document of each sum.
        """
        logits = self.decoder.double_logits(context, None if query is None else query[rows])
        if batch.candidates is not None:
            logits = logits.masked_fill(~batch.candidates[rows], LOG_ZERO)
        return probabilities(logits)

    def read_questions(self, batch: Batch) -> Float[Tensor, "batch width"] | None:
        """What the questions' encoder ends with; None where there are no questions."""
        if self.question_encoder is None or self.question_embedding is None:
            return None
        question = batch.question
        assert question is not None, "texts of a pair need their questions"
        states = self.question_encoder(
            self.question_embedding(question.token_ids), question.lengths
        )
        last: Tensor = self.question_encoder.last(states, question.lengths)
        return last

    @property
    def attends(self) -> bool:
        """Whether it weighs tokens, or sentences, at all."""
        return not isinstance(self.attention, NoAttention)

    @property
    def tables(self) -> list[WordVectors]:
        """The tables of word vectors: the documents' and, in a model of pairs, the questions'."""
        tables = (self.embedding, self.question_embedding)
        return [table for table in tables if table is not None]

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.embedding.weight.device

    @property
    def bias(self) -> float:
        """The decoder's bias b, for two classes."""
        assert isinstance(self.decoder, LinearDecoder)
        return float(self.decoder.bias.detach()[0])

    def parameter_counts(self) -> dict[str, int]:
        """Trainable numbers of each part."""
        parts: dict[str, nn.Module] = {
            "embedding": self.embedding,
            "encoder": self.encoder,
            "attention": self.attention,
            "decoder": self.decoder,
        }
        if self.words is not None:
            parts["word_encoder"] = self.words.encoder
            parts["word_attention"] = self.words.attention
        if self.question_embedding is not None and self.question_encoder is not None:
            parts["question_embedding"] = self.question_embedding
            parts["question_encoder"] = self.question_encoder
        return {name: sum(p.numel() for p in part.parameters()) for name, part in parts.items()}


def build(
    *,
    encoder: str,
    attention: str,
    vocabulary: int,
    dimension: int,
    hidden_size: int,
    seed: int,
    outputs: int = 1,
    with_question: bool = False,
    vectors: Float[Tensor, "vocabulary dimension"] | None = None,
    scale: float = 1.0,
    lstm_bias: bool = False,
) -> Classifier:
    """A freshly initialised classifier, drawn from `seed`: as PyTorch does, and GRUs as AllenNLP.

    Args:
        encoder: one of `encoders.ENCODERS`.
        attention: one of `attention.ATTENTIONS`.
        vocabulary: number of ids.
        dimension: width of a word vector.
        hidden_size: width of each LSTM direction, of the token-level layer, of all convolutions, or of both
            GRU directions.
        outputs: 1 for two classes, else the number of classes.
        with_question: whether every text comes with a question.
        seed: equal seeds give equal parameters to models of the same parts.
        vectors: word vectors to start from; None: random ones.
        scale: standard deviation of the random ones.
        lstm_bias: whether GRUs start with an LSTM's bias (switch gru_bias).
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Classifier(
            encoder=encoder,
            attention=attention,
            vocabulary=vocabulary,
            dimension=dimension,
            hidden_size=hidden_size,
            outputs=outputs,
            with_question=with_question,
        )
    with torch.no_grad():
        for table in model.tables:
            if vectors is None:
                table.weight.mul_(scale)
            else:
                table.weight.copy_(vectors)
                table.weight[PADDING] = 0
    if lstm_bias:
        for module in model.modules():
            if isinstance(module, GruCells):
                module.set_lstm_bias()
    return model
