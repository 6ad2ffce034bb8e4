"""Vision models: torchvision's and transformers', with random weights."""
import torch
import torchvision.models as tv
import transformers as tf
from torch import nn

from language import Logits, tokens
from zoo import Part, model

SIDE = 128


def image(net, side=SIDE, outputs=("logits",)):
    """A network of one image; its convolutions keep the spread of what they read, so that the outputs depend on it."""
    for m in net.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
    return Part(net, [torch.randn(1, 3, side, side)], ["pixels"], list(outputs))


class Fields(nn.Module):
    """Some entries of the dictionary that a model gives."""

    def __init__(self, net, names):
        super().__init__()
        self.net, self.names = net, names

    def forward(self, x):
        got = self.net(x)
        return tuple(got[n] for n in self.names)


def classifier(name, side=SIDE, **config):
    @model(name, "vision")
    def build():
        return image(getattr(tv, name)(weights=None, **config), side)


for name in ("resnet18", "resnet50", "resnext50_32x4d", "mobilenet_v2", "mobilenet_v3_large", "efficientnet_b0",
             "regnet_y_400mf", "shufflenet_v2_x1_0", "squeezenet1_1", "densenet121"):
    classifier(name)
classifier("googlenet", init_weights=False, aux_logits=False)
classifier("inception_v3", 139, init_weights=False, aux_logits=False)


def narrow(name, net, inputs):
    """A network of 224x224 pixels whose classifier has 512 elements inside, where the original has 4096."""
    @model(name, "vision", note="its classifier 512 wide")
    def build():
        n = net(weights=None)
        n.classifier = nn.Sequential(nn.Linear(inputs, 512), nn.ReLU(), nn.Dropout(), nn.Linear(512, 512), nn.ReLU(),
                                     nn.Dropout(), nn.Linear(512, 1000))
        return image(n, 224)


narrow("vgg11", tv.vgg11, 512 * 7 * 7)
narrow("alexnet", tv.alexnet, 256 * 6 * 6)


patches = dict(image_size=SIDE, patch_size=16, hidden_size=192, num_hidden_layers=6, num_attention_heads=3, intermediate_size=768)


def logits(net):
    return Part(Logits(net, ["pixel_values"], "logits"), [torch.randn(1, 3, SIDE, SIDE)], ["pixel_values"], ["logits"])


@model("convnext", "vision")
def convnext():
    return logits(tf.ConvNextForImageClassification(
        tf.ConvNextConfig(hidden_sizes=[64, 128, 256, 512], depths=[2, 2, 4, 2], image_size=SIDE)))


@model("vit", "vision")
def vit():
    return logits(tf.ViTForImageClassification(tf.ViTConfig(**patches)))


@model("deit", "vision")
def deit():
    return logits(tf.DeiTForImageClassification(tf.DeiTConfig(**patches)))


@model("swin", "vision", note="shifted windows")
def swin():
    return logits(tf.SwinForImageClassification(
        tf.SwinConfig(image_size=SIDE, embed_dim=48, depths=[2, 2, 2], num_heads=[2, 4, 8], window_size=4)))


@model("clip", "text and vision")
def clip():
    common = dict(hidden_size=192, num_hidden_layers=4, num_attention_heads=3, intermediate_size=768)
    c = tf.CLIPConfig(text_config=dict(common, vocab_size=1000, max_position_embeddings=32, eos_token_id=999),
                      vision_config=dict(common, image_size=SIDE, patch_size=16), projection_dim=128)
    names = ["input_ids", "pixel_values"]
    return Part(Logits(tf.CLIPModel(c), names, "logits_per_image"),
                [tokens(16, 2), torch.randn(1, 3, SIDE, SIDE)], names, ["logits_per_image"])


@model("deeplabv3_resnet50", "segmentation", note="convolutions with dilations 2 to 36")
def deeplabv3():
    net = tv.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=21)
    return image(Fields(net, ["out"]), outputs=["out"])


@model("lraspp_mobilenet_v3", "segmentation")
def lraspp():
    net = tv.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=21)
    return image(Fields(net, ["out"]), outputs=["out"])


class Heads(nn.Module):
    """A detector up to its post-processing: which boxes remain depends on the numbers."""

    def __init__(self, net):
        super().__init__()
        self.backbone, self.head = net.backbone, net.head

    def forward(self, x):
        got = self.head(list(self.backbone(x).values()))
        return got["bbox_regression"], got["cls_logits"]


@model("ssdlite320_mobilenet_v3", "detection", note="with its detection heads, without the choice of boxes, which depends on the numbers")
def ssdlite():
    net = tv.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=21)
    return image(Heads(net), 320, ["boxes", "scores"])


def double(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(),
                         nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, widths=(16, 32, 64, 128)):
        super().__init__()
        self.down = nn.ModuleList(double(a, b) for a, b in zip((3, *widths), widths))
        pairs = list(zip(widths[::-1], widths[-2::-1]))
        self.up = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, stride=2) for a, b in pairs)
        self.join = nn.ModuleList(double(2 * b, b) for a, b in pairs)
        self.last = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        kept = []
        for i, f in enumerate(self.down):
            x = f(x if i == 0 else nn.functional.max_pool2d(x, 2))
            kept.append(x)
        for up, join, skip in zip(self.up, self.join, kept[-2::-1]):
            x = join(torch.cat([skip, up(x)], 1))
        return self.last(x)


@model("unet", "segmentation", note="transposed convolutions, joins")
def unet():
    return image(UNet(), outputs=["out"])


@model("gan", "generator", note="DCGAN: transposed convolutions")
def gan():
    def layer(a, b, stride, pad):
        return nn.Sequential(nn.ConvTranspose2d(a, b, 4, stride, pad, bias=False), nn.BatchNorm2d(b), nn.ReLU())
    net = nn.Sequential(layer(100, 256, 1, 0), layer(256, 128, 2, 1), layer(128, 64, 2, 1), layer(64, 32, 2, 1),
                        nn.ConvTranspose2d(32, 3, 4, 2, 1, bias=False), nn.Tanh())
    return Part(net, [torch.randn(1, 100, 1, 1)], ["noise"], ["pixels"])
