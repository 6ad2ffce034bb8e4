"""Models for scripts/compare-optimizers that scripts/models does not take: random weights, no hub."""
import torch
import torchvision.models as tv
import transformers as tf
from torch import nn

from language import HEADS, HIDDEN, LAYERS, WORDS, Logits, common, gated, text, tokens
from precision import Inside, static_qdq
from vision import SIDE, image, logits, patches
from zoo import Part, model


@model("mnasnet", "vision")
def mnasnet():
    return image(tv.mnasnet1_0(weights=None))


@model("mobilenet_v2_qdq", "quantized", tolerance=2e-2, after=static_qdq)
def mobilenet_v2_qdq():
    return image(tv.mobilenet_v2(weights=None))


@model("convnext_v2", "vision")
def convnext_v2():
    return logits(tf.ConvNextV2ForImageClassification(
        tf.ConvNextV2Config(hidden_sizes=[48, 96, 192, 384], depths=[2, 2, 4, 2], image_size=SIDE)))


@model("mobilevit", "vision")
def mobilevit():
    return image(Logits(tf.MobileViTForImageClassification(tf.MobileViTConfig(image_size=SIDE)), ["pixel_values"], "logits"))


@model("segformer", "vision")
def segformer():
    return logits(tf.SegformerForSemanticSegmentation(tf.SegformerConfig(
        depths=[1, 1, 2, 1], hidden_sizes=[32, 64, 128, 192], num_attention_heads=[1, 2, 4, 6], decoder_hidden_size=128, num_labels=19)))


@model("espcn", "vision", note="super-resolution: three convolutions and a pixel shuffle")
def espcn():
    net = nn.Sequential(nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(),
                        nn.Conv2d(32, 9, 3, padding=1), nn.PixelShuffle(3))
    return Part(net, [torch.randn(1, 1, 96, 96)], ["small"], ["large"])


class Video(nn.Module):
    """Convolutions over an image, then over time, with batch normalization, and a residual sum."""

    def __init__(self, width=32, blocks=3):
        super().__init__()
        self.first = nn.Conv3d(3, width, (1, 7, 7), (1, 2, 2), (0, 3, 3))
        self.blocks = nn.ModuleList(nn.Sequential(
            nn.Conv3d(width, width, (1, 3, 3), padding=(0, 1, 1), bias=False), nn.BatchNorm3d(width), nn.ReLU(),
            nn.Conv3d(width, width, (3, 1, 1), padding=(1, 0, 0), bias=False), nn.BatchNorm3d(width)) for _ in range(blocks))
        self.head = nn.Linear(width, 50)

    def forward(self, x):
        x = self.first(x).relu()
        for b in self.blocks:
            x = (x + b(x)).relu()
        return self.head(x.mean((2, 3, 4)))


@model("video_2plus1d", "vision")
def video_2plus1d():
    return Part(Video(), [3 * torch.randn(1, 3, 8, 56, 56)], ["frames"], ["logits"])


@model("vit_float16", "half precision", tolerance=1e-2)
def vit_float16():
    net = Logits(tf.ViTForImageClassification(tf.ViTConfig(**patches)), ["pixel_values"], "logits")
    return Part(Inside(net, torch.float16), [torch.randn(1, 3, SIDE, SIDE)], ["pixel_values"], ["logits"])


@model("modernbert", "text")
def modernbert():
    c = tf.ModernBertConfig(**common, intermediate_size=384, max_position_embeddings=128, local_attention=32, pad_token_id=0,
                            bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2, global_attn_every_n_layers=2,
                            attn_implementation="eager")
    return text(tf.ModernBertModel(c))


@model("bart", "text", note="encoder and decoder")
def bart():
    c = tf.BartConfig(vocab_size=WORDS, d_model=HIDDEN, encoder_layers=2, decoder_layers=2, encoder_attention_heads=HEADS,
                      decoder_attention_heads=HEADS, encoder_ffn_dim=1024, decoder_ffn_dim=1024, max_position_embeddings=128, use_cache=False)
    names = ["input_ids", "decoder_input_ids"]
    return Part(Logits(tf.BartForConditionalGeneration(c), names, "logits"), [tokens(), tokens(16)], names, ["logits"])


@model("gpt_neox", "text", note="attention and feed-forward part side by side, rotary positions of a quarter of a head")
def gpt_neox():
    c = tf.GPTNeoXConfig(**common, intermediate_size=1024, max_position_embeddings=128, use_cache=False)
    return text(tf.GPTNeoXForCausalLM(c), "logits", mask=False)


@model("gemma2", "text", note="soft caps of scores and logits, window of 16 positions in each other layer")
def gemma2():
    c = tf.Gemma2Config(**gated, head_dim=64, sliding_window=16, query_pre_attn_scalar=64, attn_implementation="eager")
    return text(tf.Gemma2ForCausalLM(c), "logits", mask=False)


@model("deberta_v2", "text", note="positions in the attention")
def deberta_v2():
    c = tf.DebertaV2Config(**common, intermediate_size=1024, max_position_embeddings=128, relative_attention=True,
                           pos_att_type=["p2c", "c2p"], position_biased_input=False, position_buckets=32, norm_rel_ebd="layer_norm",
                           share_att_key=True, type_vocab_size=0)
    return text(tf.DebertaV2Model(c))


@model("hubert", "speech", note="a quarter of a second of sound")
def hubert():
    c = tf.HubertConfig(vocab_size=32, hidden_size=192, num_hidden_layers=3, num_attention_heads=3, intermediate_size=768,
                        conv_dim=[128] * 7, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
    return Part(Logits(tf.HubertForCTC(c), ["input_values"], "logits"), [torch.randn(1, 4000)], ["input_values"], ["logits"])


@model("conformer", "speech", note="three blocks of attention and depthwise convolutions, 100 frames")
def conformer():
    c = tf.Wav2Vec2ConformerConfig(hidden_size=144, num_attention_heads=4, intermediate_size=576, conv_depthwise_kernel_size=15,
                                   position_embeddings_type=None, attn_implementation="eager")
    from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import Wav2Vec2ConformerEncoderLayer as Layer

    class Conformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.head = nn.Linear(80, 144), nn.Linear(144, 40)
            self.layers = nn.ModuleList(Layer(c) for _ in range(3))

        def forward(self, x):
            x = self.first(x)
            for f in self.layers:
                x = f(x)
            return self.head(x)
    return Part(Conformer(), [torch.randn(1, 100, 80)], ["frames"], ["logits"])


class TasNet(nn.Module):
    """Separates two voices: masks from stacked dilated convolutions, with group normalization and PReLU."""

    def __init__(self, width=64, hidden=128, blocks=6):
        super().__init__()
        self.encode, self.decode = nn.Conv1d(1, width, 16, 8), nn.ConvTranspose1d(width, 1, 16, 8)
        self.norm = nn.GroupNorm(1, width)
        self.blocks = nn.ModuleList(nn.Sequential(
            nn.Conv1d(width, hidden, 1), nn.PReLU(), nn.GroupNorm(1, hidden),
            nn.Conv1d(hidden, hidden, 3, padding=2**i, dilation=2**i, groups=hidden), nn.PReLU(), nn.GroupNorm(1, hidden),
            nn.Conv1d(hidden, width, 1)) for i in range(blocks))
        self.mask = nn.Conv1d(width, 2 * width, 1)
        self.width = width

    def forward(self, sound):
        x = self.encode(sound)
        y = self.norm(x)
        for b in self.blocks:
            y = y + b(y)
        masks = torch.sigmoid(self.mask(y)).reshape(2, self.width, -1)
        return self.decode(masks * x)


@model("conv_tasnet", "speech")
def conv_tasnet():
    return Part(TasNet(), [torch.randn(1, 1, 8000)], ["sound"], ["voices"])


class CRNN(nn.Module):
    """Reads a line of text: convolutions with batch normalization, then an LSTM of both directions."""

    def __init__(self):
        super().__init__()
        layers, before = [], 1
        for width, pool in ((32, (2, 2)), (64, (2, 2)), (128, (2, 1)), (128, (2, 1))):
            layers += [nn.Conv2d(before, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(pool)]
            before = width
        self.convs, self.rnn, self.head = nn.Sequential(*layers), nn.LSTM(256, 96, bidirectional=True), nn.Linear(192, 60)

    def forward(self, x):
        x = self.convs(x).flatten(1, 2).permute(2, 0, 1)
        return self.head(self.rnn(x)[0]).log_softmax(-1)


@model("crnn", "recurrent")
def crnn():
    return Part(CRNN(), [3 * torch.randn(1, 1, 32, 128)], ["line"], ["letters"])


class Cells(nn.Module):
    """An LSTM cell called 12 times, written out step by step, with attention to the inputs."""

    def __init__(self, width=96):
        super().__init__()
        self.embed, self.cell = nn.Embedding(WORDS, width), nn.LSTMCell(2 * width, width)
        self.head, self.width = nn.Linear(width, 40), width

    def forward(self, ids):
        x = self.embed(ids)
        h = c = torch.zeros(x.shape[0], self.width)
        outs = []
        for t in range(12):
            seen = torch.softmax(torch.bmm(x, h.unsqueeze(-1)), 1)
            h, c = self.cell(torch.cat([x[:, t], (seen * x).sum(1)], -1), (h, c))
            outs.append(self.head(h))
        return torch.stack(outs, 1)


@model("lstm_cells", "recurrent")
def lstm_cells():
    return Part(Cells(), [tokens(12, 2)], ["input_ids"], ["letters"])


@model("patchtst", "sequences", note="forecast of 7 series")
def patchtst():
    c = tf.PatchTSTConfig(num_input_channels=7, context_length=256, patch_length=16, patch_stride=16, prediction_length=24, d_model=128,
                          num_hidden_layers=LAYERS, num_attention_heads=HEADS, ffn_dim=256)
    return Part(Logits(tf.PatchTSTForPrediction(c), ["past_values"], "prediction_outputs"), [torch.randn(1, 256, 7)], ["past_values"], ["forecast"])
