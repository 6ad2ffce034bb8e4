"""Speech, sequences and recommenders."""
import torch
import transformers as tf
from torch import nn

from language import WORDS, Logits, tokens
from zoo import Part, model


@model("whisper", "speech", note="encoder of 100 frames and decoder", trace=False)
def whisper():
    c = tf.WhisperConfig(vocab_size=WORDS, d_model=192, encoder_layers=3, decoder_layers=3, encoder_attention_heads=3,
                         decoder_attention_heads=3, encoder_ffn_dim=768, decoder_ffn_dim=768, max_source_positions=100,
                         max_target_positions=64, num_mel_bins=80, use_cache=False, pad_token_id=0, bos_token_id=1,
                         eos_token_id=2, decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)
    names = ["input_features", "decoder_input_ids"]
    return Part(Logits(tf.WhisperForConditionalGeneration(c), names, "logits"),
                [torch.randn(1, 80, 200), tokens(16)], names, ["logits"])


@model("wav2vec2", "speech", note="a quarter of a second of sound")
def wav2vec2():
    c = tf.Wav2Vec2Config(vocab_size=32, hidden_size=192, num_hidden_layers=3, num_attention_heads=3, intermediate_size=768,
                          conv_dim=[128] * 7, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
    return Part(Logits(tf.Wav2Vec2ForCTC(c), ["input_values"], "logits"), [torch.randn(1, 4000)], ["input_values"], ["logits"])


class Recurrent(nn.Module):
    def __init__(self, kind, width=128):
        super().__init__()
        self.embed = nn.Embedding(WORDS, 64)
        self.rnn = kind(64, width, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * width, 10)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0][:, -1])


@model("lstm", "sequences", note="two layers of both directions, 32 steps")
def lstm():
    return Part(Recurrent(nn.LSTM), [tokens(32)], ["input_ids"], ["logits"])


@model("gru", "sequences", note="two layers of both directions, 32 steps")
def gru():
    return Part(Recurrent(nn.GRU), [tokens(32)], ["input_ids"], ["logits"])


class WaveNet(nn.Module):
    def __init__(self, width=32, layers=8):
        super().__init__()
        self.first = nn.Conv1d(1, width, 1)
        self.gates = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=2**i) for i in range(layers))
        self.mix = nn.ModuleList(nn.Conv1d(width, 2 * width, 1) for _ in range(layers))
        self.last = nn.Sequential(nn.ReLU(), nn.Conv1d(width, width, 1), nn.ReLU(), nn.Conv1d(width, 64, 1))

    def forward(self, x):
        x, total = self.first(x), 0
        for i, (gate, mix) in enumerate(zip(self.gates, self.mix)):
            a, b = gate(nn.functional.pad(x, (2**i, 0))).chunk(2, 1)
            a, b = mix(torch.tanh(a) * torch.sigmoid(b)).chunk(2, 1)
            x, total = x + a, total + b
        return self.last(total)


@model("wavenet", "speech", note="causal convolutions of one axis, dilations 1 to 128")
def wavenet():
    return Part(WaveNet(), [torch.randn(1, 1, 2048)], ["sound"], ["logits"])


class DLRM(nn.Module):
    """Facebook's recommender: sums of embeddings, products of all pairs, two towers."""

    def __init__(self, tables=8, rows=1000, width=32, dense=13):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(dense, 128), nn.ReLU(), nn.Linear(128, width), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 256), nn.ReLU(), nn.Linear(256, 1), nn.Sigmoid())
        self.register_buffer("rows", torch.tril_indices(tables + 1, tables + 1, -1)[0])
        self.register_buffer("columns", torch.tril_indices(tables + 1, tables + 1, -1)[1])

    def forward(self, dense, ids):
        x = self.bottom(dense)
        all = torch.stack([x] + [t(ids[:, i]) for i, t in enumerate(self.tables)], 1)
        pairs = torch.bmm(all, all.transpose(1, 2))[:, self.rows, self.columns]
        return self.top(torch.cat([x, pairs], 1))


@model("dlrm", "recommender", note="bags of embeddings, batch 32")
def dlrm():
    return Part(DLRM(), [torch.randn(32, 13), tokens(4, 32 * 8).reshape(32, 8, 4)], ["dense", "ids"], ["click"])
