"""Base models: the node tests of the onnx package, as small models with inputs.

The tests are computed once for each version of onnx and kept in the user's cache folder.
"""

import os
import pickle
import tempfile
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper

NUMPY = {
    onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.DOUBLE: np.float64, onnx.TensorProto.FLOAT16: np.float16,
    onnx.TensorProto.INT8: np.int8, onnx.TensorProto.INT16: np.int16, onnx.TensorProto.INT32: np.int32, onnx.TensorProto.INT64: np.int64,
    onnx.TensorProto.UINT8: np.uint8, onnx.TensorProto.UINT16: np.uint16, onnx.TensorProto.UINT32: np.uint32, onnx.TensorProto.UINT64: np.uint64,
    onnx.TensorProto.BOOL: np.bool_,
}
NUMBER = {np.dtype(v): k for k, v in NUMPY.items()}

# Operators whose results are random, or that no evaluator here computes alike.
LEFT_OUT = {"Bernoulli", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "ImageDecoder"}

# Inputs that say shapes, axes and the like; readers want them as constants.
SHAPES = {
    "Reshape": [1], "Expand": [1], "Tile": [1], "Pad": [1, 3], "Slice": [1, 2, 3, 4], "Resize": [1, 2, 3], "Upsample": [1],
    "Squeeze": [1], "Unsqueeze": [1], "Split": [1], "TopK": [1], "Range": [0, 1, 2], "ConstantOfShape": [0], "OneHot": [1],
    "CumSum": [1], "CumProd": [1], "Trilu": [1], "CenterCropPad": [1], "Dropout": [1, 2], "AffineGrid": [1], "DFT": [1, 2], "STFT": [1, 3],
    "Col2Im": [1, 2], "SplitToSequence": [1], "MaxUnpool": [2], "BlackmanWindow": [0], "HannWindow": [0], "HammingWindow": [0],
    "Loop": [0], "NonMaxSuppression": [2, 3, 4], "MelWeightMatrix": [0, 1, 2, 3, 4], "SequenceAt": [1], "SequenceInsert": [2], "SequenceErase": [1],
    **{"Reduce" + x: [1] for x in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()},
}

# Largest number of elements of an input or output: pairs are small.
MOST = 3000


class Case:
    """One node test: a model and the values of its inputs."""

    def __init__(self, name, model, feeds):
        self.name, self.model, self.feeds = name, model, feeds

    @property
    def op(self):
        return self.model.graph.node[0].op_type


def _plain(values):
    return all(isinstance(v, np.ndarray) and v.dtype in NUMBER and v.size <= MOST for v in values)


def _collect():
    warnings.simplefilter("ignore")
    from onnx.backend.test.case.node import collect_testcases

    cases = []
    for c in collect_testcases():
        if c.model is None or not c.data_sets or any(n.op_type in LEFT_OUT for n in c.model.graph.node):
            continue
        ins, outs = c.data_sets[0]
        ins = [np.asarray(x) if np.isscalar(x) else x for x in ins]
        names = [i.name for i in c.model.graph.input]
        if len(ins) != len(names) or not _plain(ins) or not _plain(np.asarray(x) if np.isscalar(x) else x for x in outs):
            continue
        if any(o.domain not in ("", "ai.onnx") for o in c.model.opset_import):
            continue
        cases.append((c.name, c.model.SerializeToString(), dict(zip(names, ins))))
    return cases


def load():
    """The node tests, from the cache if it has them."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(cache, "taso", f"node-tests-{onnx.__version__}.pickle")
    try:
        with open(path, "rb") as f:
            raw = pickle.load(f)
    except (OSError, EOFError, pickle.UnpicklingError):
        raw = _collect()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        fd, part = tempfile.mkstemp(dir=os.path.dirname(path))
        with os.fdopen(fd, "wb") as f:
            pickle.dump(raw, f)
        os.replace(part, path)
    return [Case(n, onnx.load_model_from_string(m), f) for n, m, f in raw]


def opset(model):
    return next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))


def set_opset(model, version):
    del model.opset_import[:]
    model.opset_import.append(helper.make_opsetid("", version))


def since(op, version):
    """The version of an operator in an operator set, or None."""
    try:
        return onnx.defs.get_schema(op, version, "").since_version
    except onnx.defs.SchemaError:
        return None


def nodes_of(graph):
    """All nodes, those of subgraphs too."""
    for n in graph.node:
        yield n
        for a in n.attribute:
            if a.type == onnx.AttributeProto.GRAPH:
                yield from nodes_of(a.g)


def versions(model, newest):
    """Operator sets from 13 on in which the model means the same: no operator has another version."""
    v = opset(model)
    ops = {n.op_type for n in nodes_of(model.graph)}
    now = {o: since(o, v) for o in ops}
    return [w for w in range(13, newest + 1) if all(since(o, w) == now[o] for o in ops)]


# Operators of one element, which take any number.
ARITHMETIC = set("""Add Sub Mul Div Mod Max Min Clip Cast Abs Neg Sign Less Greater LessOrEqual GreaterOrEqual Equal Where BitwiseAnd BitwiseOr BitwiseXor
    BitwiseNot BitShift Sum Mean Relu Floor Ceil Round ReduceMax ReduceMin ReduceSum ArgMax ArgMin TopK CumSum CastLike""".split())


def extreme(rng, x):
    """Numbers up to the ends of a type in the place of some."""
    y = x.copy().reshape(-1)
    if x.dtype.kind in "iu":
        info = np.iinfo(x.dtype)
        odd = [info.min, info.max, info.max - 1, info.max // 2 + 1, info.min // 2, 6, 0, 1]
    elif x.dtype.kind == "f":
        odd = [0, -0.5, 0.5, 1.5, 2.5, 1e5, -3e4, 16777217, 255.5, -1]
    else:
        return x
    for i in range(y.size):
        if rng.random() < 0.5:
            y[i] = rng.choice(odd)
    return y.reshape(x.shape)


def prepare(rng, case, newest=24):
    """A model of a case, in a random operator set of those with one meaning, in which inputs
    that say shapes are constants and some others may be. Returns the model and its feeds."""
    m = onnx.ModelProto()
    m.CopyFrom(case.model)
    g = m.graph
    node = g.node[0]
    fixed = set()
    for n in g.node:
        fixed |= {n.input[i] for i in SHAPES.get(n.op_type, []) if i < len(n.input)}
    rest = [i.name for i in g.input if i.name not in fixed]
    values = case.feeds
    if rng.random() < 0.15:  # nothing is fed: a reader may compute it all
        fixed |= set(rest)
        values = {k: extreme(rng, x) if case.op in ARITHMETIC and rng.random() < 0.7 else x for k, x in values.items()}
    elif len(rest) > 1:
        some = rng.random() < 0.6
        first = next((x for x in node.input if x in rest), rest[0])
        fixed |= {x for x in rest if x != first and some and rng.random() < 0.6}
    feeds = {}
    kept = [i for i in g.input if i.name not in fixed]
    for i in g.input:
        if i.name in fixed:
            g.initializer.append(numpy_helper.from_array(values[i.name], i.name))
        else:
            feeds[i.name] = case.feeds[i.name]
    kept = [helper.make_tensor_value_info(i.name, NUMBER[feeds[i.name].dtype], feeds[i.name].shape) for i in kept]
    del g.input[:]
    g.input.extend(kept)
    del g.value_info[:]
    same = versions(m, newest)
    set_opset(m, rng.choice(same) if same else rng.randint(22, newest))
    m.ir_version = 8 if opset(m) <= 18 else 10 if opset(m) <= 24 else 12
    return m, feeds
