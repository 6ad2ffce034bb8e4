"""A model with float64 in the place of narrower floats: differences that only rounding makes
are none there."""

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

from evaluate import Invalid

NARROW = {TensorProto.FLOAT, TensorProto.FLOAT16}


def _tensor(t):
    if t.data_type in NARROW:
        t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(t).astype(np.float64), t.name))


def _graph(g):
    for t in g.initializer:
        _tensor(t)
    for v in list(g.input) + list(g.output) + list(g.value_info):
        if v.type.tensor_type.elem_type in NARROW:
            v.type.tensor_type.elem_type = TensorProto.DOUBLE
    for n in g.node:
        for a in n.attribute:
            if a.type == a.TENSOR:
                _tensor(a.t)
            elif a.type == a.GRAPH:
                _graph(a.g)
            elif a.name in ("to", "dtype") and a.i in NARROW:
                a.i = TensorProto.DOUBLE
            elif n.op_type == "Constant" and a.name in ("value_float", "value_floats"):
                x = np.float64(a.f) if a.name == "value_float" else np.array(a.floats, np.float64)
                a.CopyFrom(onnx.helper.make_attribute("value", numpy_helper.from_array(np.asarray(x))))


class Double:
    """A model in float64, by the reference."""

    def __init__(self, model):
        m = onnx.ModelProto()
        m.CopyFrom(model)
        _graph(m.graph)
        try:
            self.ref = ReferenceEvaluator(m)
        except Exception as e:
            raise Invalid(str(e)) from e

    def run(self, feeds):
        try:
            out = self.ref.run(None, {k: x.astype(np.float64) if x.dtype.kind == "f" else x for k, x in feeds.items()})
        except Exception as e:
            raise Invalid(str(e)) from e
        return [np.asarray(x) for x in out]
