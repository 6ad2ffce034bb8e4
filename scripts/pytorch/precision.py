"""Models of other element types: float16, bfloat16, float64, and quantized ones."""
import logging

import ml_dtypes
import numpy as np
import onnx
import torch
from torch import nn

from language import bert_net, electra, llama_net, text
from vision import image
from zoo import Part, model
import torchvision.models as tv


@model("llama_float16", "text", "all of it in float16", tolerance=1e-2, trace=False)
def llama_float16():
    return text(llama_net().half(), "logits", mask=False)


class Inside(nn.Module):
    """A network of another element type between inputs and outputs of float32."""

    def __init__(self, net, dtype):
        super().__init__()
        self.net, self.dtype = net.to(dtype), dtype

    def forward(self, x):
        return self.net(x.to(self.dtype)).float()


@model("resnet18_float16", "vision", "in float16 but for input and output", tolerance=1e-2)
def resnet18_float16():
    return image(Inside(tv.resnet18(weights=None), torch.float16))


@model("encoder_float64", "numbers", "two layers of an encoder in float64", trace=False)
def encoder_float64():
    layer = nn.TransformerEncoderLayer(128, 4, 512, activation="relu", batch_first=True, dropout=0)
    net = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).double()
    return Part(net, [torch.randn(1, 32, 128, dtype=torch.float64)], ["x"], ["y"])


def dynamic_int8(path, feeds):
    from onnxruntime.quantization import QuantType, quantize_dynamic
    quiet()
    quantize_dynamic(path, path, weight_type=QuantType.QInt8)


def static_qdq(path, feeds):
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    class Reader(CalibrationDataReader):
        def __init__(self):
            rng = np.random.default_rng(1)
            self.left = [feeds] + [{n: rng.standard_normal(a.shape, dtype=np.float32) for n, a in feeds.items()} for _ in range(3)]

        def get_next(self):
            return self.left.pop(0) if self.left else None
    quiet()
    quantize_static(path, path, Reader(), quant_format=QuantFormat.QDQ, per_channel=True)


def stored_bfloat16(path, feeds):
    """Stores the matrices in bfloat16; ONNX Runtime's processor has no products of that type, so they are cast when they are used."""
    m = onnx.load(path)
    for i, w in enumerate(m.graph.initializer):
        if w.data_type != onnx.TensorProto.FLOAT or len(w.dims) < 2:
            continue
        name = w.name
        small = onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(w).astype(ml_dtypes.bfloat16), name + "_bfloat16")
        w.CopyFrom(small)
        m.graph.node.insert(0, onnx.helper.make_node("Cast", [name + "_bfloat16"], [name], to=onnx.TensorProto.FLOAT))
    onnx.save(m, path)


def quiet():
    logging.getLogger().setLevel(logging.ERROR)


@model("bert_int8", "text", "weights int8, activations quantized by their range", tolerance=2e-2, after=dynamic_int8)
def bert_int8():
    return text(bert_net())


@model("resnet18_qdq", "vision", "weights and activations int8, QuantizeLinear and DequantizeLinear", tolerance=2e-2, after=static_qdq)
def resnet18_qdq():
    return image(tv.resnet18(weights=None))


@model("electra_bfloat16", "text", "matrices stored in bfloat16", after=stored_bfloat16)
def electra_bfloat16():
    return electra()
