"""Language models and encoders of text, of transformers' configurations with random weights."""
import torch
import transformers as tf
from torch import nn

from zoo import Part, model

WORDS, HIDDEN, LAYERS, HEADS, TEXT = 1000, 256, 4, 4, 64
common = dict(vocab_size=WORDS, hidden_size=HIDDEN, num_hidden_layers=LAYERS, num_attention_heads=HEADS)
gated = dict(common, intermediate_size=704, num_key_value_heads=2, max_position_embeddings=128, use_cache=False)
encoder = dict(common, intermediate_size=1024, max_position_embeddings=130)


def tokens(n=TEXT, batch=1, low=2):
    return torch.randint(low, WORDS, (batch, n))


class Logits(nn.Module):
    """One tensor of what a model gives, from inputs by name."""

    def __init__(self, net, names, field, **more):
        super().__init__()
        self.net, self.names, self.field, self.more = net, names, field, more

    def forward(self, *xs):
        return getattr(self.net(**dict(zip(self.names, xs)), **self.more), self.field)


def text(net, field="last_hidden_state", mask=True, **more):
    names, args = ["input_ids"], [tokens()]
    if mask:
        names, args = names + ["attention_mask"], args + [torch.ones(1, TEXT, dtype=torch.int64)]
    return Part(Logits(net, names, field, **more), args, names, [field])


@model("gpt2", "text", trace=False)
def gpt2():
    c = tf.GPT2Config(vocab_size=WORDS, n_embd=HIDDEN, n_layer=LAYERS, n_head=HEADS, n_positions=128, use_cache=False)
    return text(tf.GPT2LMHeadModel(c), "logits", mask=False)


def llama_net():
    return tf.LlamaForCausalLM(tf.LlamaConfig(**gated))


@model("llama", "text", note="grouped queries, RMSNorm, rotary positions, SwiGLU", trace=False)
def llama():
    return text(llama_net(), "logits", mask=False)


@model("qwen2", "text")
def qwen2():
    return text(tf.Qwen2ForCausalLM(tf.Qwen2Config(**gated)), "logits")


@model("mistral", "text", note="window of 16 positions", trace=False)
def mistral():
    return text(tf.MistralForCausalLM(tf.MistralConfig(**gated, sliding_window=16)), "logits", mask=False)


@model("t5", "text", note="encoder and decoder")
def t5():
    c = tf.T5Config(vocab_size=WORDS, d_model=HIDDEN, d_kv=64, d_ff=1024, num_layers=LAYERS, num_heads=HEADS,
                    feed_forward_proj="gated-gelu", use_cache=False, decoder_start_token_id=0)
    names = ["input_ids", "decoder_input_ids"]
    return Part(Logits(tf.T5ForConditionalGeneration(c), names, "logits"), [tokens(), tokens(16)], names, ["logits"])


@model("bert", "text")
def bert():
    return text(bert_net())


def bert_net():
    return tf.BertModel(tf.BertConfig(**encoder))


@model("distilbert", "text")
def distilbert():
    c = tf.DistilBertConfig(vocab_size=WORDS, dim=HIDDEN, n_layers=LAYERS, n_heads=HEADS, hidden_dim=1024, max_position_embeddings=128)
    return text(tf.DistilBertModel(c))


@model("roberta", "text")
def roberta():
    return text(tf.RobertaModel(tf.RobertaConfig(**encoder)))


@model("electra", "text", note="embedding smaller than the hidden size")
def electra():
    return text(tf.ElectraModel(tf.ElectraConfig(**encoder, embedding_size=64)))


@model("albert", "text", note="one layer, four times")
def albert():
    return text(tf.AlbertModel(tf.AlbertConfig(**encoder, embedding_size=64)))


class Experts(nn.Module):
    """Each position is sent to the best 2 of 8 experts; all compute, and the others' share is 0."""

    def __init__(self, width=128, hidden=256, experts=8, best=2):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, hidden) / width**0.5)
        self.down = nn.Parameter(torch.randn(experts, hidden, width) / hidden**0.5)
        self.best = best

    def forward(self, x):
        share, at = torch.topk(torch.softmax(self.gate(x), -1), self.best)
        share = torch.zeros_like(self.gate(x)).scatter(-1, at, share / share.sum(-1, keepdim=True))
        y = torch.einsum("btw,ewh->bteh", x, self.up)
        y = torch.einsum("bteh,ehw->btew", nn.functional.gelu(y), self.down)
        return (y * share.unsqueeze(-1)).sum(2)


class MixtureOfExperts(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.embed = nn.Embedding(WORDS, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.layers = nn.ModuleList(Experts(width) for _ in range(2))
        self.head = nn.Linear(width, WORDS)

    def forward(self, ids):
        x = self.embed(ids)
        for norm, layer in zip(self.norms, self.layers):
            x = x + layer(norm(x))
        return self.head(x)


@model("moe", "text", note="each position takes 2 of 8 experts")
def moe():
    return Part(MixtureOfExperts(), [tokens(32)], ["input_ids"], ["logits"])


@model("mamba", "text", note="state space with a selective scan, of 16 positions, step by step")
def mamba():
    c = tf.MambaConfig(vocab_size=WORDS, hidden_size=128, num_hidden_layers=2, state_size=8, use_cache=False)
    return Part(Logits(tf.MambaForCausalLM(c), ["input_ids"], "logits"), [tokens(16)], ["input_ids"], ["logits"])
